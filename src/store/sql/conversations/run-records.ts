import type { StoredBytes } from "../../../core/files/run-files.ts";
import type { AgentEvent } from "../../../core/run/events.ts";
import { toConversationTitle } from "../../../core/store/conversations/conversation-title.ts";
import {
  type InterruptedRun,
  keepEventsMs,
  keepInterruptedMs,
  type NewRunRecord,
  type TakenRun,
} from "../../../core/store/journal.ts";
import { toText } from "../../../kit/json.ts";
import { statements } from "../statements/statements.ts";
import type { Row, Work } from "../work.ts";
import { toEvents, toFiles, toStep } from "./journal-rows.ts";
import { type Owner, updateConversation } from "./update-conversation.ts";

/** Begins or touches the conversation of a run that is about to be recorded: it is there whatever becomes of the run. */
export function* openRunConversation({ conversationId: id, owner, header }: NewRunRecord): Work<void> {
  const title = toConversationTitle(header.question);
  yield* updateConversation({ id, owner: owner ?? null, title, folder: header.folder });
}

/** Reads the events that readers of a run may have received, in order. */
export function* readRunEvents(run: string, owner: string | undefined): Work<AgentEvent[]> {
  return (yield* statements.journalEvents.all({ run, owner: owner ?? null })).flatMap(toEvents);
}

/** Is what is recorded of a run that its new process has just claimed. */
export type RecordedRun = Omit<TakenRun, "journal">;

/** Reads what is recorded of a run, and ends what its last process had reserved for it. Belongs to a transaction of whoever has claimed it. */
export function* openRecordedRun(run: InterruptedRun, ends: number): Work<RecordedRun> {
  const { runId } = run;
  yield* statements.dropRunReservations.run({ run: runId });
  const steps = yield* statements.journalSteps.all({ run: runId });
  const events = yield* readRunEvents(runId, run.owner);
  const files = yield* statements.journalFiles.all({ run: runId });
  return { ...run, ends, steps: steps.map(toStep), events, files: files.flatMap(toFiles) };
}

/**
 * Forgets the steps of a run that is being stored. Returns false where it is not recorded. Belongs to the transaction that stores
 * it.
 */
export function* endRunRecord(run: string, owner: Owner, holder: string | null, now: number): Work<boolean> {
  const ended = yield* statements.endJournalRun.get({ run, owner, holder, now: new Date(now).toISOString() });
  if (ended === undefined) return false;
  yield* statements.dropJournalSteps.run({ run });
  return true;
}

/** Limits the runs that one step removes, with the events of each. */
const mostEnded = 500;

/** Removes the events of some runs that ended long ago. Returns true where there may be more of them. */
export function* pruneEndedRuns(now: number): Work<boolean> {
  const ended = new Date(now - keepEventsMs).toISOString();
  return (yield* statements.pruneEndedJournalRuns.run({ ended, limit: mostEnded })) === mostEnded;
}

/** Removes the runs that nobody has resumed. */
export function* pruneInterruptedRuns(now: number): Work<void> {
  const begun = new Date(now - keepInterruptedMs).toISOString();
  yield* dropUnnamed(yield* statements.pruneJournalFiles.all({ begun }));
  yield* statements.pruneJournalRuns.run({ begun });
}

/** Removes the records of a conversation's runs. */
export function* dropRunRecords(key: { id: string; owner: Owner }): Work<void> {
  yield* dropUnnamed(yield* statements.dropJournalFilesOf.all(key));
  yield* statements.dropJournalRunsOf.run(key);
}

/** Forgets the files of a run whose conversation has named those that it keeps. */
export function* dropRunFiles(run: string): Work<void> {
  yield* dropUnnamed(yield* statements.dropJournalFiles.all({ run }));
}

function* dropUnnamed(rows: readonly Row[]): Work<void> {
  for (const { hash } of rows) yield* statements.dropUnnamedFile.run({ hash: toText(hash) });
}

/** Records the bytes of a run that belongs to this process. */
export function* addRunFiles(held: { run: string; holder: string }, files: readonly StoredBytes[] = []): Work<void> {
  for (const { hash, bytes } of files) {
    yield* statements.addFile.run({ hash, bytes });
    yield* statements.nameJournalFile.run({ ...held, hash });
  }
}
