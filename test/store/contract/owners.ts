import { describe, expect, test } from "vitest";
import { finishedRun, page } from "../runs.ts";
import type { OpenTestStore } from "../stores.ts";

export function testOwners(name: string, open: OpenTestStore): void {
  describe(`the owners of a store ${name}`, () => {
    /** Two owners with a conversation each, and the operator with another. */
    async function three() {
      const store = await open();
      const owners = { operator: store, anna: store.of("anna"), ben: store.of("ben") };
      const made = Object.entries(owners).map(async ([name, view]) => {
        const { id, sources } = await view.create();
        await sources.number([page(`https://${name}.example/`)]);
        const run = {
          ...finishedRun(id, `question of ${name}`, `answer of ${name} [1].`),
          pendingPlan: `plan of ${name}`,
        };
        await view.append(run);
        await view.summarise(id, { text: `summary of ${name}`, turns: 1 });
        return [name, { view, id, run: run.runId }];
      });
      const { operator, anna, ben } = Object.fromEntries(await Promise.all(made));
      return { store, operator, anna, ben, all: [operator, anna, ben] };
    }

    test("see their own and nothing else, by every method", async () => {
      const { all } = await three();
      for (const mine of all) {
        const { view, id, run } = mine;
        const loaded = await view.load(id);
        const seen = {
          words: [loaded, loaded?.sources.all()],
          latest: await view.latest(),
          list: await view.list({ limit: 10, offset: 0 }),
          begins: await view.list({ limit: 10, offset: 0, beginning: "conv-" }),
          last: await view.trace(),
          trace: await view.trace(run),
          runs: [await view.runs({ conversationId: id }), await view.runs({ beginning: "run-" })],
        };
        expect(seen.words).toMatchObject([{ turns: [{}], summary: { turns: 1 } }, [{ n: 1 }]]);
        expect([seen.latest, seen.list.map((entry: { id: string }) => entry.id)]).toEqual([id, [id]]);
        expect(seen.begins).toEqual(seen.list);
        expect([seen.last?.run_id, seen.trace?.run_id]).toEqual([run, run]);
        expect(seen.runs.map((runs) => runs.map((entry: { id: string }) => entry.id))).toEqual([[run], [run]]);
        const foreign = all.filter((other) => other !== mine).flatMap((other) => [other.id, other.run]);
        for (const text of foreign) expect(JSON.stringify(seen)).not.toContain(text);
      }
    });

    test("find what is another's as little as what is not there, and change nothing of it", async () => {
      const { all } = await three();
      for (const { view } of all) {
        for (const other of all.filter((each) => each.view !== view)) {
          for (const [conversation, run] of [
            [other.id, other.run],
            ["conv-nobodys", "run-nobodys"],
          ]) {
            expect(await view.load(conversation)).toBeUndefined();
            expect(await view.trace(run)).toBeUndefined();
            expect(await view.runs({ conversationId: conversation })).toEqual([]);
            expect(await view.runs({ beginning: run })).toEqual([]);
            expect(await view.list({ limit: 1, offset: 0, beginning: conversation })).toEqual([]);
            expect(await view.remove(conversation)).toBe(false);
            await view.summarise(conversation, { text: "mine now", turns: 1 });
          }
          await expect(view.append(finishedRun(other.id, "into it", "x"))).rejects.toThrow(
            "no conversation with that ID",
          );
          await expect(view.append({ ...finishedRun(other.id, "over it", "x"), runId: other.run })).rejects.toThrow();
        }
      }
      for (const { view, id, run } of all) {
        expect(await view.load(id)).toMatchObject({
          turns: [{}],
          summary: { text: expect.stringMatching(/^summary of/) },
        });
        expect((await view.load(id))?.pendingPlan).toMatch(/^plan of/);
        expect((await view.trace(run))?.question).toMatch(/^question of/);
      }
    });

    test("get a new conversation of another id where they want one that is another's", async () => {
      const { store, operator, anna, ben } = await three();
      for (const [view, wanted] of [
        [ben.view, anna.id],
        [ben.view, operator.id],
        [store, anna.id],
        // As little as from an id that is nobody's can be learned whether it is anybody's.
        [ben.view, "conv-nobodys"],
      ]) {
        const { id, turns, sources } = await view.create(wanted);
        expect(id).toMatch(/^conv-[0-9a-f-]{32,}$/);
        expect(id).not.toBe(wanted);
        expect([turns, sources.size]).toEqual([[], 0]);
        await view.append(finishedRun(id, "mine", "mine"));
        expect(await view.latest()).toBe(id);
      }
      expect((await anna.view.load(anna.id))?.turns).toHaveLength(1);
      expect((await ben.view.create(ben.id)).id).toBe(ben.id);
      expect((await store.create("conv-chosen")).id).toBe("conv-chosen");
    });

    test("remove their own alone", async () => {
      const { operator, anna, ben } = await three();
      expect(await anna.view.remove(anna.id)).toBe(true);
      expect([await anna.view.latest(), await anna.view.trace(anna.run)]).toEqual([undefined, undefined]);
      for (const { view, id } of [operator, ben]) expect(await view.latest()).toBe(id);
    });

    test("are told apart by their whole name, and closing the view of one closes nothing", async () => {
      const { store, anna } = await three();
      const others = ["", "Anna", "anna ", "ann", "anna\u0000", "\u0001", "null", "undefined"];
      for (const name of others) expect(await store.of(name).latest()).toBeUndefined();
      await anna.view.close();
      expect(await store.of("anna").latest()).toBe(anna.id);
      expect(await anna.view.of(undefined).latest()).toBe(await store.latest());
    });
  });
}
