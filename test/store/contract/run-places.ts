import { describe, expect, test } from "vitest";
import type { RunPlaces } from "../../../src/core/store/run-places.ts";

type OfOwner = (owner: string) => RunPlaces;

/** Opens the places twice, as two processes see them, with a clock for both. */
export type OpenPlaces = (now: () => number) => Promise<readonly [OfOwner, OfOwner]>;

export function testRunPlaces(name: string, open: OpenPlaces): void {
  describe(`places of runs ${name}`, () => {
    const lastsMs = 20_000;

    async function openPlaces() {
      const clock = { ms: Date.UTC(2026, 10, 26, 12) };
      const [here, there] = await open(() => clock.ms);
      return { clock, here: here("anna"), there: there("anna"), other: here("ben") };
    }

    test("are counted together: of sixty that are wanted at once in two processes as many are granted as the limit allows", async () => {
      const { here, there, other } = await openPlaces();
      const limits = { runs: 5 };
      const all = Array.from({ length: 60 }, (_, n) =>
        (n % 2 === 0 ? here : there).claim({ id: `${n}`, limits, lastsMs }),
      );
      const answers = await Promise.all(all);
      expect(answers.filter(({ refusal }) => refusal === undefined)).toHaveLength(5);
      expect(new Set(answers.map(({ refusal }) => refusal))).toEqual(new Set([undefined, "runs"]));
      expect(await other.claim({ id: "ben", limits, lastsMs })).toMatchObject({ refusal: undefined, going: 0 });
    });

    test("are free again when a run ends, waits, or its process gives no sign of life", async () => {
      const { here, there, clock } = await openPlaces();
      const limits = { runs: 1 };
      const claim = (id: string, isForced = false) => there.claim({ id, limits, lastsMs, isForced });
      await here.claim({ id: "a", limits, lastsMs });
      expect(await claim("b")).toMatchObject({ refusal: "runs", going: 1 });
      await here.renew([{ id: "a", state: "waiting" }], lastsMs);
      expect(await claim("b")).toMatchObject({ refusal: undefined, waiting: 1 });
      await there.renew([{ id: "b", state: "waiting" }], lastsMs);
      expect(await claim("c")).toMatchObject({ refusal: "waiting", waiting: 2 });
      await here.renew([{ id: "a", state: "paused" }], lastsMs);
      await there.release("b", true);
      expect(await claim("c")).toMatchObject({ refusal: undefined, going: 0, waiting: 0 });
      expect(await claim("d", true)).toMatchObject({ refusal: undefined, going: 1 });
      clock.ms += lastsMs - 1;
      await there.renew([{ id: "c", state: "going" }], lastsMs);
      clock.ms += 1;
      expect(await claim("e")).toMatchObject({ refusal: "runs", going: 1 });
      // A process that was cut off for a while still has its runs.
      clock.ms += 120_000;
      expect(await claim("e")).toMatchObject({ refusal: undefined, going: 0 });
      await there.release("e", true);
      await here.renew([{ id: "c", state: "going" }], lastsMs);
      expect(await claim("f")).toMatchObject({ refusal: "runs", going: 1 });
    });

    test("are renewed together, each with what its run does, but for those that have ended", async () => {
      const { here, there, clock } = await openPlaces();
      const limits = { runs: 4 };
      for (const id of ["a", "b", "c", "d"]) await here.claim({ id, limits, lastsMs });
      await here.release("d", true);
      clock.ms += lastsMs - 1;
      const states = { a: "going", b: "waiting", d: "going" } as const;
      await here.renew(
        Object.entries(states).map(([id, state]) => ({ id, state })),
        lastsMs,
      );
      clock.ms += 1;
      expect(await there.claim({ id: "e", limits, lastsMs })).toMatchObject({ going: 1, waiting: 1 });
      await here.renew([], lastsMs);
    });

    test("count within a minute once the run has begun, in all processes", async () => {
      const { here, there, clock } = await openPlaces();
      const limits = { runs: 100, perMinute: 2 };
      await here.claim({ id: "a", limits, lastsMs });
      clock.ms += 10_000;
      await there.claim({ id: "b", limits, lastsMs });
      await Promise.all([here.release("a", true), there.release("b", true)]);
      clock.ms += 10_000;
      expect(await here.claim({ id: "c", limits, lastsMs })).toMatchObject({ refusal: "minute", oldestMs: 20_000 });
      await there.release("b", false);
      expect(await here.claim({ id: "c", limits, lastsMs })).toMatchObject({ refusal: undefined });
      clock.ms += 40_000;
      expect(await there.claim({ id: "d", limits, lastsMs })).toMatchObject({ refusal: undefined, inMinute: 1 });
      // What another process goes on with has begun before.
      await there.claim({ id: "e", limits, lastsMs, isForced: true, isLetIn: true });
      expect(await here.claim({ id: "f", limits, lastsMs })).toMatchObject({
        refusal: "minute",
        inMinute: 2,
        going: 2,
      });
    });
  });
}
