import { describe, expect, test } from "vitest";
import type { SharedRecords } from "../../../src/core/store/shared-records.ts";

/** Opens the records twice, as two processes see them, with a clock for both. */
export type OpenRecords = (now: () => number) => Promise<readonly [SharedRecords, SharedRecords]>;

export function testSharedRecords(name: string, open: OpenRecords): void {
  describe(`shared records ${name}`, () => {
    const { signal } = new AbortController();

    async function openBoth() {
      const clock = { ms: Date.UTC(2026, 10, 26, 12) };
      const [here, there] = await open(() => clock.ms);
      return { clock, here, there };
    }

    test("are read by all, each change under a higher version, and of two first ones one stays", async () => {
      const { here, there } = await openBoth();
      expect(await there.get("pins", "docs")).toBeUndefined();
      const first = await here.put("pins", "docs", "one");
      expect(await there.get("pins", "docs")).toEqual({ data: "one", version: first });
      const second = await there.put("pins", "docs", "two");
      expect(second).toBeGreaterThan(first);
      expect(await here.get("pins", "docs")).toEqual({ data: "two", version: second });
      expect(await here.get("credentials", "docs")).toBeUndefined();
      expect([await there.remove("pins", "docs"), await here.remove("pins", "docs")]).toEqual([true, false]);
      const keys = await Promise.all([here.add("key", "k", "a"), there.add("key", "k", "b")]);
      expect(keys[0]).toBe(keys[1]);
      expect((await here.get("key", "k"))?.data).toBe(keys[0]);
    });

    test("end with their time, unless it is extended", async () => {
      const { here, there, clock } = await openBoth();
      await here.put("mcp-session", "s", "initialize", 1000);
      clock.ms += 900;
      expect(await there.extend("mcp-session", "s", 1000)).toBe(true);
      clock.ms += 900;
      expect(await here.get("mcp-session", "s")).toBeDefined();
      clock.ms += 100;
      expect(await here.get("mcp-session", "s")).toBeUndefined();
      expect(await there.extend("mcp-session", "s", 1000)).toBe(false);
    });

    test("are changed by one at a time, and a turn ends with its work or with what it throws", async () => {
      const { here, there } = await openBoth();
      const steps: string[] = [];
      const work = async (who: string): Promise<void> => {
        steps.push(`${who} begins`);
        await new Promise(setImmediate);
        steps.push(`${who} ends`);
        throw new Error(who);
      };
      const both = [here, there].map((records, n) =>
        records.exclusively("credentials", "docs", signal, () => work(`${n}`)),
      );
      expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      const [first] = steps.map((step) => step[0]);
      const last = first === "0" ? "1" : "0";
      expect(steps).toEqual([`${first} begins`, `${first} ends`, `${last} begins`, `${last} ends`]);
      const gone = AbortSignal.abort(new Error("no time"));
      await here.exclusively("credentials", "docs", signal, async () => {
        await expect(there.exclusively("credentials", "docs", gone, async () => {})).rejects.toThrow("no time");
      });
    });
  });
}
