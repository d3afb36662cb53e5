import { addToDay } from "../../sql/statements/upkeep-statements.ts";
import { defineStatement } from "../../sql/work.ts";
import { channel } from "../notifications.ts";

/**
 * Selects the runs that are written to and still belong to this process. Others wait to take one of them until the write is stored.
 * `$1` lists the runs, `$2` their epochs, and `$3` is the holder.
 */
const selectHeld = (state: string): string => `
  held AS (
    SELECT r.run, r.epoch FROM journal_runs r JOIN unnest($1::text[], $2::integer[]) AS w (run, epoch)
      ON r.run = w.run AND r.epoch = w.epoch
    WHERE r.holder = $3 ${state} FOR SHARE OF r)`;

/** Writes a time as ISO 8601, UTC. A colon in the text of a statement begins a parameter. */
const toIso = (time: string): string =>
  `to_char((${time}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24' || chr(58) || 'MI' || chr(58) || 'SS.MS"Z"')`;

/** Is now by the database's clock. Those of the replicas may differ. */
const now = toIso("now()");

/** Is the day of UTC. */
const today = "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')";

/** Is true of a replica `p` that has given a sign of life within its lease. */
export const isAlive = "p.alive_until > now()";

/**
 * Is true of a replica `p` that may hold runs. One that has given no sign of life for a whole lease holds them no more, but whoever was
 * not connected for as long cannot know that: after an outage all look gone. A replica that has ended in order is in the table no more.
 */
const isLiving = `(${isAlive} OR :settled = 0)`;

/**
 * Is a table of the replicas that hold runs and are gone. They are locked, so that one that comes back waits with its sign of life until
 * they are taken, and sees that then; one that is just giving it is passed over.
 */
const goneReplicas = `
  gone AS MATERIALIZED (
    SELECT p.id FROM replicas p
    WHERE NOT ${isLiving} AND EXISTS (SELECT 1 FROM journal_runs u WHERE u.holder = p.id AND u.state = 'going')
    FOR SHARE OF p SKIP LOCKED)`;

/** Is true of a run `u` that no replica holds. */
const isUnheld = `
  (u.holder IS NULL OR u.holder IN (SELECT id FROM gone) OR NOT EXISTS (SELECT 1 FROM replicas p WHERE p.id = u.holder))`;

/** Is true while the holder of the run `r` is a replica `p` of which the condition is true. */
export const hasHolder = (condition: string): string =>
  `EXISTS (SELECT 1 FROM replicas p WHERE p.id = r.holder AND ${condition})`;

/**
 * Is a table of the runs that no replica holds, by a look at the holders alone: every replica looks at all runs that go on, twice a second.
 * What else has to hold is read of these few.
 */
const unheldRuns = `
  unheld AS MATERIALIZED (
    SELECT u.run, u.epoch FROM journal_runs u WHERE u.state = 'going' AND ${isUnheld})`;

/** Is the time of the last step of the run `r`. */
export const lastAt = "coalesce((SELECT max(at) FROM journal_steps s WHERE s.run = r.run), r.begun_at)";

/** Selects a run with the time of its last step, and whether the replica that holds it is gone. */
const selectRun = `
  SELECT r.run, r.owner, r.conversation, r.header, r.holder, r.epoch, r.begun_at, ${lastAt} AS last_at,
    extract(epoch FROM now() - CAST(${lastAt} AS timestamptz)) * 1000 AS age_ms,
    NOT ${hasHolder(isLiving)} AS is_gone
  FROM journal_runs r WHERE r.state = 'going'`;

/** Is a run of a format that this program reads. `:formats` is a list as PostgreSQL writes it. */
const isReadable = "r.format = ANY(CAST(:formats AS integer[]))";

/** Is what `taken_steps` is where a run was let go in order, so that no number of steps is the same. */
const letGo = -1;

/** Is what `ends` is where a run was taken that was let go in order. To earlier programs it is one end less than none. */
export const handedOver = -1;

/** Is what a run has when it is taken. An end that came after a new record, or in order, does not count. The next holder has the next epoch. */
const taken = `
  holder = :holder, epoch = r.epoch + 1,
  ends = CASE
    WHEN r.taken_steps = ${letGo} THEN ${handedOver}
    WHEN (SELECT count(*) FROM journal_steps s WHERE s.run = r.run) = r.taken_steps THEN greatest(r.ends, 0) + 1
    ELSE 0 END,
  taken_steps = (SELECT count(*) FROM journal_steps s WHERE s.run = r.run)`;

/**
 * Is the interface through which the run `r` was asked for. A question with U+0000 or half a surrogate pair is no JSON to PostgreSQL, and
 * one such run would keep all others from being taken. Within a string of JSON a quote has a backslash before it.
 */
