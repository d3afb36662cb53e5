// Store: what one question costs in the store of each kind, with its steps, events, sources and usage: processor time of this process, and
// in PostgreSQL (from node_modules, or DUET_TEST_POSTGRES) the statements, the time and the bytes of its log.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { createPostgresStore } from "../src/store/postgres/postgres-store.ts";
import { createSqliteStore } from "../src/store/sqlite/sqlite-store.ts";
import { startPostgres } from "../test/fakes/postgres.ts";

const questions = 100;
const rounds = 4;

const words = "The forecast for Hangzhou is cloudy with some rain in the evening. ".repeat(20);
const header = { entrance: "http", question: "?", limits: {}, models: {}, asks: [], turns: 0, sources: 0 };
const bill = {
  provider: "a",
  model: "b",
  calls: 1,
  input_tokens: 1,
  output_tokens: 1,
  reasoning_tokens: 0,
  cached_tokens: 0,
};
const pieces = Array.from({ length: 10 }, () => ({ type: "thought-delta", text: "rain" }));
let asked = 0;

/** Does what a run with four steps and two flushes of events does. */
async function ask(store, conversationId) {
  const runId = `run-${++asked}`;
  const conversation = (await store.load(conversationId)) ?? (await store.create(conversationId));
  const run = await store.journal.begin({ runId, conversationId, owner: undefined, header });
  await store.dailyUsage.reserve({ id: runId, spend: { tokens: 10, cost: 0 }, limits: { tokens: 1e12 }, lastsMs: 1e5 });
  for (let step = 0; step < 4; step++) {
    await run.add({ name: `step:${step}`, spentMs: 1, data: { words } });
    if (step % 2 === 1) await run.addEvents(step * 10, pieces);
  }
  await conversation.sources.number([{ url: `https://${asked % 7}.example`, title: "t", snippet: "s" }]);
  await store.dailyUsage.settle(runId, { tokens: 10, cost: 0 });
  const trace = {
    run_id: runId,
    conversation_id: conversationId,
    question: "How is it?",
    mode: "agent",
    status: "complete",
  };
  const rest = { started_at: new Date().toISOString(), steps: [{ step: 1, observation: words }], final_answer: words };
  const models = { function_call: bill, answer: bill };
  const turn = { question: "How is it?", answer: words };
  await store.append({ conversationId, runId, turn, trace: { ...trace, ...rest, models }, marker: "ab12" });
  await store.list({ limit: 20, offset: 0 });
}

/** Returns the best of some rounds, in milliseconds for each question: processor time and time. */
async function measure(store, side) {
  let best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round++) {
    const [cpu, began] = [process.cpuUsage(), performance.now()];
    for (let n = 0; n < questions; n += side)
      await Promise.all(Array.from({ length: side }, (_, index) => ask(store, `conv-${(n + index) % 50}`)));
    const { user, system } = process.cpuUsage(cpu);
    const now = [(user + system) / 1000 / questions, (performance.now() - began) / questions];
    best = best.map((known, index) => Math.min(known, now[index]));
  }
  return best.map((ms) => ms.toFixed(2)).join(" / ");
}

const folder = mkdtempSync(join(tmpdir(), "duet-store-"));
const sqlite = await createSqliteStore(join(folder, "duet.db"));
console.log("ms of processor / ms for each question      one at a time     ten at once");
console.log(
  `SQLite                                        ${await measure(sqlite, 1)}     ${await measure(sqlite, 10)}`,
);
await sqlite.close();
rmSync(folder, { recursive: true });

const server = await startPostgres();
try {
  const url = await server.createDatabase();
  let statements = 0;
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (...values) {
    statements += 1;
    return query.apply(this, values);
  };
  const store = await createPostgresStore(url);
  console.log(
    `PostgreSQL                                    ${await measure(store, 1)}     ${await measure(store, 10)}`,
  );
  const look = new pg.Client({ connectionString: url });
  await look.connect();
  const { rows: before } = await look.query("SELECT pg_current_wal_lsn() AS at");
  statements = 0;
  for (let n = 0; n < questions; n++) await ask(store, `conv-${n % 50}`);
  const counted = statements / questions;
  const { rows } = await look.query("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), $1) AS bytes", [before[0].at]);
  console.log(
    `${counted.toFixed(1)} statements and ${(Number(rows[0].bytes) / questions / 1000).toFixed(1)} kB of log for each question`,
  );
  await look.end();
  await store.close();
} finally {
  await server.stop();
}
