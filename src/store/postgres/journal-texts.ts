import { channel } from "./notifications.ts";

/**
 * Selects the runs that are written to and still belong to this process. Others wait to take one of them until the write is stored.
 * `$1` lists the runs, `$2` their epochs, and `$3` is the holder.
 */
const selectHeld = (state: string): string => `
  held AS (
    SELECT r.run, r.epoch FROM journal_runs r JOIN unnest($1::text[], $2::integer[]) AS w (run, epoch)
      ON r.run = w.run AND r.epoch = w.epoch
    WHERE r.holder = $3 ${state} FOR SHARE OF r)`;

/** Selects a run with the time of its last step, and whether the replica that holds it is gone. */
const selectRun = `
  SELECT r.run, r.owner, r.conversation, r.header, r.holder, r.epoch, r.begun_at,
    coalesce((SELECT max(at) FROM journal_steps s WHERE s.run = r.run), r.begun_at) AS last_at,
    NOT EXISTS (SELECT 1 FROM replicas p WHERE p.id = r.holder AND p.alive_until > now()) AS is_gone
  FROM journal_runs r WHERE r.state = 'going'`;

/** Holds the statements of the journal that PostgreSQL alone has: each writes the steps or events of all runs at once. */
export const journalTexts = {
  begin: `
    INSERT INTO journal_runs (run, owner, conversation, header, state, holder, begun_at)
    VALUES (:run, :owner, :conversation, :header, 'going', :holder, :now)`,
  /** A question stays until its answer is recorded. `$10` lists the runs of which one is. */
  addSteps: `
    WITH ${selectHeld("AND r.state = 'going'")}, answered AS (
      DELETE FROM run_questions q USING held
      WHERE q.run = held.run AND q.reply IS NOT NULL AND q.run = ANY($10::text[])), added AS (
      INSERT INTO journal_steps (run, name, spent_ms, at, data)
      SELECT s.run, s.name, s.spent, s.at, s.data
      FROM unnest($4::text[], $5::integer[], $6::text[], $7::double precision[], $8::text[], $9::text[])
        WITH ORDINALITY AS s (run, epoch, name, spent, at, data, place) JOIN held USING (run, epoch)
      ORDER BY s.place)
    SELECT run, epoch FROM held`,
  /** The last events of a run come when its end is stored. Readers in other processes are told once for all runs, by the text `$8`. */
  addEvents: `
    WITH ${selectHeld("")}, added AS (
      INSERT INTO journal_events (run, n, data)
      SELECT e.run, e.n, e.data FROM unnest($4::text[], $5::integer[], $6::integer[], $7::text[]) AS e (run, epoch, n, data)
        JOIN held USING (run, epoch)
      ON CONFLICT (run, n) DO UPDATE SET data = excluded.data)
    SELECT run, epoch, pg_notify('${channel}', $8) FROM held`,
  /** Nobody else takes the run until the step is stored with its files. */
  holdRun: `
    SELECT 1 FROM journal_runs WHERE run = :run AND holder = :holder AND epoch = :epoch AND state = 'going' FOR SHARE`,
  addStep: `
    INSERT INTO journal_steps (run, name, spent_ms, at, data) VALUES (:run, :name, :spent, :now, :data)`,
  forbid: `
    UPDATE journal_runs SET state = :state
    WHERE run = :run AND holder = :holder AND epoch = :epoch AND state = 'going'`,
  runs: `${selectRun} ORDER BY r.begun_at, r.run`,
  runsOf: `${selectRun} AND r.conversation = :id ORDER BY r.begun_at, r.run`,
  run: `${selectRun} AND r.run = :run`,
  /** An end that came after a new record does not count. The next holder has the next epoch. */
  take: `
    UPDATE journal_runs r SET holder = :holder, epoch = epoch + 1,
      ends = CASE WHEN (SELECT count(*) FROM journal_steps s WHERE s.run = r.run) = taken_steps THEN ends + 1 ELSE 0 END,
      taken_steps = (SELECT count(*) FROM journal_steps s WHERE s.run = r.run)
    WHERE run = :run AND epoch = :epoch AND state = 'going'
      AND NOT EXISTS (SELECT 1 FROM replicas p WHERE p.id = r.holder AND p.alive_until > now())
    RETURNING ends, epoch`,
};
