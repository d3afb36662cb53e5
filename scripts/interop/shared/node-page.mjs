// Runs `ask` of a page (page.mjs) through a scenario, unchanged.
import { ask } from "./page.mjs";

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
