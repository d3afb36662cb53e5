/**
 * A process of its own with a store, a file or a database of PostgreSQL: `node store-process.ts ACTION FILE|URL ...`. It waits for a line on stdin before it
 * begins, and writes each thing it has done as a line, at once.
 */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import type { OperatorStore } from "../../src/core/store/store.ts";
import { newRun } from "./journal-runs.ts";
import { finishedRun, page } from "./runs.ts";

const [action = "", file = "", ...words] = process.argv.slice(2);

function done(value: unknown): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

const actions: Record<string, () => Promise<void>> = {
  /** COUNT turns, their questions NAME-0, NAME-1 ..., one by one. */
  async append() {
    const [conversation = "", name = "", count = "0"] = words;
    const store = await open();
    for (let index = 0; index < Number(count); index++) {
      await store.append(finishedRun(conversation, `${name}-${index}`, "x".repeat(1 + ((index * 997) % 9_000))));
      done(index);
    }
    await store.close();
  },
  /** Numbers pages 0, STEP, 2 STEP ... of 100, round and round, a few at a time. */
  async number() {
    const [conversation = "", step = "1"] = words;
    const store = await open();
    const { sources } = (await store.load(conversation)) ?? (await store.create(conversation));
    for (let index = 0; index < 100; index += 2) {
      const urls = [index, index + 1].map((at) => `https://${(at * Number(step)) % 101}.example`);
      const numbers = await sources.number(urls.map(page));
      done(urls.map((url, at) => [url, numbers[at]]));
    }
    await store.close();
  },
  /** Begins COUNT runs, and waits to be killed. */
  async runs() {
    const { journal } = await open();
    for (let index = 0; index < Number(words[0]); index++) await journal.begin(newRun(`run-${index}`));
    done("begun");
    setInterval(() => {}, 60_000);
  },
  /** Begins a run of anna's, and records steps that have used 10 tokens each until it is killed. */
  async charge() {
    const { journal } = await open();
    const run = await journal.begin(newRun("run-1", "anna"));
    for (let n = 1; ; n++) {
      const usage = { used: { tokens: 10, cost: 0.5 }, reservations: [] };
      await run.add({ name: `turn:decide:${n}`, spentMs: n, data: n, usage });
      done(n);
    }
  },
  /** Takes every interrupted run, and tells which it got. */
  async take() {
    const { journal } = await open();
    for (const { runId } of await journal.listInterrupted()) if (await journal.take(runId)) done(runId);
    done("over");
    // Whoever ends is gone, and its runs would be interrupted again.
    setInterval(() => {}, 60_000);
  },
  /** Opens the store and appends one turn; tells what was set aside. */
  async begin() {
    const [conversation = ""] = words;
    const damaged: string[] = [];
    const { createSqliteStore } = await loadSqlite();
    const store = await createSqliteStore(file, { onDamage: (name) => damaged.push(name) });
    await store.append(finishedRun(conversation, "q", "a"));
    done(damaged);
    await store.close();
  },
};

async function open(): Promise<OperatorStore> {
  if (isPostgres) return (await loadPostgres()).createPostgresStore(file);
  return (await loadSqlite()).createSqliteStore(file);
}

// To load the other kind as well takes longer than all that a process does.
const isPostgres = file.startsWith("postgres:");
const loadPostgres = () => import("../../src/store/postgres/postgres-store.ts");
const loadSqlite = () => import("../../src/store/sqlite/sqlite-store.ts");
// Several are ready at once, and none of them loads anything after that.
await (isPostgres ? loadPostgres() : loadSqlite());
// Node keeps what it has compiled when a process ends, and most of these are killed.
flushCompileCache();

done("ready");
await once(process.stdin, "data");
process.stdin.destroy();
await actions[action]?.();
