import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { StoredBytes } from "../../../core/files/run-files.ts";
import { type Spend, type StepUsage, toUsageKey } from "../../../core/store/daily-usage.ts";
import {
  type InterruptedRun,
  type Journal,
  LostRunError,
  type NewRunRecord,
  type RunJournal,
} from "../../../core/store/journal.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { toText } from "../../../kit/json.ts";
import type { StoreConnection } from "../../sql/connection.ts";
import { toInterruptedRun } from "../../sql/conversations/journal-rows.ts";
import {
  addRunFiles,
  openRecordedRun,
  openRunConversation,
  pruneEndedRuns,
  pruneInterruptedRuns,
  readRunEvents,
} from "../../sql/conversations/run-records.ts";
import { countUsage } from "../../sql/records/daily-usage.ts";
import { statements } from "../../sql/statements/statements.ts";
import type { Values, Work } from "../../sql/work.ts";
import { isHolderAlive, lockForProcess, type ProcessLock } from "./process-lock.ts";

export interface SqliteJournal extends Journal {
  /** Ends the ownership of this process: what it has not ended is interrupted. */
  close(): void;
}

/** Is how often old records are looked for, in milliseconds: they stay for days, and the look takes longer than to begin a run. */
const pruneEveryMs = 60_000;

/** Stores the journal in the store's own file. A run belongs to a process, which holds a lock beside the store while it lives. */
export function createSqliteJournal(
  file: string,
  connection: StoreConnection,
  readNow: () => number = Date.now,
): SqliteJournal {
  /** Is when old records are looked for again, in milliseconds since 1970. */
  let pruneAt = 0;
  let lock: ProcessLock | undefined;

  function getHolder(): string {
    lock ??= lockForProcess(file);
    return lock.holder;
  }

  const isGone = (holder: string): boolean => holder !== lock?.holder && !isHolderAlive(file, holder);

  /** Names the file that forbids a run while the store cannot be written. It is empty, as a full disk still takes such a file. */
  const toMark = (runId: string): string => `${file}-unrecorded-${encodeURIComponent(runId)}`;

  async function forbid(run: string, holder: string, state: "stopped" | "unrecorded"): Promise<void> {
    await connection.writeGrouped(() => statements.forbidJournalRun.run({ run, holder, state }));
    rmSync(toMark(run), { force: true });
  }

  /** Is true for a run that was forbidden while the store could not be written. The store learns it now, if it can. */
  async function isMarked(runId: string, holder: string): Promise<boolean> {
    if (!existsSync(toMark(runId))) return false;
    await ignoreRejection(forbid(runId, holder, "unrecorded"), "the file stays, and the next look tries again");
    return true;
  }

  /** Returns a run that may be taken from the process that `was` its holder. */
  async function findGone(runId: string): Promise<{ run: InterruptedRun; was: string } | undefined> {
    const row = await connection.read(() => statements.journalRun.get({ run: runId }));
    const run = row && toInterruptedRun(row);
    const was = toText(row?.holder);
    return run && isGone(was) && !(await isMarked(runId, was)) ? { run, was } : undefined;
  }

  function openRun(runId: string, owner: string | undefined): RunJournal {
    const held = { run: runId, holder: getHolder() };
    return {
      runId,
      async add({ name, spentMs, data, files, usage }) {
        const step = { ...held, name, spent: spentMs, now: new Date().toISOString(), data: JSON.stringify(data) };
        const added = await connection.writeGrouped(() =>
          addStep(step, { files, used: usage && { caller: toUsageKey(owner), usage, now: readNow() } }),
        );
        if (added === undefined) throw new LostRunError(runId);
        return added.today;
      },
      async addEvents(from, events) {
        const rows = events.map((event, index) => ({ ...held, n: from + index, data: JSON.stringify(event) }));
        const added = await connection.writeGrouped(() => statements.addJournalEvent.runEach(rows));
        if (added < rows.length) throw new LostRunError(runId);
      },
      async forbid(reason) {
        try {
          await forbid(runId, held.holder, reason);
        } catch (thrown) {
          writeFileSync(toMark(runId), "", { mode: 0o600 });
          throw thrown;
        }
      },
    };
  }

  return {
    async begin(record) {
      const { runId, owner = null, conversationId, header } = record;
      const journal = openRun(runId, record.owner);
      const now = Date.now();
      const row = {
        run: runId,
        holder: getHolder(),
        owner,
        conversation: conversationId,
        header: JSON.stringify(header),
        now: new Date(now).toISOString(),
      };
      const hasPruned = await connection.writeGrouped(() => addRun(record, row, now >= pruneAt ? now : undefined));
      // Runs in between do not put it off: where one begins every few seconds, the time would never come.
      if (hasPruned) pruneAt = Math.max(pruneAt, now + pruneEveryMs);
      return journal;
    },
    async listInterrupted(id) {
      const rows = await connection.read(() =>
        id === undefined ? statements.goingJournalRuns.all() : statements.goingJournalRunsOf.all({ id }),
      );
      const gone = new Map<string, boolean>();
      const interrupted: InterruptedRun[] = [];
      for (const row of rows) {
        const holder = toText(row.holder);
        const isHolderGone = gone.get(holder) ?? isGone(holder);
        gone.set(holder, isHolderGone);
        const run = isHolderGone ? toInterruptedRun(row) : undefined;
        if (run && !(await isMarked(run.runId, holder))) interrupted.push(run);
      }
      return interrupted;
    },
    findInterrupted: async (runId) => (await findGone(runId))?.run,
    async isGoing(runId) {
      const row = await connection.read(() => statements.journalRun.get({ run: runId }));
      return row !== undefined && !isGone(toText(row.holder));
    },
    async take(runId) {
      const found = await findGone(runId);
      if (found === undefined) return undefined;
      const { run, was } = found;
      const holder = getHolder();
      const taken = await connection.write(function* () {
        const claim = yield* statements.takeJournalRun.get({ run: runId, holder, was });
        return claim && (yield* openRecordedRun(run, Number(claim.ends)));
      });
      return taken && { ...taken, journal: openRun(runId, run.owner) };
    },
    events: (runId, owner) => connection.read(() => readRunEvents(runId, owner)),
    close: () => lock?.release(),
  };
}

/** Is the part of a row that says which process the run belongs to. */
type HeldRow = Values & {
  run: string;
  holder: string;
};

/** Holds what is stored with a step. `now` is in milliseconds since 1970. */
interface StepParts {
  files: readonly StoredBytes[] | undefined;
  used: { caller: string; usage: StepUsage; now: number } | undefined;
}

/** Stores a step. Returns what its caller has used today, and undefined where the run belongs to another process. */
function* addStep(step: HeldRow, { files, used }: StepParts): Work<{ today: Spend | undefined } | undefined> {
  if ((yield* statements.addJournalStep.run(step)) === 0) return undefined;
  yield* addRunFiles(step, files);
  return { today: used && (yield* countUsage(used.caller, used.usage, used.now)) };
}

/** Stores the beginning of a run, and removes old records where `prunesAt` says when that is. Returns true where it did. */
function* addRun(record: NewRunRecord, row: HeldRow, prunesAt: number | undefined): Work<boolean> {
  if (prunesAt !== undefined) {
    yield* pruneEndedRuns(prunesAt);
    yield* pruneInterruptedRuns(prunesAt);
  }
  yield* openRunConversation(record);
  yield* statements.addJournalRun.run(row);
  yield* addRunFiles(row, record.files);
  return prunesAt !== undefined;
}
