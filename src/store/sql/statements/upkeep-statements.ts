import { defineStatement } from "../work.ts";

/** Selects the conversations that nobody has pinned or named. */
const expendable = "pinned = 0 AND named_by_person = 0";

/** Measures a turn. */
const turnBytes =
  "octet_length(question) + octet_length(answer) + coalesce(octet_length(files), 0) + coalesce(octet_length(record), 0)";

/** Holds the statements that remove a conversation. Each finds rows of a conversation whose owner was checked before. */
export const removalStatements = {
  isOwned: defineStatement("SELECT 1 FROM conversations WHERE id = :id AND owner IS :owner"),
  isExpendable: defineStatement(`
      SELECT 1 FROM conversations
      WHERE id = :id AND owner IS :owner AND ${expendable} AND updated_at < :before`),
  oldestTraces: defineStatement(`
      SELECT n, octet_length(trace) + coalesce(octet_length(packed), 0) AS bytes FROM traces
      WHERE conversation = :id ORDER BY n LIMIT :limit`),
  oldestTurns: defineStatement(`
      SELECT n, ${turnBytes} AS bytes FROM turns WHERE conversation = :id ORDER BY n LIMIT :limit`),
  oldestResults: defineStatement(
    "SELECT n, octet_length(body) AS bytes FROM results WHERE conversation = :id ORDER BY n LIMIT :limit",
  ),
  oldestSources: defineStatement(`
      SELECT n, octet_length(title) + octet_length(snippet) AS bytes FROM sources
      WHERE conversation = :id ORDER BY n LIMIT :limit`),
  namedFiles: defineStatement(`
      SELECT n.hash AS hash, octet_length(f.bytes) AS bytes FROM conversation_files n JOIN files f ON f.hash = n.hash
      WHERE n.conversation = :id LIMIT :limit`),
  oldestResponses: defineStatement(`
      SELECT id AS n, octet_length(body) AS bytes FROM responses
      WHERE conversation = :id ORDER BY created_at LIMIT :limit`),
  unnameFile: defineStatement("DELETE FROM conversation_files WHERE conversation = :id AND hash = :hash"),
  dropUnnamedFile: defineStatement(`
      DELETE FROM files
      WHERE hash = :hash AND NOT EXISTS (SELECT 1 FROM conversation_files n WHERE n.hash = files.hash)
        AND NOT EXISTS (SELECT 1 FROM journal_files n WHERE n.hash = files.hash)`),
  dropTrace: defineStatement("DELETE FROM traces WHERE conversation = :id AND n = :n"),
  dropTurn: defineStatement("DELETE FROM turns WHERE conversation = :id AND n = :n"),
  dropSource: defineStatement("DELETE FROM sources WHERE conversation = :id AND n = :n"),
  dropResult: defineStatement("DELETE FROM results WHERE conversation = :id AND n = :n"),
  dropResponseOf: defineStatement("DELETE FROM responses WHERE conversation = :id AND id = :n"),
  dropIdempotencyRecords: defineStatement("DELETE FROM begun_runs WHERE conversation = :id AND owner IS :owner"),
  dropConversation: defineStatement("DELETE FROM conversations WHERE id = :id AND owner IS :owner"),
};

export const retentionStatements = {
  /** The index of these rows is read no further than to the first that is not old enough. */
  expired: defineStatement(`
      SELECT id, owner FROM conversations WHERE ${expendable} AND updated_at < :before ORDER BY updated_at LIMIT :limit`),
  /** Selects each with about what it takes: its turns, results, traces, sources, responses and files. */
  weighed: defineStatement(`
      SELECT id, owner, title, updated_at,
        (SELECT coalesce(sum(${turnBytes}), 0) FROM turns WHERE conversation = c.id)
        + (SELECT coalesce(sum(octet_length(body)), 0) FROM results WHERE conversation = c.id)
        + (SELECT coalesce(sum(octet_length(f.bytes)), 0) FROM conversation_files n JOIN files f ON f.hash = n.hash
           WHERE n.conversation = c.id)
        + (SELECT coalesce(sum(octet_length(trace) + coalesce(octet_length(packed), 0)), 0) FROM traces
           WHERE conversation = c.id)
        + (SELECT coalesce(sum(octet_length(url) + octet_length(title) + octet_length(snippet)), 0) FROM sources
           WHERE conversation = c.id)
        + (SELECT coalesce(sum(octet_length(body)), 0) FROM responses WHERE conversation = c.id) + 500 AS bytes
      FROM conversations c WHERE ${expendable} AND updated_at < :before ORDER BY updated_at`),
  upkeep: defineStatement("SELECT due_at, seen_at, trusted_at FROM upkeep WHERE id = 1"),
  putUpkeep: defineStatement(`
      INSERT INTO upkeep (id, due_at, seen_at, trusted_at) VALUES (1, :due, :seen, :trusted)
      ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, seen_at = excluded.seen_at, trusted_at = excluded.trusted_at`),
};

