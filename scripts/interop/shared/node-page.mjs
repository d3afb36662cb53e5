// Runs `ask` of a page (page.mjs) through a scenario, unchanged but for the address.
import { readFileSync, writeFileSync } from "node:fs";

const page = new URL("page.mjs", import.meta.url);
const { DUET_URL } = process.env;
// The port of the page is an example, and an earlier scenario had another one.
if (DUET_URL) writeFileSync(page, readFileSync(page, "utf8").replace(/http:\/\/127\.0\.0\.1:\d+\/mcp/g, DUET_URL));
const { ask } = await import(page.href);

const scenario = process.argv.at(-1);
const line = { scenario };
const stop = new AbortController();

async function cancelOnceBegun() {
  await fetch(process.env.INTEROP_STARTED);
  stop.abort();
  await fetch(process.env.INTEROP_ENDED);
}

try {
  const cancelled = scenario === "cancel" ? cancelOnceBegun() : undefined;
  const asked = ask(process.env.DUET_QUESTION, stop.signal);
  await Promise.allSettled([asked, cancelled]);
  await asked;
} catch (error) {
  line.error = `${error?.name}: ${error?.message} ${error?.cause?.message ?? ""}`.trim().slice(0, 600);
}
console.log(JSON.stringify(line));
process.exit(0);
