import { LRUCache } from "lru-cache";
import { toUsageKey } from "../../../core/store/daily-usage.ts";
import {
  type InterruptedRun,
  type Journal,
  LostRunError,
  type NewStep,
  type RunJournal,
  type TakenRun,
} from "../../../core/store/journal.ts";
import type { SharedRuns } from "../../../core/store/shared-runs.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { isUnreachable } from "../../errors/store-error.ts";
import type { StoreWork } from "../../sql/connection.ts";
import { toInterruptedRun } from "../../sql/conversations/journal-rows.ts";
import {
  addRunFiles,
  openRecordedRun,
  openRunConversation,
  type RecordedRun,
  readRunEvents,
} from "../../sql/conversations/run-records.ts";
import { countUsage } from "../../sql/records/daily-usage.ts";
import { lock, type Row, type Work } from "../../sql/work.ts";
import type { PostgresConnection } from "../connection.ts";
import type { Notifications } from "../notifications.ts";
import { createPostgresRuns } from "../shared-runs/shared-runs.ts";
import { databaseStatements } from "../space.ts";
import { createDrivenRuns } from "./driven-runs.ts";
import { knownFormats, toFormatList } from "./journal-formats.ts";
import { handedOver, own } from "./journal-texts.ts";
import { createReplicaLease, type OwnedRun } from "./lease.ts";
import { createPatientWrites } from "./patient-writes.ts";
import { createRunWrites, type StepWritten, type StoredStep } from "./run-writes.ts";

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
  /** Returns milliseconds since 1970, for what depends on the day, in place of the database's clock. */
  now: () => number;
}

/** Limits the runs that are remembered because it is not known whether they are recorded. */
const mostWithdrawn = 1000;

/** Is how long a process that ends waits for the database to take back what may be recorded, in milliseconds. */
const longestWithdrawalMs = 2000;

/** Is how long a run that has ended, and could not be stored, is kept from other processes, in milliseconds. */
const keepEndedMs = 3_600_000;

