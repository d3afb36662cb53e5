import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import { type Journal, LostRunError } from "../../../src/core/store/journal.ts";
import { newRun } from "../journal-runs.ts";

export const step = (name: string, data: unknown = name) => ({ name, spentMs: 5, data });
export const told: AgentEvent = { type: "thought-delta", text: "Hm" };

export interface TestProcess {
  journal: Journal;
  /** Stores the end of a run. */
  end(runId: string): Promise<void>;
  remove(runId: string): Promise<void>;
  /** Ends as a killed process does: nothing more is written. */
  die(): Promise<void>;
}

/** Opens one journal as several processes do, one after the other. */
export type CreateJournal = () => Promise<() => Promise<TestProcess>>;

export function testJournal(name: string, create: CreateJournal): void {
  describe(`a journal in ${name}`, () => {
    test("gives the files of a run and of its steps back, and forgets them when it ends", async () => {
      const open = await create();
      const [first, second, third] = [await open(), await open(), await open()];
      const [asked, shown] = ["a", "b"].map((name) => ({ hash: name.repeat(64), bytes: Buffer.from(name) }));
      if (!asked || !shown) throw new Error("two files");
      const run = await first.journal.begin({ ...newRun("run-1"), files: [asked] });
      await run.add({ ...step("call:c1"), files: [shown, asked] });
      await first.die();
      const taken = await second.journal.take("run-1");
      expect(taken?.files.map(({ hash, bytes }) => [hash, Buffer.from(bytes)])).toEqual([
        [asked.hash, asked.bytes],
        [shown.hash, shown.bytes],
      ]);
      expect(taken?.steps[0]?.data).toBe("call:c1");
      await second.die();
      expect((await third.journal.take("run-1"))?.files).toHaveLength(2);
      await third.end("run-1");
    });

    test("gives a run with its steps and events to one process after its own is gone, and to none before", async () => {
      const open = await create();
      const [first, second, third] = [await open(), await open(), await open()];
      const run = await first.journal.begin(newRun("run-1", "anna"));
      await Promise.all([run.add(step("turn:decide:1", { said: "你好" })), run.add(step("call:c1"))]);
      await run.addEvents(0, [told, told]);
      expect(await second.journal.listInterrupted()).toEqual([]);
      expect(await second.journal.findInterrupted("run-1")).toBeUndefined();
      expect(await second.journal.take("run-1")).toBeUndefined();
      expect(await Promise.all([first, second].map(({ journal }) => journal.isGoing("run-1")))).toEqual([true, true]);
      await first.die();

      expect(await second.journal.isGoing("run-1")).toBe(false);
      const [listed] = await second.journal.listInterrupted();
      expect(listed).toMatchObject({ runId: "run-1", owner: "anna", header: newRun("run-1").header });
      // Its age, which PostgreSQL tells, goes on between the two.
      const { ageMs: _, ...facts } = listed ?? {};
      expect(await second.journal.findInterrupted("run-1")).toMatchObject(facts);
      expect(await second.journal.findInterrupted("run-2")).toBeUndefined();
      const taken = await second.journal.take("run-1");
      expect(taken).toMatchObject({ ends: 0, owner: "anna", conversationId: "conv-run-1" });
      expect(taken?.steps.map(({ name, data, spentMs }) => [name, data, spentMs])).toEqual([
        ["turn:decide:1", { said: "你好" }, 5],
        ["call:c1", "call:c1", 5],
      ]);
      expect(taken?.events).toEqual([told, told]);
      expect(await third.journal.take("run-1")).toBeUndefined();
      expect(await third.journal.listInterrupted()).toEqual([]);
      expect(await third.journal.findInterrupted("run-1")).toBeUndefined();
      expect(await third.journal.events("run-1", undefined)).toEqual([]);
      expect(await third.journal.events("run-1", "anna")).toHaveLength(2);
      await taken?.journal.add(step("turn:answer:1"));
      await second.die();
      expect((await third.journal.take("run-1"))?.steps).toHaveLength(3);
    });

    test("counts the ends of a run's process since its last new record", async () => {
      const open = await create();
      const last = await open();
      let process = await open();
      await process.journal.begin(newRun("run-1"));
      for (const [ends, adds] of [[1], [2, "a record"], [0], [1], [2], [3]]) {
        await process.die();
        process = await open();
        const taken = await process.journal.take("run-1");
        expect(taken?.ends).toBe(ends);
        if (adds) await taken?.journal.add(step("turn:decide:1"));
      }
      expect(await last.journal.listInterrupted()).toEqual([]);
    });

    test("gives nobody a run that was ended, stopped, unrecorded or removed, and takes no more of it", async () => {
      const open = await create();
      const [first, second] = [await open(), await open()];
      const begin = (id: string) => first.journal.begin(newRun(id));
      const [ended, stopped, unrecorded, removed] = [
        await begin("run-a"),
        await begin("run-b"),
        await begin("run-c"),
        await begin("run-d"),
      ];
      await first.end("run-a");
      await stopped.forbid("stopped");
      await unrecorded.forbid("unrecorded");
      await first.end("run-d");
      await first.remove("run-d");
      for (const run of [ended, stopped, unrecorded, removed])
        await expect(run.add(step("turn:decide:1"))).rejects.toBeInstanceOf(LostRunError);
      await first.die();
      expect(await second.journal.listInterrupted()).toEqual([]);
      for (const id of ["run-a", "run-b", "run-c", "run-d", "run-e"]) {
        expect(await second.journal.findInterrupted(id)).toBeUndefined();
        expect(await second.journal.take(id)).toBeUndefined();
      }
    });
  });
}
