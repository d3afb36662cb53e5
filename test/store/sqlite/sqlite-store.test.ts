import { statSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { ConversationStore } from "../../../src/core/store/store.ts";
import { prepareStatements } from "../../../src/store/sqlite/prepare-statements.ts";
import { edit } from "../damage.ts";
import { finishedRun, page } from "../runs.ts";
import { openStore, storeFile } from "../stores.ts";

describe("a conversation on disk", () => {
  test("is there after the store was closed and opened again, with its turns in order, its summary and its sources", async () => {
    const file = await storeFile();
    const first = await openStore(file);
    const { id, sources } = await first.create();
    await sources.number([page("https://a.example"), page("https://b.example")]);
    await first.append(finishedRun(id, "One?", "First [1]."));
    await first.append(finishedRun(id, "Two?", "Second [2]."));
    await first.summarise(id, { text: "It began.", turns: 1 });
    await first.close();

    const again = await (await openStore(file)).load(id);
    expect(again).toMatchObject({
      id,
      turns: [
        { question: "One?", answer: "First [1]." },
        { question: "Two?", answer: "Second [2]." },
      ],
      summary: { text: "It began.", turns: 1 },
    });
    expect(again?.sources.get(2)).toEqual(page("https://b.example"));
    expect(again?.sources.all().map(({ n, source }) => [n, source.url])).toEqual([
      [1, "https://a.example"],
      [2, "https://b.example"],
    ]);
  });

  test("keeps any text: both languages, emoji, control characters, NUL, a megabyte", async () => {
    const store = await openStore(await storeFile());
    const question = `你好 👩‍🚀 \u0000\u001b]52;c;x\u0007 "quoted" '; DROP TABLE turns; --\r\n${"x".repeat(1_000_000)}`;
    await store.append(finishedRun("conv-'\u0000\"", question, question));
    expect((await store.load("conv-'\u0000\""))?.turns).toEqual([{ question, answer: question }]);
  });

  test("keeps a plan that waits to be confirmed until the next run has ended", async () => {
    const file = await storeFile();
    const store = await openStore(file);
    await store.append({ ...finishedRun("a", "Plan it", "1. Do it"), pendingPlan: "the plan" });
    await store.append(finishedRun("b", "q", "a"));
    const other = await openStore(file);
    expect((await other.load("a"))?.pendingPlan).toBe("the plan");
    expect((await other.load("b"))?.pendingPlan).toBeUndefined();
    await store.append(finishedRun("a", "n"));
    expect((await other.load("a"))?.pendingPlan).toBeUndefined();
  });

  test("finds its runs, the oldest first, and a run by the beginning of its id, in which no character is special", async () => {
    const store = await openStore(await storeFile());
    const [one, two, other] = [finishedRun("a", "one", "1"), finishedRun("a", "two"), finishedRun("b", "three", "3")];
    for (const run of [one, two, other]) await store.append(run);
    const ids = async (which: Parameters<typeof store.runs>[0]) => (await store.runs(which)).map(({ id }) => id);
    expect(await ids({ conversationId: "a" })).toEqual([one.runId, two.runId]);
    expect(await ids({ beginning: two.runId.slice(0, 20) })).toEqual([two.runId]);
    expect(await ids({ beginning: "run-" })).toEqual([one.runId, two.runId, other.runId].sort());
    for (const beginning of ["run_", "%", "unheard-of"]) expect(await ids({ beginning })).toEqual([]);
  });

  test("shows nothing of another one", async () => {
    const store = await openStore(await storeFile());
    const a = await store.create("a");
    const b = await store.create("b");
    expect(await a.sources.number([page("https://a.example"), page("https://both.example")])).toEqual([1, 2]);
    expect(await b.sources.number([page("https://both.example")])).toEqual([1]);
    await store.append(finishedRun("a", "secret of A", "answer of A"));
    await store.append(finishedRun("b", "question of B", "answer of B"));
    await store.summarise("a", { text: "summary of A", turns: 1 });
    const loaded = await store.load("b");
    expect(JSON.stringify([loaded, loaded?.sources.all()])).not.toMatch(/ of A|a\.example/);
  });

  test("is only there for others from its first source or turn on", async () => {
    const file = await storeFile();
    const store = await openStore(file);
    const other = await openStore(file);
    const empty = await store.create();
    expect(await other.load(empty.id)).toBeUndefined();
    await empty.sources.number([page("https://a.example")]);
    expect((await other.load(empty.id))?.sources.size).toBe(1);
    expect(await other.load("never")).toBeUndefined();
  });

  test("lies in files that only their owner can read", async () => {
    const file = await storeFile();
    await (await openStore(file)).append(finishedRun("a", "q", "a"));
    const modes = (await readdir(dirname(file))).map((name) => statSync(`${dirname(file)}/${name}`).mode & 0o777);
    expect(modes.length).toBeGreaterThanOrEqual(3);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  });
});

describe("sources", () => {
  test("a page keeps its number, within one call, through the run, and after a restart", async () => {
    const file = await storeFile();
    const first = await openStore(file);
    const { sources } = await first.create("a");
    const [one, two, three] = ["https://1.example", "https://2.example", "https://3.example"].map(page);
    if (!one || !two || !three) throw new Error("three pages");
    expect(await sources.number([one, two, one])).toEqual([1, 2, 1]);
    expect(await sources.number([two, three])).toEqual([2, 3]);
    await first.close();
    const again = await (await openStore(file)).load("a");
    expect(await again?.sources.number([page("https://4.example"), three])).toEqual([4, 3]);
  });

  test("calls side by side never share a number", async () => {
    const { sources } = await (await openStore(await storeFile())).create();
    const numbers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => sources.number([page(`https://${index}.example`)])),
    );
    expect(numbers.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  test("a page that another run of the conversation has numbered meanwhile gets that number", async () => {
    const store = await openStore(await storeFile());
    const [one, other] = [await store.create("a"), await store.create("a")];
    expect(await one.sources.number([page("https://1.example")])).toEqual([1]);
    expect(await other.sources.number([page("https://2.example"), page("https://1.example")])).toEqual([2, 1]);
    expect(one.sources.get(2)).toBeUndefined();
    expect(other.sources.get(1)).toEqual(page("https://1.example"));
  });
});

describe("runs", () => {
  test("a run that failed leaves its trace and its question, but no turn", async () => {
    const store = await openStore(await storeFile());
    const run = finishedRun("a", "Will it work?");
    await store.append(run);
    expect((await store.load("a"))?.turns).toEqual([]);
    expect(await store.trace(run.runId)).toEqual(run.trace);
    expect(await store.list({ limit: 1, offset: 0 })).toMatchObject([{ id: "a", title: "Will it work?", turns: 0 }]);
  });

  test("a run is kept once, however often it is appended", async () => {
    const store = await openStore(await storeFile());
    const run = finishedRun("a", "q", "a");
    await store.append(run);
    await store.append(run);
    expect((await store.load("a"))?.turns).toHaveLength(1);
  });

  test("the last trace is that of the run appended last", async () => {
    const store = await openStore(await storeFile());
    expect(await store.trace()).toBeUndefined();
    const runs = [finishedRun("a", "1", "1"), finishedRun("b", "2", "2"), finishedRun("a", "3")];
    for (const run of runs) await store.append(run);
    expect(await store.trace()).toEqual(runs[2]?.trace);
    expect(await store.trace("run-unknown")).toBeUndefined();
  });
});

describe("a summary", () => {
  async function summarised(...turns: number[]): Promise<number | undefined> {
    const store = await openStore(await storeFile());
    for (const question of ["1", "2", "3"]) await store.append(finishedRun("a", question, question));
    for (const count of turns) await store.summarise("a", { text: `of ${count}`, turns: count });
    return (await store.load("a"))?.summary?.turns;
  }

  test("gives way to one of more turns, never to one of fewer", async () => {
    expect(await summarised(1, 3, 2)).toBe(3);
  });

  test("of more turns than there are is not kept", async () => {
    expect(await summarised(4)).toBeUndefined();
  });

  test("of no conversation is not kept", async () => {
    const store = await openStore(await storeFile());
    await store.summarise("nobody", { text: "x", turns: 1 });
    expect(await store.load("nobody")).toBeUndefined();
  });
});

describe("the list", () => {
  test("has the last asked first, also when the clock jumps back, and tells the latest", async () => {
    const file = await storeFile();
    const store = await openStore(file);
    expect(await store.latest()).toBeUndefined();
    for (const id of ["a", "b", "c"]) await store.append(finishedRun(id, `first of ${id}`, "x"));
    edit(file, "UPDATE conversations SET updated_at = '2099-01-01T00:00:00.000Z'");
    await store.append(finishedRun("a", "second of a", "x"));
    expect(await idsOf(store, 10, 0)).toEqual(["a", "c", "b"]);
    expect(await store.latest()).toBe("a");
    const [entry] = await store.list({ limit: 1, offset: 0 });
    expect(entry).toMatchObject({ title: "first of a", turns: 2 });
    expect(entry && Date.parse(entry.updatedAt)).toBeLessThan(Date.parse("2099-01-01"));
  });

  test("comes in pages", async () => {
    const store = await openStore(await storeFile());
    for (const id of ["a", "b", "c", "d", "e"]) await store.append(finishedRun(id, id, id));
    expect(await idsOf(store, 2, 0)).toEqual(["e", "d"]);
    expect(await idsOf(store, 2, 4)).toEqual(["a"]);
    expect(await idsOf(store, 2, 5)).toEqual([]);
  });

  test("of 10,000 conversations comes in pages too", async () => {
    const file = await storeFile();
    const store = await openStore(file);
    edit(
      file,
      `INSERT INTO conversations (id, title, turns, asked, created_at, updated_at)
       WITH RECURSIVE all_of(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM all_of WHERE i < 9999)
       SELECT 'conv-' || i, 'question ' || i, 1, i, '2026-11-21', '2026-11-21' FROM all_of`,
    );
    expect(await idsOf(store, 3, 0)).toEqual(["conv-9999", "conv-9998", "conv-9997"]);
    expect(await idsOf(store, 2, 9_998)).toEqual(["conv-1", "conv-0"]);
    expect(await store.latest()).toBe("conv-9999");
  });
});

test("nothing that the store asks walks through a table without its index, or sorts one", async () => {
  const file = await storeFile();
  await openStore(file);
  const database = new DatabaseSync(file);
  // Sums of the operator's view group and sort what an index has found for its days.
  const sums = ["modelTotals", "callerTotals"];
  for (const [name, { prepared }] of Object.entries(prepareStatements(database))) {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${prepared.sourceSQL}`).all();
    const forbidden = sums.includes(name) ? /SCAN model_usage/ : /SCAN \w+$|TEMP B-TREE/;
    for (const { detail } of plan) expect(detail, name).not.toMatch(forbidden);
  }
  database.close();
});

describe("removing a conversation", () => {
  test("takes its turns, sources, summary and traces with it, and leaves the others", async () => {
    const file = await storeFile();
    const store = await openStore(file);
    for (const id of ["gone", "kept"]) {
      const { sources } = await store.create(id);
      await sources.number([page(`https://${id}.example`)]);
      await store.append(finishedRun(id, `secret-${id}`, `answer-${id}`));
      await store.summarise(id, { text: `summary-${id}`, turns: 1 });
    }
    expect(await store.remove("gone")).toBe(true);
    expect(await store.remove("gone")).toBe(false);
    expect(await store.load("gone")).toBeUndefined();
    expect((await store.load("kept"))?.turns).toHaveLength(1);
    const all = ["conversations", "turns", "summaries", "sources", "traces"].map((table) =>
      inspect(file, `SELECT * FROM ${table}`),
    );
    expect(JSON.stringify(all)).not.toContain("gone");
    expect(all.map((rows) => rows.length)).toEqual([1, 1, 1, 1, 1]);
  });

  test("leaves none of its words in the file", async () => {
    const file = await storeFile();
    const store = await openStore(file);
    await store.append(finishedRun("a", "the secret word is abracadabra", "abracadabra".repeat(2_000)));
    await store.append(finishedRun("b", "other", "other"));
    await store.remove("a");
    await store.close();
    expect((await readFile(file)).includes("abracadabra")).toBe(false);
  });
});

async function idsOf(store: ConversationStore, limit: number, offset: number): Promise<string[]> {
  return (await store.list({ limit, offset })).map(({ id }) => id);
}

function inspect(file: string, sql: string): unknown[] {
  const database = new DatabaseSync(file);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

test("a short trace is stored as it is and a long one packed, and each is read back", async () => {
  const file = await storeFile();
  const store = await openStore(file);
  const short = finishedRun("conv-1", "One?", "Yes.");
  const long = finishedRun("conv-1", "Two?", "Yes.");
  const runs = [short, { ...long, trace: { ...long.trace, final_answer: "same again, ".repeat(2_000) } }];
  for (const run of runs) {
    await store.append(run);
    expect(await store.trace(run.runId)).toEqual(run.trace);
  }
  const database = new DatabaseSync(file);
  const rows = database.prepare("SELECT trace, octet_length(packed) AS bytes FROM traces ORDER BY n").all();
  database.close();
  expect(rows).toMatchObject([
    { trace: JSON.stringify(short.trace), bytes: null },
    { trace: expect.toSatisfy((entry) => entry.length < 500), bytes: expect.toSatisfy((bytes) => bytes < 2_000) },
  ]);
});