/** Sums up by a column. The names with the highest sums have places of their own, and all others share the one behind. */
function sumUpUsage(column: "model" | "caller"): string {
  return `
    WITH ranked AS (
      SELECT ${column} AS name, row_number() OVER (ORDER BY sum(cost) DESC, sum(tokens) DESC, ${column}) AS place
      FROM model_usage WHERE day >= :since GROUP BY ${column}
    ), placed AS (
      SELECT CASE WHEN place <= :most THEN name END AS name, CASE WHEN place <= :most THEN place ELSE :most + 1 END AS place,
        day, tokens, cost, unpriced
      FROM model_usage JOIN ranked ON name = ${column} WHERE day >= :since
    )
    SELECT name, day, sum(tokens) AS tokens, sum(cost) AS cost, sum(unpriced) AS unpriced FROM placed
    GROUP BY place, name, day ORDER BY place, day`;
}

/** Adds to what was used in a day before. */
export const addToDay = `ON CONFLICT (caller, day) DO UPDATE SET tokens = daily_usage.tokens + excluded.tokens,
        cost = daily_usage.cost + excluded.cost`;

export const dailyUsageStatements = {
  /** Is one statement, because a step that is recorded meanwhile moves its tokens from what is reserved to what is used. */
  usageToday: defineStatement(`
      SELECT
        (SELECT tokens FROM daily_usage WHERE caller = :caller AND day = :day) AS tokens,
        (SELECT cost FROM daily_usage WHERE caller = :caller AND day = :day) AS cost,
        (SELECT sum(tokens) FROM usage_reservations WHERE caller = :caller AND until > :now) AS reserved_tokens,
        (SELECT sum(cost) FROM usage_reservations WHERE caller = :caller AND until > :now) AS reserved_cost`),
  addUsage: defineStatement(`
      INSERT INTO daily_usage (caller, day, tokens, cost) VALUES (:caller, :day, :tokens, :cost)
      ${addToDay} RETURNING tokens, cost`),
  putUsageReservation: defineStatement(`
      INSERT INTO usage_reservations (id, caller, tokens, cost, until) VALUES (:id, :caller, :tokens, :cost, :until)
      ON CONFLICT (id) DO UPDATE SET caller = excluded.caller, tokens = excluded.tokens, cost = excluded.cost,
        until = excluded.until`),
  dropUsageReservation: defineStatement("DELETE FROM usage_reservations WHERE id = :id"),
  dropRunReservations: defineStatement(
    "DELETE FROM usage_reservations WHERE substr(id, 1, length(:run) + 1) = :run || '/'",
  ),
  pruneUsageReservations: defineStatement("DELETE FROM usage_reservations WHERE until <= :now"),
  addModelUsage: defineStatement(`
      INSERT INTO model_usage (day, caller, model, runs, tokens, cost, unpriced)
      VALUES (:day, :caller, :model, :runs, :tokens, :cost, :unpriced)
      ON CONFLICT (day, caller, model) DO UPDATE SET runs = model_usage.runs + excluded.runs,
        tokens = model_usage.tokens + excluded.tokens, cost = model_usage.cost + excluded.cost,
        unpriced = model_usage.unpriced + excluded.unpriced`),
  modelUsage: defineStatement(`
      SELECT day, caller, model, runs, tokens, cost, unpriced FROM model_usage WHERE day >= :since
      ORDER BY day DESC, caller DESC, model DESC LIMIT :limit OFFSET :offset`),
  modelTotals: defineStatement(sumUpUsage("model")),
  callerTotals: defineStatement(sumUpUsage("caller")),
  pruneModelUsage: defineStatement("DELETE FROM model_usage WHERE day < :oldest"),
  pruneUsage: defineStatement("DELETE FROM daily_usage WHERE day < :oldest"),
};

export const responseStatements = {
  putResponse: defineStatement(`
      INSERT INTO responses (id, owner, conversation, created_at, body) VALUES (:id, :owner, :conversation, :now, :body)
      ON CONFLICT (id) DO UPDATE SET conversation = excluded.conversation, body = excluded.body WHERE responses.owner IS excluded.owner`),
  response: defineStatement("SELECT conversation, body FROM responses WHERE id = :id AND owner IS :owner"),
  hasResponse: defineStatement("SELECT 1 FROM responses WHERE id = :id AND owner IS :owner"),
  replaceResponse: defineStatement(
    "UPDATE responses SET conversation = :conversation, body = :body WHERE id = :id AND owner IS :owner",
  ),
  dropResponse: defineStatement("DELETE FROM responses WHERE id = :id AND owner IS :owner"),
  firstResponse: defineStatement(
    "SELECT 1 FROM responses WHERE conversation = :conversation AND owner IS :owner LIMIT 1",
  ),
  /** Selects responses that stand in no conversation. */
  looseResponses: defineStatement(`
      SELECT id AS n, octet_length(body) AS bytes FROM responses
      WHERE conversation IS NULL AND created_at < :before ORDER BY created_at LIMIT :limit`),
  looseResponseBytes: defineStatement(`
      SELECT coalesce(sum(octet_length(body)), 0) AS bytes FROM responses
      WHERE conversation IS NULL AND created_at < :before`),
  dropLooseResponse: defineStatement("DELETE FROM responses WHERE conversation IS NULL AND id = :n"),
  pruneResponses: defineStatement(`
      DELETE FROM responses WHERE id IN (
        SELECT id FROM responses WHERE conversation IS NULL AND created_at < :oldest ORDER BY created_at LIMIT 20)`),
};
