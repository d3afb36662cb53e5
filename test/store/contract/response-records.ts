import { describe, expect, test } from "vitest";
import { finishedRun } from "../runs.ts";
import type { OpenTestStore } from "../stores.ts";

export function testResponseRecords(name: string, open: OpenTestStore): void {
  describe(`records of responses ${name}`, () => {
    test("come back to their owner alone, and the last one under an ID stays", async () => {
      const store = await open();
      const anna = store.of("anna").responses;
      const ben = store.of("ben").responses;
      const long = "words ".repeat(2000);
      await anna?.put({ id: "resp_1", body: "begun" });
      await anna?.put({ id: "resp_1", body: long, conversationId: "conv-1" });
      expect(await anna?.get("resp_1")).toMatchObject({ id: "resp_1", body: long, conversationId: "conv-1" });
      expect(await ben?.get("resp_1")).toBeUndefined();
      expect(await ben?.remove("resp_1")).toBe(false);
      expect(await ben?.hasAny("conv-1")).toBe(false);
      await expect(ben?.put({ id: "resp_1", body: "taken" })).rejects.toThrow();
      expect(await anna?.hasAny("conv-1")).toBe(true);
      expect([await anna?.has("resp_1"), await ben?.has("resp_1"), await anna?.has("resp_2")]).toEqual([
        true,
        false,
        false,
      ]);
      expect(await anna?.replace({ id: "resp_1", body: "shorter", conversationId: "conv-2" })).toBe(true);
      expect(await anna?.get("resp_1")).toMatchObject({ body: "shorter", conversationId: "conv-2" });
      expect(await anna?.remove("resp_1")).toBe(true);
      expect(await anna?.has("resp_1")).toBe(false);
      expect(await anna?.get("resp_1")).toBeUndefined();
    });

    test("go with their conversation", async () => {
      const store = await open();
      const { id } = await store.create();
      await store.append(finishedRun(id, "question", "answer"));
      await store.responses?.put({ id: "resp_1", body: "gone", conversationId: id });
      await store.responses?.put({ id: "resp_2", body: "stays" });
      await store.remove(id);
      expect(await store.responses?.get("resp_1")).toBeUndefined();
      expect(await store.responses?.get("resp_2")).toMatchObject({ body: "stays" });
    });
  });
}
