import { describe, expect, test } from "vitest";
import { listBranchTurns } from "../../../src/core/store/conversations/branches.ts";
import type { SharedStore } from "../../../src/core/store/store.ts";
import { finishedRun, page } from "../runs.ts";
import type { OpenTestStore } from "../stores.ts";

const asked = async (store: SharedStore, branch?: number): Promise<string[] | undefined> =>
  (await store.load("conv-1", branch))?.turns.map(({ question }) => question);

export function testBranches(name: string, open: OpenTestStore): void {
  describe(`the branches of a store ${name}`, () => {
    /** A conversation of three turns, in a folder. */
    async function begin() {
      const store = await open();
      const said = ["One?", "Two?", "Three?"].map((question) => finishedRun("conv-1", question, "Yes."));
      for (const run of said) await store.append({ ...run, folder: "/a", branch: 1 });
      return { store, runs: said.map(({ runId }) => runId) };
    }

    test("two who share a conversation go their own ways after one has gone back, and neither loses a turn", async () => {
      const { store, runs } = await begin();
      const branch = await store.branches.begin("conv-1", 1);
      expect([branch, await asked(store), await asked(store, 1)]).toEqual([2, ["One?"], ["One?", "Two?", "Three?"]]);
      // The other one has not noticed; two that share a branch still follow each other.
      await store.append({ ...finishedRun("conv-1", "Four, elsewhere?", "Yes."), branch: 1 });
      await store.append({ ...finishedRun("conv-1", "Instead?", "Yes."), branch: 2 });
      await store.append({ ...finishedRun("conv-1", "And then?", "Yes."), branch: 2 });
      expect(await asked(store, 1)).toEqual(["One?", "Two?", "Three?", "Four, elsewhere?"]);
      expect(await asked(store)).toEqual(["One?", "Instead?", "And then?"]);
      expect(await asked(store, 99)).toEqual(await asked(store));
      const tree = await store.branches.read("conv-1");
      expect(tree?.turns.map(({ n, parent }) => [n, parent])).toEqual([
        [1, 0],
        [2, 1],
        [3, 2],
        [4, 3],
        [5, 1],
        [6, 5],
      ]);
      expect(tree && listBranchTurns(tree, 1).map(({ runId }) => runId)).toEqual([...runs, tree?.turns[3]?.runId]);
      expect(await store.list({ limit: 9, offset: 0 })).toMatchObject([{ turns: 3, folder: "/a" }]);
      expect([await store.branches.begin("conv-1", 7), await store.of("anna").branches.begin("conv-1", 1)]).toEqual([
        undefined,
        undefined,
      ]);
      expect(await store.of("anna").branches.read("conv-1")).toBeUndefined();
    });

    test("a branch has the summary that there was before its question, and a plan waits on its own branch alone", async () => {
      const { store } = await begin();
      const summarise = (text: string, turns: number, isWanted = false, branch?: number) =>
        store.summarise("conv-1", { text, turns, isWanted }, branch);
      await summarise("Of one, wanted", 1, true);
      await store.append({ ...finishedRun("conv-1", "Four?", "Yes."), branch: 1, pendingPlan: "the plan" });
      await summarise("Of three, for the fifth", 3);
      await store.append({ ...finishedRun("conv-1", "Five?", "Yes."), branch: 1, pendingPlan: "the plan" });
      const back = await store.branches.begin("conv-1", 4);
      expect(await store.load("conv-1")).toMatchObject({ branch: back, summary: { text: "Of one, wanted", turns: 1 } });
      expect((await store.load("conv-1"))?.pendingPlan).toBeUndefined();
      expect(await store.load("conv-1", 1)).toMatchObject({ summary: { text: /three/ }, pendingPlan: "the plan" });
      await store.branches.begin("conv-1", 0);
      expect(await store.load("conv-1")).toMatchObject({ turns: [], summary: undefined });
      // It would stand for turns that this branch has not.
      await summarise("Of two", 2, true, 3);
      expect((await store.load("conv-1", 3))?.summary).toBeUndefined();
    });

    test("a fork is a conversation of its own, with the turns, sources and results of its branch", async () => {
      const { store } = await begin();
      await (await store.load("conv-1"))?.sources.number([page("https://a.example/")]);
      const run = finishedRun("conv-1", "Four?", "Yes [1].");
      await store.append({ ...run, branch: 1, marker: "abcd1234", results: [{ n: 1, text: "whole" }] });
      await store.summarise("conv-1", { text: "It began.", turns: 2, isWanted: true });
      await store.branches.begin("conv-1", 1);
      const id = (await store.branches.fork("conv-1", { branch: 1, folder: "/b" })) ?? "";
      await store.append(finishedRun("conv-1", "Elsewhere?", "Yes."));
      expect(await store.remove("conv-1")).toBe(true);
      const fork = await store.load(id);
      expect(fork).toMatchObject({ title: "One?", marker: "abcd1234", summary: { text: "It began.", turns: 2 } });
      expect(fork?.turns.map(({ question }) => question)).toEqual(["One?", "Two?", "Three?", "Four?"]);
      expect(fork?.sources.get(1)).toEqual(page("https://a.example/"));
      expect(await fork?.results?.get(1)).toBe("whole");
      expect(await store.list({ limit: 9, offset: 0, withQuestions: true })).toMatchObject([
        { id, folder: "/b", isFork: true, questions: "One?\nTwo?\nThree?\nFour?" },
      ]);
      expect([await store.latest("/b"), await store.latest("/a"), await store.latest()]).toEqual([id, undefined, id]);
      expect(await store.branches.fork("conv-none")).toBeUndefined();
    });
  });
}
