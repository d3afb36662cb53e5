import { LRUCache } from "lru-cache";
import type { AgentEvent } from "../../core/events.ts";
import { toConversationTitle } from "../../core/store/conversation-title.ts";
import { type Journal, LostRunError, type NewStep, type RunJournal, type TakenRun } from "../../core/store/journal.ts";
import type { SharedRuns } from "../../core/store/shared-runs.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { toText } from "../../kit/json.ts";
import type { StoreWork } from "../sql/connection.ts";
import { toEvents, toFiles, toInterruptedRun, toStep } from "../sql/conversations/journal-rows.ts";
import { addRunFiles } from "../sql/conversations/run-records.ts";
import { updateConversation } from "../sql/conversations/update-conversation.ts";
import { statements } from "../sql/statements/statements.ts";
import { defineStatement, lock, type Row, type Value, type Work } from "../sql/work.ts";
import { isUnreachable } from "../store-errors.ts";
import type { PostgresConnection, PostgresValue } from "./connection.ts";
import { createDrivenRuns } from "./driven-runs.ts";
import { createGroupedWrites } from "./grouped-writes.ts";
import { knownFormats, toFormatList } from "./journal-formats.ts";
import { journalTexts } from "./journal-texts.ts";
import { createReplicaLease } from "./lease.ts";
import type { Notifications } from "./notifications.ts";
import { createPostgresRuns, toEventText } from "./shared-runs.ts";

export interface PostgresJournal extends Journal {
  readonly sharedRuns: SharedRuns;
  /** Names this process as the holder of its runs. */
  readonly holder: string;
  /** Stores the end of a run, which this process drives no more then. */
  endRun(runId: string, store: () => Promise<void>): Promise<void>;
  /** Ends the ownership of this process: what it has not ended is interrupted. */
  close(): Promise<void>;
}

export interface JournalOptions {
  /** Lists the formats of runs that this program reads; it writes the newest that every living replica reads. */
  formats: readonly number[];
  /** Is how long a replica holds its runs without a sign of life, in milliseconds. */
  leaseMs: number;
}

/** Is how long a step waits to be recorded while the database cannot be reached, in milliseconds. */
const longestWaitMs = 900_000;

/** Limits what waits, in UTF-16 units. */
const mostWaiting = 64_000_000;

/** Limits the runs that are remembered because it is not known whether they are recorded. */
const mostWithdrawn = 1000;

/** Is how long a process that ends waits for the database to take back what may be recorded, in milliseconds. */
const longestWithdrawalMs = 2000;

/** Is how long a run that has ended, and could not be stored, is kept from other processes, in milliseconds. */
const keepEndedMs = 3_600_000;

const own = {
  begin: defineStatement(journalTexts.begin),
  holdRun: defineStatement(journalTexts.holdRun),
  addStep: defineStatement(journalTexts.addStep),
  forbid: defineStatement(journalTexts.forbid),
  letGo: defineStatement(journalTexts.letGo),
  withdraw: defineStatement(journalTexts.withdraw),
  hasReader: defineStatement(journalTexts.hasReader),
  countNewer: defineStatement(journalTexts.countNewer),
  runs: defineStatement(journalTexts.runs),
  runsOf: defineStatement(journalTexts.runsOf),
  run: defineStatement(journalTexts.run),
  take: defineStatement(journalTexts.take),
  takeOver: defineStatement(journalTexts.takeOver),
};

interface HeldRun {
  run: string;
  epoch: number;
}

interface StoredStep extends HeldRun {
  name: string;
  spent: number;
  data: string;
}

interface StoredEvents extends HeldRun {
  from: number;
  events: readonly string[];
}

/** Is how long the events of all runs of a process are collected after a write of others began, in milliseconds. */
const eventPaceMs = 25;

