import type { StoredBytes } from "../../../core/files/run-files.ts";
import { keepEventsMs, keepInterruptedMs } from "../../../core/store/journal.ts";
import { toText } from "../../../kit/json.ts";
import { statements } from "../statements/statements.ts";
import type { Row, Work } from "../work.ts";
import type { Owner } from "./update-conversation.ts";

/**
 * Forgets the steps of a run that is being stored. Returns false where it is not recorded. Belongs to the transaction that stores
 * it.
 */
export function* endRunRecord(run: string, owner: Owner, holder: string | null): Work<boolean> {
  const ended = yield* statements.endJournalRun.get({ run, owner, holder, now: new Date().toISOString() });
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