/** Stores the journal in PostgreSQL. A run belongs to the replica that holds it, in the epoch in which that has got it. */
export function createPostgresJournal(
  connection: PostgresConnection,
  notifications: Pick<Notifications, "listen">,
  { formats: known = knownFormats, leaseMs, now }: Partial<JournalOptions> = {},
): PostgresJournal {
  const { reachability } = connection;
  const keepTrying = createPatientWrites(reachability);
  const driven = createDrivenRuns();
  const formats = toFormatList(known);
  /** Holds the runs of which it is not known whether they are recorded, and whose askers were told that they are not. */
  const withdrawn = new LRUCache<string, true>({ max: mostWithdrawn });
  /** Holds what ends the expectation of each run whose end is not stored yet. */
  const unstored = new LRUCache<string, () => void>({
    ttl: keepEndedMs,
    ttlAutopurge: true,
    dispose: (done) => done(),
  });
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
  const writes = createRunWrites(connection, { holder: lease.id, now });
  const sharedRuns = createPostgresRuns(connection, { holder: lease.id, notifications });
  function* readNow(): Work<number> {
    return now === undefined ? Number((yield* databaseStatements.clock.get())?.now) : now();
  }
  const getSettled = (): { settled: number } => ({ settled: Number(lease.isSettled) });

  /** Gives back a run that this process holds and does not drive. */
  async function releaseRun({ run, epoch }: OwnedRun): Promise<void> {
    const key = { run, holder: lease.id, epoch };
    if (withdrawn.has(run)) await connection.write(() => own.withdraw.run(key));
    else await connection.write(() => own.letGo.run({ ...key, orderly: 0 }));
    withdrawn.delete(run);
  }

  /** Without its holder another process would go on with a run of which its asker was told that it has not begun. */
  async function withdrawAll(): Promise<void> {
    if (withdrawn.size === 0) return;
    await reachability.waitUntilBack(longestWithdrawalMs);
    for (const run of withdrawn.keys())
      await connection.write(() => own.withdrawUnknown.run({ run, holder: lease.id }));
  }

  function openRun(runId: string, owner: string | undefined, epoch: number): RunJournal {
    const held = { run: runId, epoch };
    const caller = toUsageKey(owner);
    const run = driven.add(runId, epoch);

    /** A run whose step is not recorded goes on nowhere but in a process that knows what is. */
    async function record<T extends object>(size: number, write: () => Promise<T | null>): Promise<T> {
      try {
        const written = run.moved.aborted ? null : await keepTrying(size, write);
        if (written === null) throw new LostRunError(runId);
        return written;
      } catch (thrown) {
        driven.remove(run);
        throw thrown;
      }
    }

    return {
      runId,
      moved: run.moved,
      async add({ name, spentMs, data, files = [], usage }) {
        const step = { ...held, name, spent: spentMs, data: JSON.stringify(data), caller, usage };
        const size = step.data.length + files.reduce((sum, { bytes }) => sum + bytes.length, 0);
        const written = await record(size, () =>
          files.length === 0
            ? writes.writeStep(step)
            : connection.write(() => addStepWithFiles(step, { holder: lease.id, files, readNow })),
        );
        return written.today;
      },
      async addEvents(from, events) {
        const texts = events.map((event) => JSON.stringify(event));
        const size = texts.reduce((sum, { length }) => sum + length, 0);
        await record(size, () => writes.writeEvents({ ...held, from, events: texts }));
      },
      async forbid(state) {
        const done = driven.expect(runId);
        driven.end(runId, epoch);
        try {
          await keepTrying(0, () => connection.write(() => own.forbid.run({ ...held, holder: lease.id, state })));
        } finally {
          done();
        }
      },
      async confirm() {
        try {
          await lease.confirm();
          run.moved.throwIfAborted();
        } catch (thrown) {
          driven.remove(run);
          throw thrown;
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

  const readRun = (runId: string): Promise<Row | undefined> =>
    connection.read(() => own.run.get({ run: runId, ...getSettled() }));

  /**
   * Claims runs, and reads what is recorded of them once that is stored: a replica that comes back waits for it. What it claims is not a
   * stray before this process knows of it.
   */
  async function claim(runId: string | undefined, work: StoreWork<readonly ClaimedRun[]>): Promise<TakenRun[]> {
    await lease.begin();
    const done = driven.expect(runId);
    try {
      const claimed = await connection.write(work);
      if (claimed.length === 0) return [];
      const records = await connection.write(function* () {
        const opened: (RecordedRun & { epoch: number })[] = [];
        for (const { run, epoch, ...claim } of claimed) {
          const recorded = yield* openRecordedRun(run, Math.max(0, claim.ends));
          opened.push({ ...recorded, isHandedOver: claim.ends === handedOver, epoch });
        }
        return opened;
      });
      return records.map(({ epoch, ...run }) => ({ ...run, journal: openRun(run.runId, run.owner, epoch) }));
    } finally {
      done();
    }
  }

  return {
    sharedRuns,
    holder: lease.id,
    isRequired: true,
    async begin(record) {
      const { runId, owner = null, conversationId, header, files } = record;
      await lease.begin();
      const row = { run: runId, owner, conversation: conversationId, header: JSON.stringify(header), formats };
      const done = driven.expect(runId);
      const write = connection.write(function* () {
        yield* lock(`conversation ${conversationId}`);
        yield* openRunConversation(record);
        const held = { run: runId, holder: lease.id };
        const begun = yield* own.begin.get({ ...row, holder: lease.id });
        if (begun === undefined) throw new LostRunError(runId);
        yield* addRunFiles(held, files);
        return Number(begun.epoch);
      });
      try {
        const run = openRun(runId, record.owner, await write);
        withdrawn.delete(runId);
        return run;
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
    async findInterrupted(runId) {
      const row = await readRun(runId);
      return row?.is_gone === 1 ? toInterruptedRun(row) : undefined;
    },
    async isGoing(runId) {
      const row = await readRun(runId);
      return row !== undefined && row.is_gone !== 1;
    },
    mayBegin: async (runId) => (await connection.read(() => own.begun.get({ run: runId }))) === undefined,
    async take(runId) {
      const row = await readRun(runId);
      const run = row?.is_gone === 1 ? toInterruptedRun(row) : undefined;
      if (row === undefined || run === undefined) return undefined;
      const wanted = { run: runId, epoch: Number(row.epoch), formats };
      const [taken] = await claim(runId, function* () {
        const claimed = yield* own.take.get({ ...wanted, holder: lease.id, ...getSettled() });
        return claimed === undefined ? [] : [toClaimed(run, claimed)];
      });
      return taken;
    },
    async takeOver({ entrance, withinMs, most }) {
      await lease.begin();
      if (most <= 0) return [];
      return claim(undefined, function* () {
        const wanted = { entrance, within: withinMs, most, formats, holder: lease.id };
        const rows = yield* own.takeOver.all({ ...wanted, ...getSettled() });
        return rows.flatMap((row) => {
          const run = toInterruptedRun(row);
          return run === undefined ? [] : toClaimed(run, row);
        });
      });
    },
    async countNewer() {
      return Number((await connection.read(() => own.countNewer.get({ formats })))?.n);
    },
    events: (runId, owner) => connection.read(() => readRunEvents(runId, owner)),
    async endRun(runId, store) {
      // Whoever keeps it tries again where that fails.
      unstored.set(runId, unstored.get(runId) ?? driven.expect(runId));
      driven.end(runId);
      await store();
      unstored.delete(runId);
    },
    async close() {
      sharedRuns.close();
      await ignoreRejection(withdrawAll(), "nothing more can be done about what the database does not take back");
      await lease.release();
    },
  };
}

interface ClaimedRun {
  run: InterruptedRun;
  /** Counts as `TakenRun.ends` does, or is `handedOver`. */
  ends: number;
  epoch: number;
}

function toClaimed(run: InterruptedRun, { ends, epoch }: Row): ClaimedRun {
  return { run, ends: Number(ends), epoch: Number(epoch) };
}

interface StepContext {
  holder: string;
  files: NonNullable<NewStep["files"]>;
  readNow(): Work<number>;
}

/** Returns null where the run belongs to another replica. */
function* addStepWithFiles(
  { run, epoch, caller, usage, ...step }: StoredStep,
  { holder, files, readNow }: StepContext,
): Work<StepWritten | null> {
  if ((yield* own.holdRun.get({ run, holder, epoch })) === undefined) return null;
  const isNew = (yield* own.addStep.run({ run, ...step })) > 0;
  yield* addRunFiles({ run, holder }, files);
  return { today: isNew && usage ? yield* countUsage(caller, usage, yield* readNow()) : undefined };
}
