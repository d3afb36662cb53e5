import { hasHolder, isAlive, isRecorded, lastAt } from "../journal/journal-texts.ts";
import { channel } from "../notifications.ts";

const isHeld = hasHolder(isAlive);

const selectShared = `
  SELECT r.run, r.owner, r.conversation, r.header, r.begun_at, ${lastAt} AS last_at, ${isHeld} AS is_held,
    extract(epoch FROM now() - CAST(${lastAt} AS timestamptz)) * 1000 AS age_ms,
    EXISTS (SELECT 1 FROM run_questions q WHERE q.run = r.run AND q.reply IS NULL) AS waits
  FROM journal_runs r`;

/** Is true while the run `$1` belongs to the process `$3` in the epoch `$4`. */
const isOwn = "EXISTS (SELECT 1 FROM journal_runs r WHERE r.run = $1 AND r.holder = $3 AND r.epoch = $4)";

/** Holds the statements with which processes follow and steer the runs of each other. */
export const runTexts = {
  /** A run that somebody has stopped goes on until it has written its answer. */
  find: `${selectShared} WHERE r.run = $1 AND (r.state = 'going' OR r.state <> 'ended' AND ${isHeld})`,
  list: `
    ${selectShared} WHERE r.state = 'going' AND r.owner IS NOT DISTINCT FROM $1 ORDER BY r.begun_at DESC, r.run`,
  /** A header may hold what PostgreSQL does not read as JSON, so it is looked for in the text. */
  listSame: `
    ${selectShared} WHERE r.state = 'going' AND r.owner IS NOT DISTINCT FROM $1 AND position($2 IN r.header) > 0
    ORDER BY r.begun_at DESC, r.run`,
  /** Reads what is new of many runs at once. */
  readNews: `
    SELECT r.run IS NULL OR r.state = 'ended' OR r.state <> 'going' AND NOT ${isHeld} AS is_over,
      ARRAY(SELECT e.data FROM journal_events e WHERE e.run = w.run AND e.n >= w.n ORDER BY e.n) AS events,
      q.id, q.question, extract(epoch FROM q.until - now()) * 1000 AS left_ms
    FROM unnest($1::text[], $2::integer[]) WITH ORDINALITY AS w (run, n, place) LEFT JOIN journal_runs r ON r.run = w.run
      LEFT JOIN LATERAL (
        SELECT * FROM run_questions o WHERE o.run = w.run AND o.reply IS NULL AND r.state = 'going' ORDER BY o.n DESC LIMIT 1
      ) q ON true
    ORDER BY w.place`,
  /** A stop stays, because the process that reads it may end before the run does. */
  readMail: `
    WITH own AS (SELECT run FROM journal_runs WHERE holder = $1 AND run = ANY($2::text[])), read AS (
      DELETE FROM run_messages m USING own WHERE m.run = own.run AND NOT m.stays RETURNING m.n, m.run, m.data)
    SELECT n, run, data FROM read
    UNION ALL SELECT m.n, m.run, m.data FROM run_messages m JOIN own USING (run) WHERE m.stays
    UNION ALL SELECT 0, q.run, json_build_object('type', 'answer', 'questionId', q.id, 'reply', q.reply::json)::text
      FROM run_questions q JOIN own USING (run) WHERE q.reply IS NOT NULL AND NOT ${isRecorded}
    ORDER BY n`,
  send: `
    WITH sent AS (
      INSERT INTO run_messages (run, data, stays) SELECT run, $2, $3 = 1 FROM journal_runs WHERE run = $1 AND state <> 'ended' RETURNING n)
    SELECT pg_notify('${channel}', $4) FROM sent`,
  removeMail: "DELETE FROM run_messages WHERE run = $1 AND data = ANY($2::text[]) RETURNING data",
  /**
   * Takes over the question that an earlier holder of the run has asked in the same words, with its reply and its end, which leaves a person
   * `$8` milliseconds at least. Everything else that an earlier holder has asked is void.
   */
  post: `
    WITH held AS (
      SELECT run FROM journal_runs WHERE run = $1 AND holder = $2 AND epoch = $3 AND state = 'going' FOR SHARE),
    known AS (
      UPDATE run_questions q SET epoch = $3,
        until = greatest(q.until, now() + least($6, $8::double precision) * interval '1 millisecond') FROM held
      WHERE q.run = held.run AND q.epoch < $3 AND q.question = $5
      RETURNING q.id, q.reply, extract(epoch FROM q.until - now()) * 1000 AS left_ms),
    void AS (
      DELETE FROM run_questions q USING held
      WHERE q.run = held.run AND q.epoch < $3 AND q.question <> $5 AND NOT ${isRecorded}),
    posted AS (
      INSERT INTO run_questions (run, id, epoch, question, until)
      SELECT run, $4, $3, $5, now() + $6 * interval '1 millisecond' FROM held WHERE NOT EXISTS (SELECT 1 FROM known))
    SELECT id, reply, left_ms, pg_notify('${channel}', $7) FROM known
    UNION ALL SELECT NULL, NULL, NULL, pg_notify('${channel}', $7) FROM held WHERE NOT EXISTS (SELECT 1 FROM known)`,
  claim: `
    WITH claimed AS (UPDATE run_questions SET reply = $3 WHERE run = $1 AND id = $2 AND reply IS NULL RETURNING n)
    SELECT pg_notify('${channel}', $4) FROM claimed`,
  listQuestions:
    "SELECT id, question, reply FROM run_questions WHERE run = $1 AND reply IS DISTINCT FROM 'null' ORDER BY n",
  /** Says that nobody has replied. A process that has lost the run says nothing of a question that the next one has taken over. */
  giveUp: `
    WITH claimed AS (
      UPDATE run_questions SET reply = 'null' WHERE run = $1 AND id = $2 AND reply IS NULL AND ${isOwn} RETURNING n)
    SELECT pg_notify('${channel}', $5) FROM claimed`,
  withdraw: `
    WITH withdrawn AS (DELETE FROM run_questions WHERE run = $1 AND id = $2 AND ${isOwn} RETURNING n)
    SELECT pg_notify('${channel}', $5) FROM withdrawn`,
};