/** Stores the journal in PostgreSQL. A run belongs to the replica that holds it, in the epoch in which that has got it. */
export function createPostgresJournal(
  connection: PostgresConnection,
  notifications: Pick<Notifications, "listen">,
  { formats: known = knownFormats, leaseMs }: Partial<JournalOptions> = {},
): PostgresJournal {
  const { reachability } = connection;
  const driven = createDrivenRuns();
  const formats = toFormatList(known);
  /** Holds the runs of which it is not known whether they are recorded, and whose askers were told that they are not. */
  const withdrawn = new LRUCache<string, true>({ max: mostWithdrawn });
  let waiting = 0;
  const lease = createReplicaLease({
    reachability,
    formats: known,
    lastsMs: leaseMs,
    onRenewal() {
      const compare = driven.compare();
      return (held) => {
        for (const each of compare(held)) void ignoreRejection(releaseRun(each), "the next renewal tries again");
      };
    },
  });
  const sharedRuns = createPostgresRuns(connection, { holder: lease.id, notifications });
  const getSettled = (): { settled: number } => ({ settled: Number(lease.isSettled) });

  /** Gives back a run that this process holds and does not drive. */
  async function releaseRun({ run, epoch }: HeldRun): Promise<void> {
    const key = { run, holder: lease.id };
    if (withdrawn.has(run)) await connection.write(() => own.withdraw.run(key));
    else await connection.write(() => own.letGo.run({ ...key, epoch, orderly: 0 }));
    withdrawn.delete(run);
  }

  /** Without its holder another process would go on with a run of which its asker was told that it has not begun. */
  async function withdrawAll(): Promise<void> {
    if (withdrawn.size === 0) return;
    await reachability.waitUntilBack(longestWithdrawalMs);
    for (const run of withdrawn.keys()) await connection.write(() => own.withdraw.run({ run, holder: lease.id }));
  }

  /** Repeats a write while the database cannot be reached. */
  async function keepTrying<T>(size: number, write: () => Promise<T>): Promise<T> {
    const until = performance.now() + longestWaitMs;
    if (waiting + size > mostWaiting) return write();
    waiting += size;
    try {
      for (;;) {
        try {
          return await write();
        } catch (thrown) {
          if (!isUnreachable(thrown)) throw thrown;
          await reachability.waitUntilBack(until - performance.now());
        }
      }
    } finally {
      waiting -= size;
    }
  }

  /** Writes for all runs with one statement, and returns which of the items are stored. */
  async function writeHeld(
    name: "addSteps" | "addEvents",
    items: readonly HeldRun[],
    columns: readonly PostgresValue[],
  ): Promise<boolean[]> {
    const runs = new Map(items.map((item) => [toKey(item), item])).values().toArray();
    const lists = [runs.map(({ run }) => run), runs.map(({ epoch }) => epoch), lease.id, ...columns];
    const { rows } = await connection.query(name, journalTexts[name], lists);
    const held = new Set(rows.map(({ run, epoch }) => toKey({ run: toText(run), epoch: Number(epoch) })));
    return items.map((item) => held.has(toKey(item)));
  }

  const writeSteps = createGroupedWrites((steps: readonly StoredStep[]) =>
    writeHeld("addSteps", steps, [
      ...listColumns(steps, ["run", "epoch", "name", "spent", "data"]),
      steps.filter(({ name }) => name.startsWith("answer:")).map(({ run }) => run),
    ]),
  );

  const writeEvents = createGroupedWrites(
    (groups: readonly StoredEvents[]) => {
      const rows = groups.flatMap(({ run, epoch, from, events }) =>
        events.map((data, index) => ({ run, epoch, n: from + index, data })),
      );
      const text = toEventText(groups.map(({ run }) => run));
      return writeHeld("addEvents", groups, [...listColumns(rows, ["run", "epoch", "n", "data"]), text]);
    },
    { paceMs: eventPaceMs },
  );

  function openRun(runId: string, epoch: number): RunJournal {
    const held = { run: runId, epoch };
    const run = driven.add(runId, epoch);

    /** A run whose step is not recorded goes on nowhere but in a process that knows what is. */
    async function record(size: number, write: () => Promise<boolean>): Promise<void> {
      try {
        if (run.moved.aborted || !(await keepTrying(size, write))) throw new LostRunError(runId);
      } catch (thrown) {
        driven.remove(run);
        throw thrown;
      }
    }

    return {
      runId,
      moved: run.moved,
      async add({ name, spentMs, data, files = [] }) {
        const step = { ...held, name, spent: spentMs, data: JSON.stringify(data) };
        const size = step.data.length + files.reduce((sum, { bytes }) => sum + bytes.length, 0);
        await record(size, () =>
          files.length === 0 ? writeSteps(step) : connection.write(() => addStepWithFiles(step, lease.id, files)),
        );
      },
      async addEvents(from, events) {
        const texts = events.map((event) => JSON.stringify(event));
        const size = texts.reduce((sum, { length }) => sum + length, 0);
        await record(size, () => writeEvents({ ...held, from, events: texts }));
      },
      async forbid(state) {
        const done = driven.expect(runId);
        driven.end(runId);
        try {
          await keepTrying(0, () => connection.write(() => own.forbid.run({ ...held, holder: lease.id, state })));
        } finally {
          done();
        }
      },
      async letGo() {
        if (run.moved.aborted) return;
        driven.remove(run);
        await connection.write(() => own.letGo.run({ ...held, holder: lease.id, orderly: 1 }));
      },
      async hasReader() {
        const row = await connection.read(() => own.hasReader.get({ run: runId, holder: lease.id }));
        return row?.has_reader === 1;
      },
      mailbox: sharedRuns.openMailbox(runId, epoch),
    };
  }

  async function list(id: string | undefined): Promise<Row[]> {
    const settled = getSettled();
    return connection.read(() => (id === undefined ? own.runs.all(settled) : own.runsOf.all({ id, ...settled })));
  }

  /** Reads what an earlier process has recorded of a run that has just been claimed. */
  function* readRecords(row: Row, { ends, epoch }: Row): Work<ReadRun | undefined> {
    const run = toInterruptedRun(row);
    if (run === undefined) return undefined;
    const { runId } = run;
    const steps = yield* statements.journalSteps.all({ run: runId });
    const events = yield* statements.journalEvents.all({ run: runId, owner: run.owner ?? null });
    const files = yield* statements.journalFiles.all({ run: runId });
    return {
      ...{ ...run, ends: Number(ends), epoch: Number(epoch) },
      ...{ steps: steps.map(toStep), events: events.flatMap(toEvents), files: files.flatMap(toFiles) },
    };
  }

  /** Claims runs and reads them in one transaction. What it claims is not a stray before this process knows of it. */
  async function claim(
    runId: string | undefined,
    work: StoreWork<readonly (ReadRun | undefined)[]>,
  ): Promise<TakenRun[]> {
    await lease.begin();
    const done = driven.expect(runId);
    try {
      const claimed = await connection.write(work);
      return claimed.flatMap((each) => {
        if (each === undefined) return [];
        const { epoch, ...run } = each;
        return { ...run, journal: openRun(run.runId, epoch) };
      });
    } finally {
      done();
    }
  }

  return {
    sharedRuns,
    holder: lease.id,
    isRequired: true,
    async begin({ runId, owner = null, conversationId, header, files }) {
      await lease.begin();
      const row = { run: runId, owner, conversation: conversationId, header: JSON.stringify(header), formats };
      const done = driven.expect(runId);
      const write = connection.write(function* () {
        yield* lock(`conversation ${conversationId}`);
        // The conversation is there whatever becomes of the run.
        const title = toConversationTitle(header.question);
        yield* updateConversation({ id: conversationId, owner, title, folder: header.folder });
        const held = { run: runId, holder: lease.id };
        yield* own.begin.run({ ...row, holder: lease.id });
        yield* addRunFiles(held, files);
      });
      try {
        await write;
        return openRun(runId, 1);
      } catch (thrown) {
        if (isUnreachable(thrown)) withdrawn.set(runId, true);
        throw thrown;
      } finally {
        done();
      }
    },
    async listInterrupted(id) {
      const rows = await list(id);
      return rows.filter(({ is_gone }) => is_gone === 1).flatMap((row) => toInterruptedRun(row) ?? []);
    },
    async isGoing(runId) {
      const row = await connection.read(() => own.run.get({ run: runId, ...getSettled() }));
      return row !== undefined && row.is_gone !== 1;
    },
    async take(runId) {
      const row = await connection.read(() => own.run.get({ run: runId, ...getSettled() }));
      if (row === undefined || row.is_gone !== 1 || toInterruptedRun(row) === undefined) return undefined;
      const wanted = { run: runId, epoch: Number(row.epoch), formats };
      const [taken] = await claim(runId, function* () {
        const claimed = yield* own.take.get({ ...wanted, holder: lease.id, ...getSettled() });
        return claimed === undefined ? [] : [yield* readRecords(row, claimed)];
      });
      return taken;
    },
    async takeOver({ entrance, withinMs, most }) {
      await lease.begin();
      if (most <= 0) return [];
      return claim(undefined, function* () {
        const wanted = { entrance, within: withinMs, most, formats, holder: lease.id };
        const rows = yield* own.takeOver.all({ ...wanted, ...getSettled() });
        const runs: (ReadRun | undefined)[] = [];
        for (const row of rows) runs.push(yield* readRecords(row, row));
        return runs;
      });
    },
    async countNewer() {
      return Number((await connection.read(() => own.countNewer.get({ formats })))?.n);
    },
    async events(runId, owner = undefined): Promise<AgentEvent[]> {
      const key = { run: runId, owner: owner ?? null };
      return (await connection.read(() => statements.journalEvents.all(key))).flatMap(toEvents);
    },
    async endRun(runId, store) {
      const done = driven.expect(runId);
      driven.end(runId);
      try {
        await store();
        done();
      } catch (thrown) {
        // Whoever keeps it tries again.
        setTimeout(done, keepEndedMs).unref();
        throw thrown;
      }
    },
    async close() {
      sharedRuns.close();
      await ignoreRejection(withdrawAll(), "nothing more can be done about what the database does not take back");
      await lease.release();
    },
  };
}

type ReadRun = Omit<TakenRun, "journal"> & { epoch: number };

function toKey({ run, epoch }: HeldRun): string {
  return `${epoch} ${run}`;
}

/** Returns the values of each column, as `unnest` takes them. */
function listColumns<K extends string>(rows: readonly Readonly<Record<K, Value>>[], names: readonly K[]): Value[][] {
  return names.map((name) => rows.map((row) => row[name]));
}

/** Returns false where the run belongs to another replica. */
function* addStepWithFiles(
  { run, epoch, ...step }: StoredStep,
  holder: string,
  files: NonNullable<NewStep["files"]>,
): Work<boolean> {
  if ((yield* own.holdRun.get({ run, holder, epoch })) === undefined) return false;
  yield* own.addStep.run({ run, ...step });
  yield* addRunFiles({ run, holder }, files);
  return true;
}
