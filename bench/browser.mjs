// What the page costs in a real Chromium: its first paint, its script, an answer of 200,000 characters while it streams, and the
// opening of a conversation of 500 turns. The model is a server in this process. Fails above the limits; on a busy machine the
// times are those of the machine. `CHROMIUM` names another browser than /usr/bin/chromium.
import { spawn } from "node:child_process";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const most = { firstPaintMs: 300, packedBytes: 120_000, openMs: 500, longestTaskMs: 50 };
const turns = Number(process.argv[2] ?? 500);
const short = "Here is **an answer**.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst x = 1;\n```\n";
const long = Array.from({ length: 1400 }, (_, n) => `## Part ${n}\n\n**Words** \`code\` ${"word ".repeat(24)}`).join(
  "\n\n",
);

const failures = [];
const model = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const text = body.includes("Write long") ? long : short;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta, finish_reason = null) =>
    response.write(
      `data: ${JSON.stringify({ id: "c", model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    );
  for (let at = 0; at < text.length; at += 400) {
    send({ role: "assistant", content: text.slice(at, at + 400) });
    if (at % 8000 === 0) await new Promise(setImmediate);
  }
  send({}, "stop");
  response.end("data: [DONE]\n\n");
});
await new Promise((resolve) => model.listen(0, "127.0.0.1", resolve));
const home = await mkdtemp(join(tmpdir(), "duet-bench-"));
const file = join(home, "duet.config.json");
const baseUrl = `http://127.0.0.1:${model.address().port}/v1`;
const settings = {
  providers: { paced: { wire: "openai-chat", baseUrl, apiKeyEnv: "BENCH_KEY" } },
  models: { functionCall: { provider: "paced", model: "m" } },
  search: { enabled: false },
  conversations: { store: "memory", titles: false },
  locale: "en",
};
await writeFile(file, JSON.stringify(settings));
const server = spawn(process.execPath, ["dist/duet.js", "serve", "--http", "127.0.0.1:0", "--config", file], {
  env: { ...process.env, DUET_HOME: home, BENCH_KEY: "k" },
  stdio: ["ignore", "pipe", "pipe"],
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
try {
  const url = await findAddress(server);
  await askAll(url);
  const page = await browser.newPage({ locale: "en-US", viewport: { width: 1280, height: 820 } });
  await page.addInitScript(`window.tasks = [];
    new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) tasks.push(duration); })
      .observe({ type: "longtask", buffered: true });`);
  // The first one starts the parts of the browser.
  for (const _ of ["first", "again"]) {
    await page.goto(url);
    await page.locator(".conversation").first().waitFor();
  }
  check("packed, before optional parts", (await stat("dist/chat-page.html.br")).size, most.packedBytes, "bytes");
  check(
    "first paint",
    await page.evaluate("performance.getEntriesByType('paint')[0].startTime"),
    most.firstPaintMs,
    "ms",
  );
  await page.evaluate("tasks.length = 0");
  check(`a conversation of ${turns} turns opens in`, await page.evaluate(measureOpening), most.openMs, "ms");
  await page
    .locator(".turn")
    .nth(turns - 1)
    .waitFor({ state: "attached", timeout: 120_000 });
  await page.locator(".new").click();
  await page.evaluate("tasks.length = 0");
  await page.locator("#message").fill("Write long");
  await page.keyboard.press("Enter");
  await page.getByText(`Part 1399`).waitFor({ state: "attached", timeout: 120_000 });
  check(
    `the longest task of ${long.length} characters`,
    await page.evaluate("Math.max(0, ...tasks)"),
    most.longestTaskMs,
    "ms",
  );
} finally {
  await browser.close();
  server.kill();
  model.close();
  await rm(home, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Runs in the page: from the click until something of the conversation is drawn. */
function measureOpening() {
  const begin = performance.now();
  document.querySelector(".open-conversation").click();
  return new Promise((resolve) => {
    const look = () => {
      if (document.querySelector(".turn") === null) setTimeout(look, 1);
      else requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin)));
    };
    look();
  });
}

function findAddress({ stdout, stderr }) {
  return new Promise((resolve) => {
    for (const stream of [stdout, stderr])
      stream.on("data", (data) => {
        const [address] = /http:\/\/127\.0\.0\.1:\d+(?=\/mcp)/.exec(String(data)) ?? [];
        if (address !== undefined) resolve(address);
      });
  });
}

async function askAll(url) {
  let conversation_id;
  for (let turn = 0; turn < turns; turn += 1) {
    const response = await fetch(`${url}/agent/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ message: `Question ${turn}`, mode: "chat", conversation_id }),
    });
    ({ conversation_id } = await response.json());
  }
}

function check(name, value, limit, unit) {
  const line = `${name}: ${Math.round(value)} ${unit} (at most ${limit})`;
  console.log(line);
  if (value > limit) failures.push(`above the limit: ${line}`);
}
