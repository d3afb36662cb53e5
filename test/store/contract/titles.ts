import { describe, expect, test } from "vitest";
import { finishedRun } from "../runs.ts";
import type { OpenTestStore } from "../stores.ts";

export function testTitles(name: string, open: OpenTestStore): void {
  describe(`conversations ${name}`, () => {
    test.each([
      [
        '\n---\n  What does it say?\n\nAttached files:\n\n<<<file ab12 "notes.md"\nSecret\nfile ab12>>>',
        "What does it say?",
      ],
      ["总结 @a.md\r\n谢谢", "总结 @a.md"],
      ["\n???\n!!!", "???"],
      [" \n ", ""],
    ])("are titled with the first line that has a word: %j", async (question, title) => {
      const store = await open();
      await store.append(finishedRun("a", question, "x"));
      expect(await store.list({ limit: 1, offset: 0 })).toMatchObject([{ title }]);
    });

    test("are listed by the beginning of their IDs, in pages and together with what else narrows the list", async () => {
      const store = await open();
      for (const id of ["conv-a1", "conv-a2", "conv-b1", "conv_a1", "CONV-a1", "conv-%"])
        await store.append({ ...finishedRun(id, `Where is ${id}?`, "Here."), folder: id.slice(-1) });
      const list = async (page: object): Promise<string[]> =>
        (await store.list({ limit: 10, offset: 0, ...page })).map(({ id }) => id);
      expect(await list({ beginning: "conv-a" })).toEqual(["conv-a2", "conv-a1"]);
      expect(await list({ beginning: "conv-a1" })).toEqual(["conv-a1"]);
      expect(await list({ beginning: "conv-", limit: 2, offset: 1 })).toEqual(["conv-b1", "conv-a2"]);
      expect(await list({ beginning: "conv-", folder: "1" })).toEqual(["conv-b1", "conv-a1"]);
      expect(await list({ beginning: "conv-a", search: "a2" })).toEqual(["conv-a2"]);
      expect(await list({ beginning: "%" })).toEqual([]);
    });

    test("are gone on with where there is a turn or a plan that waits", async () => {
      const store = await open();
      await store.append(finishedRun("failed", "first?"));
      expect(await store.latest()).toBeUndefined();
      await store.append(finishedRun("answered", "second?", "yes"));
      await store.append(finishedRun("failed", "third?"));
      expect(await store.latest()).toBe("answered");
      await store.append({ ...finishedRun("planned", "fourth?"), pendingPlan: "{}" });
      expect(await store.latest()).toBe("planned");
      await store.append(finishedRun("planned", "fifth?"));
      expect(await store.latest()).toBe("answered");
      await store.append(finishedRun("failed", "sixth?", "at last"));
      expect(await store.latest()).toBe("failed");
      const [first] = await store.list({ limit: 1, offset: 0 });
      expect(first).toMatchObject({ id: "failed", title: "first?", turns: 1 });
    });
  });
}
