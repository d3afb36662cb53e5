/**
 * Runs one of the worlds and ends at a statement of the store: `node kill-process.ts FOLDER WORLD KEY COUNT before|after`. Without a
 * world it runs all of them to the end, and tells each statement that it executes as a line.
 */
import { mkdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { prepareStatements } from "../../../src/store/sqlite/prepare-statements.ts";
import { createSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runOptions, streamRun } from "../../fakes/run.ts";
import { type KilledWorld, killedWorlds, limitByDay } from "./kill-worlds.ts";

const [folder = "", name, key, count, place] = process.argv.slice(2);

const keys = new Map<string, string>();
let going = "";
let isRunning = false;
const counts = new Map<string, number>();
type Method = (this: StatementSync, ...values: never[]) => unknown;
const methods: Record<string, Method> = {
  run: StatementSync.prototype.run,
  get: StatementSync.prototype.get,
  all: StatementSync.prototype.all,
};
for (const [method, original] of Object.entries(methods)) {
  Reflect.set(StatementSync.prototype, method, function (this: StatementSync, ...values: never[]) {
    if (!isRunning) return Reflect.apply(original, this, values);
    const statement = keys.get(this.sourceSQL) ?? "";
    const n = (counts.get(statement) ?? 0) + 1;
    counts.set(statement, n);
    const isPoint = statement === key && n === Number(count);
    if (key === undefined) writeSync(1, `${JSON.stringify([going, statement, n])}\n`);
    if (isPoint && place === "before") process.exit(9);
    const result = Reflect.apply(original, this, values);
    if (isPoint) process.exit(9);
    return result;
  });
}

async function runWorld({ script, open }: KilledWorld, file: string, log: string): Promise<void> {
  const store = await createSqliteStore(file);
  const table = new DatabaseSync(file);
  for (const [one, { prepared }] of Object.entries(prepareStatements(table))) keys.set(prepared.sourceSQL, one);
  table.close();
  // Opening a store counts for nothing.
  counts.clear();
  isRunning = true;
  const functionCall = scriptedModel(script.decide, "one");
  const answer = script.answer ? scriptedModel(script.answer, "two") : functionCall;
  const options = await runOptions({
    ...open(log),
    id: "run-1",
    conversationId: "conv-1",
    store,
    models: limitByDay({ functionCall, answer }, store),
    recording: {
      begin: ({ runId, conversationId, ...known }) =>
        store.journal.begin({ runId, conversationId, owner: undefined, header: { ...known, entrance: "library" } }),
    },
  });
  for await (const event of streamRun(options)) if (event.type === "run-end") break;
  await store.close();
  isRunning = false;
}

const chosen = Object.entries(killedWorlds).filter(([each]) => name === undefined || each === name);
if (chosen.length === 0) throw new Error(`no world ${name}`);
for (const [each, world] of chosen) {
  going = each;
  const own = name === undefined ? join(folder, each) : folder;
  mkdirSync(own, { recursive: true });
  await runWorld(world, join(own, "duet.db"), join(own, "log"));
}
