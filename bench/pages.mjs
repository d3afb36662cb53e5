// Reading a page of 1 MB with `read_page`, through the built library: how long it takes, and for how long the event loop of
// the program stands still meanwhile. The page comes from another process. Prints medians and the longest pause; fails above
// the limits.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createDuet } from "../dist/index.js";

const limitMs = 1000;
const pauseLimitMs = 50;
const runs = Number(process.argv[2] ?? 9);

const server = spawn(process.execPath, [fileURLToPath(new URL("./page-server.mjs", import.meta.url))], {
  stdio: ["ignore", "pipe", "inherit"],
});
// Whatever goes wrong before the end, it is not left behind.
process.once("exit", () => server.kill());
const url = String(await new Promise((resolve) => server.stdout.once("data", resolve))).trim();
const duet = await createDuet({
  config: { web: { reach: ["127.0.0.1:*"] }, locale: "en", conversations: { store: "memory" } },
});
try {
  const first = await read("small");
  console.log(
    `the first page, a small one   ${first.tookMs.toFixed(0).padStart(5)} ms   imports and the process's start`,
  );
  await read("news-warm-up");
  const news = await measure("news");
  const prose = await measure("prose");
  if (news.tookMs > limitMs) throw new Error(`a page of 1 MB takes ${news.tookMs.toFixed(0)} ms, above ${limitMs} ms`);
  const pauseMs = Math.max(news.pauseMs, prose.pauseMs);
  if (pauseMs > pauseLimitMs)
    throw new Error(`the event loop stood still for ${pauseMs.toFixed(0)} ms, above ${pauseLimitMs} ms`);
} finally {
  await duet.close();
  server.kill();
}

/** Each time another address, so that nothing comes from the cache. */
async function measure(kind) {
  const all = [];
  for (let run = 0; run < runs; run++) all.push(await read(`${kind}-${run}`));
  const tookMs = median(all.map((one) => one.tookMs));
  const pauseMs = Math.max(...all.map((one) => one.pauseMs));
  console.log(
    `1 MB, ${kind.padEnd(5)}                   ${tookMs.toFixed(0).padStart(5)} ms   median of ${runs}, longest pause ${pauseMs.toFixed(0)} ms`,
  );
  return { tookMs, pauseMs };
}

/** By the rules that need no model. The pause is that of a timer of 1 ms. */
async function read(path) {
  let latest = performance.now();
  let pauseMs = 0;
  let tookMs;
  const watch = setInterval(() => {
    const now = performance.now();
    pauseMs = Math.max(pauseMs, now - latest);
    latest = now;
  }, 1);
  for await (const event of duet.stream(`read ${url}/${path}`)) {
    if (event.type !== "tool-end") continue;
    if (!event.ok) throw new Error(`not read: ${event.error?.message}`);
    tookMs = event.elapsedMs;
  }
  clearInterval(watch);
  if (tookMs === undefined) throw new Error(`${path} was not read`);
  return { tookMs, pauseMs };
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
