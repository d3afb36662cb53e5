import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { UserQuestion } from "../../../src/core/questions/user-question.ts";
import { LostRunError, type RunJournal } from "../../../src/core/store/journal.ts";
import type { RunMessage } from "../../../src/core/store/run-mailbox.ts";
import type { OperatorStore } from "../../../src/core/store/store.ts";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { openDeafProxy } from "../../fakes/proxy/deaf-postgres.ts";
import { requires } from "../../runner/requirements.ts";
import { step, told } from "../contract/journal.ts";
import { newRun } from "../journal-runs.ts";
import { finishedRun } from "../runs.ts";
import { localStores } from "../stores.ts";

const question: UserQuestion = { kind: "plan", steps: [] };
const hour = 3_600_000;

test.each(localStores)("a store %s shares no run, and a run of it has no mailbox", async (_, open) => {
  const { journal, sharedRuns } = await open();
  const run = await journal.begin(newRun("run-1"));
  expect(run.mailbox).toBeUndefined();
  expect([sharedRuns.isShared, await sharedRuns.find("run-1", undefined), await sharedRuns.list(undefined)]).toEqual([
    false,
    undefined,
    [],
  ]);
});

describe("the runs that processes share in PostgreSQL", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  /** Opens one database as several processes do, and begins a run in the first of them. */
  async function openProcesses(url: string, ...urls: string[]) {
    const stores = await Promise.all([url, ...urls].map((each) => createPostgresStore(each)));
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
    const [holder, other = holder] = stores;
    if (holder === undefined || other === undefined) throw new Error("no store");
    return { holder, other, run: await holder.journal.begin(newRun("run-1", "anna")) };
  }

  async function openTwo() {
    const url = await server.createDatabase();
    return { url, ...(await openProcesses(url, url)) };
  }

  /** Reads what is told to a run. */
  function receive(run: RunJournal) {
    const received: RunMessage[] = [];
    const end = run.mailbox?.receive((message) => received.push(message));
    onTestFinished(() => end?.());
    return received;
  }

  /** Ends the holder as a crash does, and gives the run to the next process. */
  async function takeOver(url: string, store: OperatorStore): Promise<RunJournal> {
    await query(url, "UPDATE journal_runs SET holder = 'gone'");
    const taken = await store.journal.take("run-1");
    if (taken === undefined) throw new Error("nothing was taken");
    return taken.journal;
  }

  async function readAll({ sharedRuns }: OperatorStore, count: number) {
    const changed = { isTold: () => {} };
    const stop = sharedRuns.watch("run-1", () => changed.isTold());
    for (;;) {
      const next = new Promise<void>((resolve) => {
        changed.isTold = resolve;
      });
      const news = await sharedRuns.read("run-1", 1);
      if (news.events.length === count) {
        stop();
        return news;
      }
      await next;
    }
  }

  test("its owner finds a run in every process, and reads its events from any number on", async () => {
    const { url, other, run } = await openTwo();
    const { sharedRuns } = other;
    expect(await sharedRuns.find("run-1", undefined)).toBeUndefined();
    expect(await sharedRuns.find("run-1", "anna")).toMatchObject({ runId: "run-1", isHeld: true, waits: false });
    // Of machines with other clocks, each knows how old it is.
    await query(
      url,
      "UPDATE journal_runs SET begun_at = to_char(now() AT TIME ZONE 'UTC' - interval '1 hour', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')",
    );
    const ageMs = (await sharedRuns.find("run-1", "anna"))?.ageMs ?? 0;
    expect([ageMs >= hour, ageMs < hour + 60_000]).toEqual([true, true]);
    expect(await sharedRuns.list("anna")).toMatchObject([{ runId: "run-1", owner: "anna" }]);
    expect(await sharedRuns.list(undefined)).toEqual([]);
    const reading = readAll(other, 2);
    await run.addEvents(0, [told]);
    await run.addEvents(1, [told, told]);
    expect(await reading).toEqual({ events: [told, told], question: undefined, isOver: false });
  });

  test("where notifications do not arrive, readers and holders look for news", async () => {
    const url = await server.createDatabase();
    const { other, run } = await openProcesses(url, await openDeafProxy(url));
    const reading = readAll(other, 1);
    await run.addEvents(0, [told, told]);
    expect((await reading).events).toHaveLength(1);
  });

  test("of twenty answers in two processes one counts, and the run learns it", async () => {
    const { holder, other, run } = await openTwo();
    const received = receive(run);
    await run.mailbox?.post({ id: "q1", question, until: Date.now() + hour });
    expect(await other.sharedRuns.find("run-1", "anna")).toMatchObject({ waits: true });
    const { question: shown } = await other.sharedRuns.read("run-1", 0);
    expect(shown).toMatchObject({ id: "q1", question });
    expect(Math.abs((shown?.until ?? 0) - Date.now() - hour)).toBeLessThan(60_000);
    const answers = Array.from({ length: 20 }, async (_, n) => {
      const store = n % 2 === 0 ? other : holder;
      return (await store.sharedRuns.answer("run-1", "q1", { reply: n })) ? n : undefined;
    });
    const [counted, ...others] = (await Promise.all(answers)).filter((n) => n !== undefined);
    expect(others).toEqual([]);
    expect(await run.mailbox?.claim("q1", "late")).toBe(false);
    await expect.poll(() => received).toContainEqual({ type: "answer", questionId: "q1", reply: { reply: counted } });
    expect((await other.sharedRuns.read("run-1", 0)).question).toBeUndefined();
    expect(await other.sharedRuns.answer("run-1", "q2", "yes")).toBe(false);
  });

  test("a question outlives its process with what was replied to it, until the run has recorded that", async () => {
    const { url, holder, other, run } = await openTwo();
    await run.mailbox?.post({ id: "q1", question, until: Date.now() + hour });
    const second = await takeOver(url, other);
    expect(await second.mailbox?.post({ id: "q2", question, until: Date.now() + hour })).toMatchObject({ id: "q1" });
    // Whoever has lost the run neither gives its question up nor takes it back.
    run.mailbox?.withdraw("q1");
    expect(await run.mailbox?.claim("q1", undefined)).toBe(false);
    expect(await holder.sharedRuns.answer("run-1", "q1", "yes")).toBe(true);
    const third = await takeOver(url, holder);
    const asked = await third.mailbox?.post({ id: "q3", question, until: Date.now() + hour });
    expect(asked).toMatchObject({ id: "q1", answer: { reply: "yes" } });
    await third.add(step("answer:c1", "yes"));
    const last = await takeOver(url, other);
    expect(await last.mailbox?.post({ id: "q4", question, until: Date.now() + hour })).toEqual({ id: "q4" });
    // Whoever sends the same answer again learns that it counts.
    expect(await holder.sharedRuns.listQuestions("run-1")).toEqual([
      { id: "q1", question, answer: { reply: "yes" } },
      { id: "q4", question },
    ]);
    const received = receive(last);
    await other.sharedRuns.send("run-1", { type: "hold", by: "one" });
    await expect.poll(() => received).toEqual([{ type: "hold", by: "one", isSession: false }]);
    last.mailbox?.withdraw("q4");
    await expect.poll(async () => (await holder.sharedRuns.read("run-1", 0)).question).toBeUndefined();
  });

  test("a question is given up when its first process said, and leaves a person 30 seconds after a takeover", async () => {
    const { url, holder, other, run } = await openTwo();
    await run.mailbox?.post({ id: "q1", question, until: Date.now() + hour });
    const readMinutes = async (until: number | undefined) => {
      const shown = (await holder.sharedRuns.read("run-1", 0)).question?.until;
      return [until, shown].map((each) => Math.round(((each ?? 0) - Date.now()) / 30_000) / 2);
    };
    // Each process would wait for an hour of its own.
    const postAgain = async (store: OperatorStore, ms = hour) => {
      const { mailbox } = await takeOver(url, store);
      return (await mailbox?.post({ id: "again", question, until: Date.now() + ms }))?.until;
    };
    await query(url, "UPDATE run_questions SET until = now() + interval '10 minutes'");
    expect(await readMinutes(await postAgain(other))).toEqual([10, 10]);
    expect(await readMinutes(await postAgain(holder, 5_000))).toEqual([10, 10]);
    await query(url, "UPDATE run_questions SET until = now() - interval '1 hour'");
    expect(await readMinutes(await postAgain(other))).toEqual([0.5, 0.5]);
    // A wait that is shorter from the start is no longer after a takeover.
    await query(url, "UPDATE run_questions SET until = now() - interval '1 hour'");
    expect(await readMinutes(await postAgain(holder, 1_000))).toEqual([0, 0]);
  });

  test("the end of a run is kept by its holder, and by nobody who has lost it", async () => {
    const { url, holder, other, run } = await openTwo();
    const end = (response: string) => ({ ...finishedRun("conv-run-1", "Is it known?", response), runId: "run-1" });
    const taken = await takeOver(url, other);
    await expect(holder.of("anna").append(end("Late."))).rejects.toThrow(LostRunError);
    // A run that was stopped is its holder's until its answer is stored.
    await taken.forbid("stopped");
    await expect(holder.of("anna").append(end("Late."))).rejects.toThrow(LostRunError);
    await expect(run.addEvents(0, [told])).rejects.toThrow(LostRunError);
    await other.of("anna").append(end("Yes."));
    await holder.of("anna").append(end("Late."));
    const turns = (await holder.of("anna").load("conv-run-1"))?.turns.map(({ answer }) => answer);
    expect(turns).toEqual(["Yes."]);
  });

  test("what nobody reads in time is taken back, so that whoever said it may say it again", async () => {
    const { url, other } = await openTwo();
    expect(await other.sharedRuns.say("run-1", "Quicker.")).toBeUndefined();
    expect(await query(url, "SELECT data FROM run_messages")).toEqual([]);
    expect(await other.sharedRuns.say("run-2", "Quicker.")).toBe("after_run");
  });

  test("a run that fails at a message keeps no other run from reading its own, then or later", async () => {
    const { holder, other, run } = await openTwo();
    const received = receive(await holder.journal.begin(newRun("run-2", "anna")));
    const warned = once(process, "warning");
    run.mailbox?.receive(() => {
      throw new Error("this run fails at a message");
    });
    await other.sharedRuns.send("run-1", { type: "hold", by: "one" });
    expect(await warned).toMatchObject([{ message: "this run fails at a message" }]);
    await other.sharedRuns.send("run-2", { type: "hold", by: "two" });
    await expect.poll(() => received).toEqual([{ type: "hold", by: "two", isSession: false }]);
  });

  test("what is said to a run is read once, a stop also by its next process", async () => {
    const { url, other, run } = await openTwo();
    const received = receive(run);
    run.mailbox?.receive((message) => message.type === "say" && run.mailbox?.reply(message.id, "next_step"));
    expect(await other.sharedRuns.say("run-1", "Quicker.")).toBe("next_step");
    await other.sharedRuns.send("run-1", { type: "stop" });
    await expect.poll(() => received).toContainEqual({ type: "stop" });
    expect(received.filter(({ type }) => type === "say")).toEqual([
      { type: "say", id: expect.any(String), text: "Quicker." },
    ]);
    expect((await query(url, "SELECT data FROM run_messages")).map(({ data }) => data)).toEqual(['{"type":"stop"}']);
    const next = receive(await takeOver(url, other));
    await expect.poll(() => next).toContainEqual({ type: "stop" });
  });
});
