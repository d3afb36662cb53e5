import { defineStatement } from "../work.ts";

/** Selects a run that this process may write: another one may have taken it, or its conversation was removed. */
const held = "SELECT 1 FROM journal_runs WHERE run = :run AND holder = :holder AND state = 'going'";

/** Holds the statements of the journal. What writes to a run does so only while the run belongs to this process. */
export const journalStatements = {
  addJournalRun: defineStatement(`
      INSERT INTO journal_runs (run, owner, conversation, header, state, holder, ends, taken_steps, begun_at)
      VALUES (:run, :owner, :conversation, :header, 'going', :holder, 0, 0, :now)`),
  addJournalStep: defineStatement(`
      INSERT INTO journal_steps (run, name, spent_ms, at, data)
      SELECT :run, :name, :spent, :now, :data WHERE EXISTS (${held})`),
  /** The last events of a run come when its end is stored. */
  addJournalEvent: defineStatement(`
      INSERT INTO journal_events (run, n, data)
      SELECT :run, :n, :data WHERE EXISTS (SELECT 1 FROM journal_runs WHERE run = :run AND holder = :holder)
      ON CONFLICT (run, n) DO UPDATE SET data = excluded.data`),
  nameJournalFile: defineStatement(`
      INSERT INTO journal_files (run, hash) SELECT :run, :hash WHERE EXISTS (${held}) ON CONFLICT DO NOTHING`),
  journalFiles: defineStatement(`
      SELECT f.hash AS hash, f.bytes AS bytes FROM journal_files n JOIN files f ON f.hash = n.hash WHERE n.run = :run`),
  forbidJournalRun: defineStatement(`
      UPDATE journal_runs SET state = :state WHERE run = :run AND holder = :holder AND state = 'going'`),
  /** An end that came after a new record does not count. */
  takeJournalRun: defineStatement(`
      UPDATE journal_runs SET holder = :holder,
        ends = CASE WHEN (SELECT count(*) FROM journal_steps s WHERE s.run = journal_runs.run) = taken_steps THEN ends + 1 ELSE 0 END,
        taken_steps = (SELECT count(*) FROM journal_steps s WHERE s.run = journal_runs.run)
      WHERE run = :run AND holder = :was AND state = 'going'
      RETURNING ends`),
  goingJournalRuns: defineStatement(`
      SELECT run, owner, conversation, header, holder, begun_at,
        coalesce((SELECT max(at) FROM journal_steps s WHERE s.run = journal_runs.run), begun_at) AS last_at
      FROM journal_runs WHERE state = 'going' ORDER BY begun_at, run`),
  goingJournalRunsOf: defineStatement(`
      SELECT run, owner, conversation, header, holder, begun_at,
        coalesce((SELECT max(at) FROM journal_steps s WHERE s.run = journal_runs.run), begun_at) AS last_at
      FROM journal_runs WHERE conversation = :id AND state = 'going' ORDER BY begun_at, run`),
  journalRun: defineStatement(`
      SELECT run, owner, conversation, header, holder, begun_at,
        coalesce((SELECT max(at) FROM journal_steps s WHERE s.run = journal_runs.run), begun_at) AS last_at
      FROM journal_runs WHERE run = :run AND state = 'going'`),
  journalSteps: defineStatement("SELECT name, spent_ms, at, data FROM journal_steps WHERE run = :run ORDER BY n"),
  journalEvents: defineStatement(`
      SELECT e.data AS data FROM journal_events e JOIN journal_runs r ON r.run = e.run
      WHERE e.run = :run AND r.owner IS :owner ORDER BY e.n`),
  /** Belongs to the transaction that stores the end of the run. A run that was stopped is its holder's until then. */
  endJournalRun: defineStatement(`
      UPDATE journal_runs SET state = 'ended', ended_at = :now WHERE run = :run AND owner IS :owner
        AND (state = 'ended' OR holder = :holder OR CAST(:holder AS text) IS NULL) RETURNING run`),
  isHeldElsewhere: defineStatement(`
      SELECT 1 AS found FROM journal_runs WHERE run = :run AND state <> 'ended' AND holder IS NOT :holder`),
  dropJournalSteps: defineStatement("DELETE FROM journal_steps WHERE run = :run"),
  dropJournalFiles: defineStatement("DELETE FROM journal_files WHERE run = :run RETURNING hash"),
  dropJournalFilesOf: defineStatement(`
      DELETE FROM journal_files
      WHERE run IN (SELECT run FROM journal_runs WHERE conversation = :id AND owner IS :owner) RETURNING hash`),
  pruneJournalFiles: defineStatement(`
      DELETE FROM journal_files
      WHERE run IN (SELECT run FROM journal_runs WHERE ended_at IS NULL AND begun_at < :begun) RETURNING hash`),
  dropJournalRunsOf: defineStatement("DELETE FROM journal_runs WHERE conversation = :id AND owner IS :owner"),
  pruneEndedJournalRuns: defineStatement(`
      DELETE FROM journal_runs
      WHERE run IN (SELECT run FROM journal_runs WHERE ended_at < :ended ORDER BY ended_at LIMIT :limit)`),
  pruneJournalRuns: defineStatement("DELETE FROM journal_runs WHERE ended_at IS NULL AND begun_at < :begun"),
};
