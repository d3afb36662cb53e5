import type { StatementSync } from "node:sqlite";

export type Prepare = (sql: string) => StatementSync;

/** Limits the pages that one step gives back. */
const pagesPerStep = 64;

/** Selects the conversations that nobody has pinned or named. */
const expendable = "pinned = 0 AND named_by_person = 0";

/** Measures a turn. */
const turnBytes =
  "octet_length(question) + octet_length(answer) + coalesce(octet_length(files), 0) + coalesce(octet_length(record), 0)";

/** Prepares the statements that remove a conversation. Each finds rows of a conversation whose owner was checked before. */
export function prepareRemoval(prepare: Prepare) {
  return {
    isOwned: prepare("SELECT 1 FROM conversations WHERE id = :id AND owner IS :owner"),
    isExpendable: prepare(`
      SELECT 1 FROM conversations
      WHERE id = :id AND owner IS :owner AND ${expendable} AND updated_at < :before`),
    oldestTraces: prepare(`
      SELECT n, octet_length(trace) + coalesce(octet_length(packed), 0) AS bytes FROM traces
      WHERE conversation = :id ORDER BY n LIMIT :limit`),
    oldestTurns: prepare(`
      SELECT n, ${turnBytes} AS bytes FROM turns WHERE conversation = :id ORDER BY n LIMIT :limit`),
    oldestResults: prepare(
      "SELECT n, octet_length(body) AS bytes FROM results WHERE conversation = :id ORDER BY n LIMIT :limit",
    ),
    oldestSources: prepare(`
      SELECT n, octet_length(title) + octet_length(snippet) AS bytes FROM sources
      WHERE conversation = :id ORDER BY n LIMIT :limit`),
    namedFiles: prepare(`
      SELECT n.hash AS hash, octet_length(f.bytes) AS bytes FROM conversation_files n JOIN files f ON f.hash = n.hash
      WHERE n.conversation = :id LIMIT :limit`),
    oldestResponses: prepare(`
      SELECT rowid AS n, octet_length(body) AS bytes FROM responses
      WHERE conversation = :id ORDER BY created_at LIMIT :limit`),
    unnameFile: prepare("DELETE FROM conversation_files WHERE conversation = :id AND hash = :hash"),
    dropUnnamedFile: prepare(`
      DELETE FROM files
      WHERE hash = :hash AND NOT EXISTS (SELECT 1 FROM conversation_files n WHERE n.hash = files.hash)
        AND NOT EXISTS (SELECT 1 FROM journal_files n WHERE n.hash = files.hash)`),
    dropTrace: prepare("DELETE FROM traces WHERE conversation = :id AND n = :n"),
    dropTurn: prepare("DELETE FROM turns WHERE conversation = :id AND n = :n"),
    dropSource: prepare("DELETE FROM sources WHERE conversation = :id AND n = :n"),
    dropResult: prepare("DELETE FROM results WHERE conversation = :id AND n = :n"),
    dropResponseOf: prepare("DELETE FROM responses WHERE conversation = :id AND rowid = :n"),
    dropIdempotencyRecords: prepare("DELETE FROM begun_runs WHERE conversation = :id AND owner IS :owner"),
    dropConversation: prepare("DELETE FROM conversations WHERE id = :id AND owner IS :owner"),
    /** Gives free pages back to the file system, at most so many. A file of an earlier version has none to give. */
    releaseSome: prepare(`PRAGMA incremental_vacuum(${pagesPerStep})`),
    freePages: prepare("SELECT freelist_count AS n FROM pragma_freelist_count()"),
    vacuumMode: prepare("SELECT auto_vacuum AS mode FROM pragma_auto_vacuum()"),
  };
}

