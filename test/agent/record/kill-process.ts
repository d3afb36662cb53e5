/**
 * Runs one of the worlds and ends at a statement of the store: `node kill-process.ts WORLD FILE LOG [KEY COUNT before|after]`. Without
 * a point it runs to the end, and tells each statement that it executes as a line.
 */
import { writeSync } from "node:fs";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { createSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { prepareStatements } from "../../../src/store/sqlite/statements.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runOptions, streamRun } from "../../fakes/run.ts";
import { killedWorlds } from "./kill-worlds.ts";

const [name = "", file = "", log = "", key, count, place] = process.argv.slice(2);

const store = await createSqliteStore(file);
const keys = new Map<string, string>();
const table = new DatabaseSync(file);
for (const [one, { sourceSQL }] of Object.entries(prepareStatements(table))) keys.set(sourceSQL, one);
table.close();

const counts = new Map<string, number>();
type Method = (this: StatementSync, ...values: never[]) => unknown;
const methods: Record<string, Method> = {
  run: StatementSync.prototype.run,
  get: StatementSync.prototype.get,
  all: StatementSync.prototype.all,
};
for (const [method, original] of Object.entries(methods)) {
  Reflect.set(StatementSync.prototype, method, function (this: StatementSync, ...values: never[]) {
    const statement = keys.get(this.sourceSQL) ?? "";
    const n = (counts.get(statement) ?? 0) + 1;
    counts.set(statement, n);
    const isPoint = statement === key && n === Number(count);
    if (key === undefined) writeSync(1, `${JSON.stringify([statement, n])}\n`);
    if (isPoint && place === "before") process.exit(9);
    const result = Reflect.apply(original, this, values);
    if (isPoint) process.exit(9);
    return result;
  });
}

const world = killedWorlds[name];
if (world === undefined) throw new Error(`no world ${name}`);
const functionCall = scriptedModel(world.script.decide, "one");
const answer = world.script.answer ? scriptedModel(world.script.answer, "two") : functionCall;
const options = await runOptions({
  ...world.open(log),
  id: "run-1",
  conversationId: "conv-1",
  store,
  models: { functionCall, answer },
  recording: {
    begin: ({ runId, conversationId, ...known }) =>
      store.journal.begin({ runId, conversationId, owner: undefined, header: { ...known, entrance: "library" } }),
  },
});
for await (const event of streamRun(options)) if (event.type === "run-end") break;
await store.close();
