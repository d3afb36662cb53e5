import { describe, expect, test } from "vitest";
import { keepAll } from "../../../src/core/store/retention.ts";
import type { FinishedRun, OperatorStore } from "../../../src/core/store/store.ts";
import type { UsageName } from "../../../src/core/store/usage-history.ts";
import { finishedRun } from "../runs.ts";
import type { OpenTestStore } from "../stores.ts";

const all = { limit: 50, offset: 0 };

const questions = async (store: OperatorStore, branch?: number): Promise<string[] | undefined> =>
  (await store.load("conv-1", branch))?.turns.map(({ question }) => question);

/** A run whose turn follows the turn `after`. */
function following(after: number, question: string): FinishedRun {
  return { ...finishedRun("conv-1", question, `Yes: ${question}`), after };
}

export function testKeptConversations(name: string, open: OpenTestStore): void {
  describe(`turns with a parent in a store ${name}`, () => {
    test("two turns behind the same one stand on two branches, whoever is first, and each goes on by itself", async () => {
      const store = await open();
      for (const [after, question] of [
        [0, "One?"],
        [1, "Two?"],
      ] as const)
        await store.append(following(after, question));
      // Nothing was edited so far: one line of turns, as ever.
      expect((await store.branches.read("conv-1"))?.branches).toEqual([{ branch: 1, tip: 2 }]);
      const both = [following(2, "Three?"), following(2, "Three, edited?")];
      await Promise.all(both.map((run) => store.append(run)));
      const lines = [await questions(store, 1), await questions(store)];
      expect(lines.map((line) => line?.slice(0, 2))).toEqual(Array(2).fill(["One?", "Two?"]));
      expect(lines.map((line) => line?.slice(2).join()).sort()).toEqual(["Three, edited?", "Three?"]);
      await store.append(following(3, "Four?"));
      await store.append(following(0, "One, edited?"));
      const tree = await store.branches.read("conv-1");
      expect(tree?.turns.map(({ n, parent }) => [n, parent])).toEqual([
        [1, 0],
        [2, 1],
        [3, 2],
        [4, 2],
        [5, 3],
        [6, 0],
      ]);
      expect(tree).toMatchObject({ current: 3, branches: [{ tip: 5 }, { tip: 4 }, { tip: 6 }] });
      expect(await questions(store)).toEqual(["One, edited?"]);
      // A turn that is not there has no next one: it is as if none had been named.
      await store.append(following(99, "Elsewhere?"));
      expect(await questions(store)).toEqual(["One, edited?", "Elsewhere?"]);
    });

    test("a conversation is read up to any of its turns, and a person chooses the branch that is current", async () => {
      const store = await open();
      for (const [after, question] of [
        [0, "One?"],
        [1, "Two?"],
        [1, "Two, edited?"],
      ] as const)
        await store.append(following(after, question));
      const at = async (after: number) =>
        (await store.load("conv-1", undefined, after))?.turns.map((turn) => turn.question);
      expect([await at(0), await at(1), await at(2)]).toEqual([[], ["One?"], ["One?", "Two?"]]);
      await store.summarise("conv-1", { text: "Of one.", turns: 1, isWanted: true }, undefined, 2);
      expect((await store.load("conv-1", 1))?.summary?.text).toBe("Of one.");
      expect((await store.load("conv-1", 2))?.summary).toBeUndefined();
      expect([await store.branches.select("conv-1", 1), await questions(store)]).toEqual([true, ["One?", "Two?"]]);
      expect(await store.list(all)).toMatchObject([{ turns: 2 }]);
      expect([
        await store.branches.select("conv-1", 7),
        await store.branches.select("conv-none", 1),
        await store.of("anna").branches.select("conv-1", 2),
      ]).toEqual([false, false, false]);
      expect(await questions(store)).toEqual(["One?", "Two?"]);
    });
  });

  describe(`the list of a store ${name}`, () => {
    test("finds words in titles, questions and answers, also two Chinese ones and capital letters, with their place", async () => {
      const store = await open();
      await store.append(finishedRun("conv-1", "Wie wird das Wetter?", "ÜBER 20 Grad, 100% sicher."));
      await store.append(finishedRun("conv-2", "今天北京天气怎么样", "晴，气温 20 度。\nSee C:\\temp_files."));
      await store.append(finishedRun("conv-2", "And the train?", "It leaves at nine."));
      await store.of("anna").append(finishedRun("conv-3", "今天北京天气怎么样", "晴"));
      const find = async (search: string) =>
        (await store.list({ ...all, search })).map(({ id, match }) => ({ id, match }));
      expect(await find("天气")).toEqual([
        { id: "conv-2", match: { field: "title", excerpt: "今天北京天气怎么样", start: 4, end: 6 } },
      ]);
      expect(await find("über")).toMatchObject([
        { id: "conv-1", match: { field: "answer", turn: 1, start: 0, end: 4 } },
      ]);
      expect(await find("TRAIN nine")).toMatchObject([{ id: "conv-2", match: { field: "question", turn: 2 } }]);
      expect(await find("temp_files")).toMatchObject([{ match: { excerpt: "晴，气温 20 度。 See C:\\temp_files." } }]);
      // These are letters like all others.
      expect([await find("100_"), await find("c:%temp"), await find("  "), await find("weather")]).toEqual([
        [],
        [],
        [],
        [],
      ]);
      expect((await find("20")).map(({ id }) => id)).toEqual(["conv-2", "conv-1"]);
      expect(await store.list({ limit: 1, offset: 1, search: "20" })).toMatchObject([{ id: "conv-1" }]);
    });

    test("an excerpt cuts no character in two, and a word far inside of a long answer is shown with its neighbours", async () => {
      const store = await open();
      await store.append(finishedRun("conv-1", "Long?", `${"😀".repeat(500)} needle ${"😀".repeat(500)}`));
      const [{ match } = {}] = await store.list({ ...all, search: "NEEDLE" });
      const { excerpt = "", start, end } = match ?? {};
      expect(excerpt.slice(start, end)).toBe("needle");
      expect([excerpt.isWellFormed(), excerpt.length < 140, /^….*…$/u.test(excerpt)]).toEqual([true, true, true]);
    });

    test("says how each was asked last, and takes only the pinned ones, the others, or one of them", async () => {
      const store = await open();
      for (const id of ["conv-1", "conv-2"]) await store.append(finishedRun(id, "One?", "Yes."));
      await store.change("conv-1", { isPinned: true });
      const lastRun = { mode: "agent", functionCall: "fake/scripted", answer: "fake/scripted" };
      const list = async (page: object) => (await store.list({ ...all, ...page })).map(({ id }) => id);
      expect(await store.list(all)).toMatchObject([{ lastRun }, { lastRun }]);
      expect([await list({ isPinned: true }), await list({ isPinned: false }), await list({ id: "conv-1" })]).toEqual([
        ["conv-1"],
        ["conv-2"],
        ["conv-1"],
      ]);
    });

    test("a title of a model is the title until a person names the conversation, and never after that", async () => {
      const store = await open();
      await store.append(finishedRun("conv-1", "One?", "Yes."));
      expect(await store.change("conv-1", { title: "About one" })).toBe(true);
      expect(await store.list(all)).toMatchObject([{ title: "About one", isNamed: false }]);
      await store.change("conv-1", { name: "Mine" });
      await store.change("conv-1", { title: "Too late" });
      expect(await store.list(all)).toMatchObject([{ title: "Mine", isNamed: true }]);
      expect(await store.of("anna").change("conv-1", { title: "Hers" })).toBe(false);
    });
  });

  describe(`what people do with answers in a store ${name}`, () => {
    test("what is thought of an answer stands in its trace until it is taken back, and only its owner says it", async () => {
      const store = await open();
      const run = finishedRun("conv-1", "One?", "Yes.");
      await store.append(run);
      const feedback = { rating: "down", comment: "Not mine.", at: "2026-11-26T00:00:00.000Z" } as const;
      expect([await store.of("anna").rate(run.runId, feedback), await store.rate("run-none", feedback)]).toEqual([
        false,
        false,
      ]);
      expect((await store.trace(run.runId))?.feedback).toBeUndefined();
      expect(await store.rate(run.runId, feedback)).toBe(true);
      expect((await store.trace(run.runId))?.feedback).toEqual(feedback);
      await store.rate(run.runId, undefined);
      expect((await store.trace(run.runId))?.feedback).toBeUndefined();
    });

    test("a discarded conversation is seen by nobody, comes back whole, and is gone with its files when its time is over", async () => {
      let now = 1_000_000;
      const store = await open({ now: () => now, retention: keepAll });
      const anna = store.of("anna");
      const file = { hash: "h1", mediaType: "text/plain", name: "a.txt", size: 3 };
      const run = finishedRun("conv-1", "One?", "Yes.");
      const turn = { question: "One?", answer: "Yes.", files: [{ type: "file" as const, file, text: "abc" }] };
      await anna.append({ ...run, turn, files: [{ hash: "h1", bytes: Buffer.from("abc") }] });
      const bytes = async () => {
        const found = await anna.readFile({ conversationId: "conv-1", hash: "h1" });
        return found && Buffer.from(found).toString();
      };
      const find = (by: typeof store | typeof anna) => by.findFile({ conversationId: "conv-1", hash: "h1" });
      expect([await find(anna), await find(store)]).toEqual([turn.files[0], undefined]);
      expect(await anna.findFile({ conversationId: "conv-1", hash: "h" })).toBeUndefined();
      expect([await store.discard("conv-1", 10), await anna.discard("conv-none", 10)]).toEqual([undefined, undefined]);
      expect(await anna.discard("conv-1", 60_000)).toBe(1_060_000);
      expect(
        await Promise.all([anna.load("conv-1"), anna.list(all), anna.trace(run.runId), anna.latest(), bytes()]),
      ).toEqual([undefined, [], undefined, undefined, undefined]);
      expect([await anna.runs({ newest: 9 }), await anna.remove("conv-1"), await anna.discard("conv-1", 1)]).toEqual([
        [],
        false,
        undefined,
      ]);
      // Its ID is not free, and the end of a run of it that was too slow brings nothing back.
      expect((await store.create("conv-1")).id).not.toBe("conv-1");
      await expect(anna.append(finishedRun("conv-1", "Late?", "Yes."))).rejects.toThrow();
      expect([await store.restore("conv-1"), await anna.restore("conv-1")]).toEqual([false, true]);
      expect([(await anna.load("conv-1"))?.turns.length, (await anna.trace(run.runId))?.run_id, await bytes()]).toEqual(
        [1, run.runId, "abc"],
      );
      await anna.discard("conv-1", 60_000);
      await store.retention.prune();
      now += 59_999;
      await store.retention.prune();
      expect(await anna.restore("conv-1")).toBe(true);
      await anna.discard("conv-1", 60_000);
      now += 60_001;
      expect(await anna.restore("conv-1")).toBe(false);
      await store.retention.prune();
      expect((await store.create("conv-1")).id).toBe("conv-1");
    });
  });

  describe(`what the operator sees of usage in a store ${name}`, () => {
    test("is summed up by day, caller and model, and forgotten after 90 days", async () => {
      let now = Date.parse("2026-11-26T12:00:00Z");
      const store = await open({ now: () => now, retention: keepAll });
      const entry = {
        day: "2026-11-26",
        model: "fake/a",
        owner: undefined,
        runs: 1,
        tokens: 10,
        cost: 0.5,
        unpriced: 0,
      };
      const hers = { ...entry, owner: "anna", cost: 0, unpriced: 1 };
      await store.usageHistory.add([entry, hers]);
      await store.usageHistory.add([entry, { ...entry, model: "fake/b", day: "2026-11-27" }]);
      const list = (since: string, page = {}) => store.usageHistory.list(since, { limit: 9, offset: 0, ...page });
      const days = [{ ...entry, model: "fake/b", day: "2026-11-27" }, hers, { ...entry, runs: 2, tokens: 20, cost: 1 }];
      expect(await list("2026-11-26")).toEqual(days);
      expect(await list("2026-11-26", { limit: 1, offset: 1 })).toEqual([days[1]]);
      expect(await list("2026-11-27")).toHaveLength(1);
      now += 91 * 24 * 3_600_000;
      await store.usageHistory.add([{ ...entry, day: "2027-02-25" }]);
      await store.append(finishedRun("conv-1", "One?", "Yes."));
      await store.retention.settled();
      expect((await list("2026-01-01")).map(({ day }) => day)).toEqual(["2027-02-25", "2026-11-27"]);
    });

    test("what was used is summed up by day for those who used the most, and all others are one", async () => {
      const store = await open();
      const entry = { day: "2026-11-26", runs: 1, tokens: 10, unpriced: 0 };
      await store.usageHistory.add([
        { ...entry, owner: undefined, model: "fake/cheap", cost: 1 },
        { ...entry, owner: "anna", model: "fake/cheap", cost: 1, day: "2026-11-25" },
        { ...entry, owner: "anna", model: "fake/dear", cost: 4 },
        { ...entry, owner: "ben", model: "fake/free", cost: 0, tokens: 900, unpriced: 1 },
        { ...entry, owner: "cleo", model: "fake/local", cost: 0, tokens: 7, unpriced: 1 },
        { ...entry, owner: "cleo", model: "fake/old", cost: 99, day: "2026-11-01" },
      ]);
      const total = async (by: UsageName, most: number) =>
        (await store.usageHistory.total("2026-11-20", by, most)).map(({ name, isRest, day, tokens, cost, isPriced }) =>
          [isRest ? "all others" : (name ?? "the operator"), day.slice(8), tokens, cost, isPriced].join(" "),
        );
      expect(await total("model", 2)).toEqual([
        "fake/dear 26 10 4 true",
        "fake/cheap 25 10 1 true",
        "fake/cheap 26 10 1 true",
        "all others 26 907 0 false",
      ]);
      expect(await total("owner", 3)).toEqual([
        "anna 25 10 1 true",
        "anna 26 10 4 true",
        "the operator 26 10 1 true",
        "ben 26 900 0 false",
        "all others 26 7 0 false",
      ]);
    });
  });
}