export function prepareRetention(prepare: Prepare) {
  return {
    /** The index of these rows is read no further than to the first that is not old enough. */
    expired: prepare(`
      SELECT id, owner FROM conversations WHERE ${expendable} AND updated_at < :before ORDER BY updated_at LIMIT :limit`),
    /** Selects each with about what it takes: its turns, results, traces, sources, responses and files. */
    weighed: prepare(`
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
    storedBytes: prepare(`
      SELECT (page_count - freelist_count) * page_size AS bytes
      FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`),
    upkeep: prepare("SELECT due_at, seen_at, trusted_at FROM upkeep WHERE id = 1"),
    putUpkeep: prepare(`
      INSERT INTO upkeep (id, due_at, seen_at, trusted_at) VALUES (1, :due, :seen, :trusted)
      ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, seen_at = excluded.seen_at, trusted_at = excluded.trusted_at`),
  };
}

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

export function prepareDailyUsage(prepare: Prepare) {
  return {
    usageToday: prepare(`
      SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost), 0.0) AS cost FROM daily_usage
      WHERE caller = :caller AND day = :day`),
    usageReserved: prepare(`
      SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost), 0.0) AS cost FROM usage_reservations
      WHERE caller = :caller AND until > :now`),
    addUsage: prepare(`
      INSERT INTO daily_usage (caller, day, tokens, cost) VALUES (:caller, :day, :tokens, :cost)
      ON CONFLICT (caller, day) DO UPDATE SET tokens = tokens + excluded.tokens, cost = cost + excluded.cost`),
    putUsageReservation: prepare(`
      INSERT OR REPLACE INTO usage_reservations (id, caller, tokens, cost, until)
      VALUES (:id, :caller, :tokens, :cost, :until)`),
    dropUsageReservation: prepare("DELETE FROM usage_reservations WHERE id = :id"),
    pruneUsageReservations: prepare("DELETE FROM usage_reservations WHERE until <= :now"),
    addModelUsage: prepare(`
      INSERT INTO model_usage (day, caller, model, runs, tokens, cost, unpriced)
      VALUES (:day, :caller, :model, :runs, :tokens, :cost, :unpriced)
      ON CONFLICT (day, caller, model) DO UPDATE SET runs = runs + excluded.runs, tokens = tokens + excluded.tokens,
        cost = cost + excluded.cost, unpriced = unpriced + excluded.unpriced`),
    modelUsage: prepare(`
      SELECT day, caller, model, runs, tokens, cost, unpriced FROM model_usage WHERE day >= :since
      ORDER BY day DESC, caller, model LIMIT :limit OFFSET :offset`),
    modelTotals: prepare(sumUpUsage("model")),
    callerTotals: prepare(sumUpUsage("caller")),
    pruneModelUsage: prepare("DELETE FROM model_usage WHERE day < :oldest"),
    pruneUsage: prepare("DELETE FROM daily_usage WHERE day < :oldest"),
  };
}

export function prepareResponseRecords(prepare: Prepare) {
  return {
    putResponse: prepare(`
      INSERT INTO responses (id, owner, conversation, created_at, body) VALUES (:id, :owner, :conversation, :now, :body)
      ON CONFLICT (id) DO UPDATE SET conversation = excluded.conversation, body = excluded.body WHERE owner IS excluded.owner`),
    response: prepare("SELECT conversation, body FROM responses WHERE id = :id AND owner IS :owner"),
    hasResponse: prepare("SELECT 1 FROM responses WHERE id = :id AND owner IS :owner"),
    replaceResponse: prepare(
      "UPDATE responses SET conversation = :conversation, body = :body WHERE id = :id AND owner IS :owner",
    ),
    dropResponse: prepare("DELETE FROM responses WHERE id = :id AND owner IS :owner"),
    firstResponse: prepare("SELECT 1 FROM responses WHERE conversation = :conversation AND owner IS :owner LIMIT 1"),
    /** Selects responses that stand in no conversation. */
    looseResponses: prepare(`
      SELECT rowid AS n, octet_length(body) AS bytes FROM responses
      WHERE conversation IS NULL AND created_at < :before ORDER BY created_at LIMIT :limit`),
    looseResponseBytes: prepare(`
      SELECT coalesce(sum(octet_length(body)), 0) AS bytes FROM responses
      WHERE conversation IS NULL AND created_at < :before`),
    dropLooseResponse: prepare("DELETE FROM responses WHERE conversation IS NULL AND rowid = :n"),
    pruneResponses: prepare(`
      DELETE FROM responses WHERE id IN (
        SELECT id FROM responses WHERE conversation IS NULL AND created_at < :oldest ORDER BY created_at LIMIT 20)`),
  };
}
