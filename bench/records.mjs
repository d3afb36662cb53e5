// Records: what it costs to record a step of a run in a store on disk, in processor time and statements, with steps of one run after
// another and with those of ten runs at once. Fails above 0.15 ms of processor time or one statement per step.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StatementSync } from "node:sqlite";
import { createSqliteStore } from "../src/store/sqlite/sqlite-store.ts";

const mostMs = 0.15;
const steps = 2000;
const rounds = 5;

const words = "The forecast for Hangzhou is cloudy with some rain in the evening. ".repeat(20);
const turn = {
  usage: { inputTokens: 1200, outputTokens: 90, reasoningTokens: 0, cachedTokens: 900 },
  costs: [0.0004],
  elapsedMs: 812,
  turn: {
    message: {
      role: "assistant",
      content: "I will look up the weather.",
      toolCalls: [
        { id: "call_1", name: "maps_weather", argumentsText: '{"city":"Hangzhou"}', arguments: { city: "Hangzhou" } },
      ],
    },
    finish: "tool-calls",
    usage: { inputTokens: 1200, outputTokens: 90, reasoningTokens: 0, cachedTokens: 900 },
  },
};
const call = { result: { ok: true, text: words }, source: "amap", ran: true, isRepeated: false, elapsedMs: 211 };
const header = { entrance: "http", question: "?", limits: {}, models: {}, asks: [], turns: 0, sources: 0 };

let statements = 0;
for (const method of ["run", "get", "all"]) {
  const original = StatementSync.prototype[method];
  StatementSync.prototype[method] = function (...values) {
    statements += 1;
    return original.apply(this, values);
  };
}

const folder = mkdtempSync(join(tmpdir(), "duet-records-"));
const store = await createSqliteStore(join(folder, "duet.db"));
try {
  const one = await measure(1);
  const ten = await measure(10);
  const shown = ({ ms, perStep }) => `${ms.toFixed(3)} ms, ${perStep.toFixed(2)} statements`;
  console.log(`a step of one run      ${shown(one)}   at most ${mostMs} ms, 1 statement`);
  console.log(`a step of ten at once  ${shown(ten)}`);
  if (one.ms > mostMs || one.perStep > 1) throw new Error("recording a step costs more than its limit");
} finally {
  await store.close();
  rmSync(folder, { recursive: true });
}

/** Returns the best of some rounds: processor time and statements per step. */
async function measure(side) {
  let best = Number.POSITIVE_INFINITY;
  let perStep = 0;
  for (let round = 0; round < rounds; round++) {
    const runs = [];
    for (let index = 0; index < side; index++) {
      const runId = `run-${side}-${round}-${index}`;
      runs.push(await store.journal.begin({ runId, conversationId: runId, owner: undefined, header }));
    }
    statements = 0;
    const began = process.cpuUsage();
    for (let n = 0; n < steps / side; n++)
      await Promise.all(runs.map((run) => run.add({ name: `step:${n}`, spentMs: n, data: n % 2 === 0 ? turn : call })));
    const { user, system } = process.cpuUsage(began);
    best = Math.min(best, (user + system) / 1000 / steps);
    perStep = statements / steps;
  }
  return { ms: best, perStep };
}