const entrance = `substring(r.header from '"entrance":"([a-z]+)"')`;

/**
 * Is true of a question `q` whose answer its run has recorded. It is no question to the next process that asks in the same words, and stays
 * so that whoever sends the same answer again learns that it counts.
 */
export const isRecorded = "starts_with(q.question, ' ')";

/** Holds the statements that write the steps or the events of all runs of a process at once. */
export const groupedTexts = {
  /**
   * A write whose answer was lost is made again, and adds nothing then, also where the first one is still being stored: a step has a
   * unique key. A question waits until its answer is recorded: `$9` lists the
   * runs of which one is. What the steps have used, null where that is nothing, is counted for their callers `$10`, and the reservations
   * `$13` end with it. Callers are in order, so that no two replicas wait for one another.
   */
  addSteps: `
    WITH ${selectHeld("AND r.state = 'going'")}, answered AS (
      UPDATE run_questions q SET question = ' ' || q.question FROM held
      WHERE q.run = held.run AND q.reply IS NOT NULL AND NOT ${isRecorded} AND q.run = ANY($9::text[])), steps AS (
      SELECT s.* FROM unnest(
        $4::text[], $5::integer[], $6::text[], $7::double precision[], $8::text[], $10::text[], $11::bigint[], $12::double precision[])
        WITH ORDINALITY AS s (run, epoch, name, spent, data, caller, tokens, cost, place) JOIN held USING (run, epoch)), added AS (
      INSERT INTO journal_steps (run, name, spent_ms, at, data)
      SELECT s.run, s.name, s.spent, ${now}, s.data FROM steps s ORDER BY s.place
      ON CONFLICT DO NOTHING RETURNING run, name), settled AS (
      DELETE FROM usage_reservations WHERE id = ANY($13::text[])), counted AS (
      INSERT INTO daily_usage (caller, day, tokens, cost)
      SELECT s.caller, coalesce($14, ${today}), sum(s.tokens), sum(s.cost) FROM steps s JOIN added USING (run, name)
      WHERE s.tokens IS NOT NULL GROUP BY s.caller ORDER BY s.caller
      ${addToDay} RETURNING caller, tokens, cost)
    SELECT s.run, s.epoch, c.tokens, c.cost FROM steps s LEFT JOIN counted c ON c.caller = s.caller`,
  /** The last events of a run come when its end is stored. Readers in other processes are told once for all runs, by the text `$8`. */
  addEvents: `
    WITH ${selectHeld("")}, added AS (
      INSERT INTO journal_events (run, n, data)
      SELECT e.run, e.n, e.data FROM unnest($4::text[], $5::integer[], $6::integer[], $7::text[]) AS e (run, epoch, n, data)
        JOIN held USING (run, epoch)
      ON CONFLICT (run, n) DO UPDATE SET data = excluded.data)
    SELECT run, epoch, pg_notify('${channel}', $8) FROM held`,
};

