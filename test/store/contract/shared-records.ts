import { once } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { RecordKind, SharedRecords } from "../../../src/core/store/shared-records.ts";

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

    test("are listed by how their names begin, oldest first, without those that are over", async () => {
      const { here, there, clock } = await openBoth();
      const add = async (name: string, lastsMs?: number) => {
        clock.ms += 1;
        await here.put("mcp-message", name, `of ${name}`, lastsMs);
      };
      for (const name of ["s_ b", "s_ a", "sx c", "S_ d"]) await add(name);
      await add("s_ e", 10);
      await here.put("pins", "s_ f", "another kind");
      const list = (prefix: string) => there.list("mcp-message", prefix);
      expect(await list("s_ ")).toEqual(["s_ b", "s_ a", "s_ e"]);
      clock.ms += 10;
      expect(await list("s_ ")).toHaveLength(2);
      expect(await list("")).toHaveLength(4);
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

    describe("whose turn lasts for long", () => {
      const renewAll = () => vi.advanceTimersByTime(4_000);
      const isFree = (records: SharedRecords) => records.exclusively("credentials", "docs", signal, async () => true);

      async function openTimed() {
        vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
        onTestFinished(() => void vi.useRealTimers());
        return openBoth();
      }

      test("are nobody else's while it is renewed", async () => {
        const { here, there, clock } = await openTimed();
        const outer = new AbortController();
        await here.exclusively("credentials", "docs", outer.signal, async (during) => {
          clock.ms += 16_000;
          renewAll();
          await expect.poll(() => there.get("credentials turn" as RecordKind, "docs")).toBeDefined();
          expect(during.aborted).toBe(false);
          outer.abort(new Error("no time"));
          expect(during.reason).toBe(outer.signal.reason);
        });
        expect(await isFree(there)).toBe(true);
      });

      test("are the next one's when it is not, and the first one is told", async () => {
        const { here, there, clock } = await openTimed();
        await here.exclusively("credentials", "docs", signal, async (mine) => {
          clock.ms += 15_000;
          await there.exclusively("credentials", "docs", signal, async (theirs) => {
            const lost = once(mine, "abort");
            renewAll();
            await lost;
            expect(mine.reason).toMatchObject({ code: "overloaded", retryable: true });
            expect(theirs.aborted).toBe(false);
          });
          expect(await isFree(there)).toBe(true);
        });
      });

      test("are free when the next one has come to its end, and the first one does not take them back", async () => {
        const { here, there, clock } = await openTimed();
        await here.exclusively("credentials", "docs", signal, async (mine) => {
          clock.ms += 15_000;
          expect(await isFree(there)).toBe(true);
          const lost = once(mine, "abort");
          renewAll();
          await lost;
          expect(await isFree(there)).toBe(true);
        });
      });
    });
  });
}
