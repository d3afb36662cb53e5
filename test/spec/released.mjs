// A program that embeds Duet: runs one question as `HOW` says and prints what of the run is still held when it is over.
// Started with `node --expose-gc`, with PROVIDER as the address of a provider and MODE as the mode.
import { getEventListeners } from "node:events";
import { setImmediate } from "node:timers/promises";
import { createDuet, defineTool } from "../../dist/index.js";

const { HOW, PROVIDER, MODE, KEEP } = process.env;
/** Objects that the run has made or was given; nothing here holds them. */
const made = { context: [], signal: [], event: [] };
/** With KEEP they are held: this shows that the check can fail. */
const kept = [];
const stop = new AbortController();

function watch(kind, value) {
  made[kind].push(new WeakRef(value));
  if (KEEP) kept.push(value);
}

const hold = defineTool({
  name: "hold",
  description: "Holds on.",
  inputSchema: { type: "object", properties: {} },
  run(_, context) {
    watch("context", context);
    watch("signal", context.signal);
    if (HOW === "finished") return "Held for a moment.";
    return new Promise((_, reject) => {
      context.signal.addEventListener("abort", () => reject(context.signal.reason), { once: true });
    });
  },
});

const model = { provider: "openai", model: "only", baseUrl: PROVIDER };
const duet = await createDuet({
  models: { functionCall: model },
  tools: [hold],
  config: { search: { enabled: false } },
});
const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

async function follow() {
  let status = "left";
  for await (const event of duet.stream("Go on.", { mode: MODE, signal: stop.signal })) {
    watch("event", event);
    if (event.type === "run-end") status = event.outcome.status;
    if (event.type !== "tool-start") continue;
    if (HOW === "left") break;
    if (HOW === "stopped") stop.abort();
  }
  return status;
}

const status = await follow();
const alive = (refs) => refs.filter((ref) => ref.deref() !== undefined).length;
// What is not free after so many collections is held by something.
for (let round = 0; round < 50 && Object.values(made).some(alive); round++) {
  await setImmediate();
  globalThis.gc();
}
const held = Object.fromEntries(Object.entries(made).map(([kind, refs]) => [kind, alive(refs)]));
const seen = Object.fromEntries(Object.entries(made).map(([kind, refs]) => [kind, refs.length]));
const listeners = getEventListeners(stop.signal, "abort").length;
await duet.close();
process.stdout.write(JSON.stringify({ status, held, seen, listeners, timers: timers(), kept: kept.length }));