/** Holds the other statements of the journal that PostgreSQL alone has. */
export const own = {
  /**
   * The format is the newest that every living replica reads. A run of which it was not known whether it is recorded may begin again: its
   * asker was told that it could not, and asks once more with the same key.
   */
  begin: defineStatement(`
    INSERT INTO journal_runs (run, owner, conversation, header, state, holder, begun_at, format)
    VALUES (:run, :owner, :conversation, :header, 'going', :holder, ${now}, (
      SELECT coalesce(max(f), 1) FROM unnest(CAST(:formats AS integer[])) AS f
      WHERE NOT EXISTS (SELECT 1 FROM replicas p WHERE ${isAlive} AND NOT f = ANY(p.formats))))
    ON CONFLICT (run) DO UPDATE SET conversation = excluded.conversation, header = excluded.header, state = 'going',
      holder = excluded.holder, epoch = journal_runs.epoch + 1, begun_at = excluded.begun_at, format = excluded.format
    WHERE journal_runs.owner IS NOT DISTINCT FROM excluded.owner
      AND (journal_runs.state = 'unrecorded' OR journal_runs.state = 'going' AND journal_runs.holder = excluded.holder)
      AND NOT EXISTS (SELECT 1 FROM journal_steps s WHERE s.run = journal_runs.run)
    RETURNING epoch`),
  /** Finds what `begin` would not begin anew. */
  begun: defineStatement(`
    SELECT 1 FROM journal_runs r
    WHERE run = :run AND (state <> 'unrecorded' OR EXISTS (SELECT 1 FROM journal_steps s WHERE s.run = r.run))`),
  /** Nobody else takes the run until the step is stored with its files. */
  holdRun: defineStatement(`
    SELECT 1 FROM journal_runs WHERE run = :run AND holder = :holder AND epoch = :epoch AND state = 'going' FOR SHARE`),
  addStep: defineStatement(`
    INSERT INTO journal_steps (run, name, spent_ms, at, data)
    VALUES (:run, :name, :spent, ${now}, :data) ON CONFLICT DO NOTHING`),
  forbid: defineStatement(`
    UPDATE journal_runs SET state = :state
    WHERE run = :run AND holder = :holder AND epoch = :epoch AND state = 'going'`),
  letGo: defineStatement(`
    UPDATE journal_runs SET holder = NULL, taken_steps = CASE WHEN :orderly = 1 THEN ${letGo} ELSE taken_steps END
    WHERE run = :run AND holder = :holder AND epoch = :epoch AND state = 'going'`),
  /** A run whose asker was told that it could not begin. */
  withdraw: defineStatement(`
    UPDATE journal_runs SET state = 'unrecorded'
    WHERE run = :run AND holder = :holder AND epoch = :epoch AND state = 'going'`),
  /** Is for a run of which it is not known whether it is recorded, and in which epoch. */
  withdrawUnknown: defineStatement(`
    UPDATE journal_runs SET state = 'unrecorded' WHERE run = :run AND holder = :holder AND state = 'going'`),
  /** Is true, too, where no other replica lives: whoever comes next may read it. */
  hasReader: defineStatement(`
    SELECT coalesce(bool_or(r.format = ANY(p.formats)), true) AS has_reader
    FROM journal_runs r LEFT JOIN replicas p ON p.id <> :holder AND ${isAlive} WHERE r.run = :run`),
  countNewer: defineStatement(`
    SELECT count(*) AS n FROM journal_runs r
    WHERE r.state = 'going' AND NOT ${isReadable}
      AND NOT EXISTS (SELECT 1 FROM replicas p WHERE ${isAlive} AND r.format = ANY(p.formats))`),
  runs: defineStatement(`${selectRun} ORDER BY r.begun_at, r.run`),
  runsOf: defineStatement(`${selectRun} AND r.conversation = :id ORDER BY r.begun_at, r.run`),
  run: defineStatement(`${selectRun} AND r.run = :run`),
  take: defineStatement(`
    WITH ${goneReplicas}, ${unheldRuns}
    UPDATE journal_runs r SET ${taken}
    FROM unheld u WHERE u.run = r.run AND r.run = :run AND r.epoch = :epoch AND r.state = 'going' AND ${isReadable}
    RETURNING r.ends, r.epoch`),
  /**
   * Passes over what another replica is about to take. What one has taken since this statement began has another epoch than it had then:
   * PostgreSQL looks at a locked row once more as it is now, but at its holder in `replicas` as NOT EXISTS has found it before, so that
   * nothing but the epoch tells it. An array is read once, where a list may be read for each row, and pass the limit.
   */
  takeOver: defineStatement(`
    WITH ${goneReplicas}, ${unheldRuns}
    UPDATE journal_runs r SET ${taken}
    WHERE run = ANY(ARRAY(
      SELECT r.run FROM journal_runs r JOIN unheld u ON u.run = r.run AND u.epoch = r.epoch
      WHERE r.run = ANY(ARRAY(SELECT run FROM unheld)) AND r.state = 'going' AND ${isReadable} AND ${entrance} = :entrance
        AND ${lastAt} >= ${toIso("now() - :within * interval '1 millisecond'")}
      ORDER BY r.begun_at FOR UPDATE OF r SKIP LOCKED LIMIT :most))
    RETURNING r.run, r.owner, r.conversation, r.header, r.begun_at, ${lastAt} AS last_at, r.ends, r.epoch`),
};

/** Moves the end of a replica's lease on. All times are the database's. */
export const renewalText = `
  INSERT INTO replicas AS r (id, alive_until, formats) VALUES ($1, now() + $2 * interval '1 millisecond', $3::integer[])
  ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until, renewals = r.renewals + 1`;

/** Lists the runs that a replica holds, once it has renewed its lease: one statement would not see what was taken while it waited. */
export const ownedRunsText = "SELECT run, epoch FROM journal_runs WHERE holder = $1 AND state = 'going'";

/** Forgets replicas that ended long ago, of which nothing is to be taken over. */
export const forgetReplicasText = `
  DELETE FROM replicas p WHERE alive_until < now() - interval '1 day'
    AND NOT EXISTS (SELECT 1 FROM journal_runs r WHERE r.holder = p.id AND r.state = 'going')`;
