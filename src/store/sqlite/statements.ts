import type { DatabaseSync } from "node:sqlite";
import { noConversationError } from "../store-errors.ts";
import { prepareBranches } from "./branches/branch-statements.ts";
import { prepareCredentials } from "./credential-statements.ts";
import { prepareJournal } from "./journal/journal-statements.ts";
import { prepareDailyUsage, prepareRemoval, prepareResponseRecords, prepareRetention } from "./upkeep-statements.ts";

/** Selects the newest typed texts, up to the number that is bound, the oldest first. */
export const selectTypedTexts =
  "SELECT text FROM typed_texts WHERE n > (SELECT coalesce(max(n), 0) FROM typed_texts) - ? ORDER BY n";

export type Statements = ReturnType<typeof prepareStatements>;

/**
 * Selects what a list of runs shows of a trace; whole traces would take eight times as long to read. The value is null when the
 * column does not hold a trace.
 */
const runEntry = `iif(json_valid(trace), json_object('run_id', trace ->> '$.run_id', 'question', trace ->> '$.question',
  'status', trace ->> '$.status', 'started_at', trace ->> '$.started_at', 'steps', json_array()), NULL) AS trace`;

/** Limits how much of a question is searched when conversations are listed, in characters. */
const longestShownQuestion = 300;

/** Selects what a list of conversations shows of one. */
const conversationEntry = `id, asked, mode, function_call, answer, title, named_by_person, pinned, created_at, updated_at, folder,
  forked_from IS NOT NULL AS is_fork,
  coalesce((SELECT turns FROM branches b WHERE b.conversation = c.id AND b.branch = c.branch), turns) AS turns,
  iif(:questions, (SELECT group_concat(substr(question, 1, ${longestShownQuestion}), char(10)) FROM turns t
    WHERE t.conversation = c.id), NULL) AS questions`;

/** Identifies the owner of a conversation; null is the operator. */
export type Owner = string | null;

/**
 * Prepares every SQL statement of the store once. Each finds a row by its owner, or through another row that was found that way.
 */
export function prepareStatements(connection: DatabaseSync) {
  const prepare = (sql: string) => connection.prepare(sql);
  return {
    ...prepareRemoval(prepare),
    ...prepareRetention(prepare),
    ...prepareDailyUsage(prepare),
    ...prepareJournal(prepare),
    ...prepareCredentials(prepare),
    ...prepareBranches(prepare),
    ...prepareResponseRecords(prepare),
    conversation: prepare(`
      SELECT c.title AS title, c.turns AS turns, c.created_at AS created_at, c.marker AS marker, c.results AS results,
        c.branch AS branch, p.branch AS plan_branch, s.turns AS summarised, s.text AS summary, s.facts AS facts, w.conversation IS NOT NULL AS wanted, p.plan AS plan,
        EXISTS (SELECT 1 FROM results r WHERE r.conversation = c.id) AS has_results
      FROM conversations c
      LEFT JOIN summaries s ON s.conversation = c.id LEFT JOIN plans p ON p.conversation = c.id
      LEFT JOIN wanted_summaries w ON w.conversation = c.id
      WHERE c.id = :id AND c.owner IS :owner`),
    isAnothers: prepare("SELECT 1 FROM conversations WHERE id = :id AND owner IS NOT :owner"),
    turns: prepare("SELECT question, answer, files, record FROM turns WHERE conversation = ? AND n > ? ORDER BY n"),
    /** Returns the first marker that was set. */
    setMarker: prepare("UPDATE conversations SET marker = coalesce(marker, :marker) WHERE id = :id RETURNING marker"),
    lastResult: prepare("SELECT results FROM conversations WHERE id = ?"),
    raiseResults: prepare("UPDATE conversations SET results = max(results, :last) WHERE id = :id"),
    addResult: prepare("INSERT OR IGNORE INTO results (conversation, n, body) VALUES (:id, :n, :body)"),
    result: prepare(`
      SELECT r.body AS body FROM results r JOIN conversations c ON c.id = r.conversation
      WHERE r.conversation = :id AND r.n = :n AND c.owner IS :owner`),
    pruneResults: prepare(`
      DELETE FROM results WHERE conversation = :id AND n IN (
        SELECT n FROM (
          SELECT n, sum(octet_length(body)) OVER (ORDER BY n DESC) AS bytes FROM results WHERE conversation = :id)
        WHERE bytes > :most)`),
    sources: prepare("SELECT n, url, title, snippet FROM sources WHERE conversation = ? ORDER BY n"),

    touch: prepare(`
      INSERT INTO conversations (id, title, turns, asked, created_at, updated_at, owner, folder)
      VALUES (:id, :title, :turns, (SELECT coalesce(max(asked), 0) + 1 FROM conversations), :now, :now, :owner, :folder)
      ON CONFLICT (id) DO UPDATE SET
        title = iif(title = '', excluded.title, title),
        folder = coalesce(folder, excluded.folder),
        turns = turns + excluded.turns,
        asked = excluded.asked,
        updated_at = excluded.updated_at
      WHERE owner IS excluded.owner
      RETURNING turns`),
    addTurn: prepare(`
      INSERT INTO turns (conversation, n, question, answer, files, record, parent, run) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
    addFile: prepare("INSERT OR IGNORE INTO files (hash, bytes) VALUES (?, ?)"),
    nameFile: prepare("INSERT OR IGNORE INTO conversation_files (conversation, hash) VALUES (?, ?)"),
    readFile: prepare(`
      SELECT f.bytes AS bytes FROM conversation_files n
      JOIN conversations c ON c.id = n.conversation JOIN files f ON f.hash = n.hash
      WHERE n.conversation = :id AND n.hash = :hash AND c.owner IS :owner`),
    turnFiles: prepare(`
      SELECT t.files AS files FROM turns t JOIN conversations c ON c.id = t.conversation
      WHERE t.conversation = :id AND c.owner IS :owner AND instr(t.files, :hash) > 0 ORDER BY t.n`),
    addTrace: prepare("INSERT INTO traces (run, conversation, trace, packed, owner) VALUES (?, ?, ?, ?, ?)"),
    dropPlan: prepare("DELETE FROM plans WHERE conversation = ?"),
    loadedTools: prepare("SELECT name FROM loaded_tools WHERE conversation = ? ORDER BY n"),
    dropLoadedTools: prepare("DELETE FROM loaded_tools WHERE conversation = ?"),
    addLoadedTool: prepare("INSERT INTO loaded_tools (conversation, n, name) VALUES (?, ?, ?)"),
    addPlan: prepare("INSERT INTO plans (conversation, plan, branch) VALUES (?, ?, ?)"),
    findIdempotencyRecord: prepare(`
      SELECT run, begun_at FROM begun_runs
      WHERE run >= :beginning AND run < :beginning || char(0x10ffff) AND owner IS :owner LIMIT 1`),
    addIdempotencyRecord: prepare(
      "INSERT INTO begun_runs (run, owner, begun_at, conversation) VALUES (:run, :owner, :now, :conversation)",
    ),
    dropIdempotencyRecord: prepare("DELETE FROM begun_runs WHERE run = :run AND owner IS :owner"),
    pruneIdempotencyRecords: prepare("DELETE FROM begun_runs WHERE begun_at < :oldest"),

    // The operator, who has no name, is the empty one.
    findHostTimeout: prepare(`
      SELECT seconds FROM host_timeouts WHERE owner = coalesce(:owner, '') AND host = :host AND learnt_at >= :oldest`),
    putHostTimeout: prepare(`
      INSERT INTO host_timeouts (owner, host, seconds, learnt_at) VALUES (coalesce(:owner, ''), :host, :seconds, :now)
      ON CONFLICT (owner, host) DO UPDATE SET seconds = excluded.seconds, learnt_at = excluded.learnt_at`),
    pruneHostTimeouts: prepare("DELETE FROM host_timeouts WHERE learnt_at < :oldest"),

    typedTexts: prepare(selectTypedTexts),
    addTypedText: prepare("INSERT INTO typed_texts (text) VALUES (?)"),
    pruneTypedTexts: prepare("DELETE FROM typed_texts WHERE n <= (SELECT max(n) FROM typed_texts) - ?"),

    isKept: prepare("SELECT 1 FROM traces WHERE run = :run AND owner IS :owner"),

    sourceNumber: prepare("SELECT n FROM sources WHERE conversation = ? AND url = ?"),
    lastNumber: prepare("SELECT coalesce(max(n), 0) AS n FROM sources WHERE conversation = ?"),
    addSource: prepare("INSERT INTO sources (conversation, n, url, title, snippet) VALUES (?, ?, ?, ?, ?)"),

    /**
     * Stores a summary only of turns that exist, and never replaces one that covers more turns. One that covers as many is
     * replaced only when `:wanted` is set.
     */
    summarise: prepare(`
      INSERT INTO summaries (conversation, turns, text, facts)
      SELECT id, :turns, :text, :facts FROM conversations WHERE id = :id AND owner IS :owner AND turns >= :turns
      ON CONFLICT (conversation) DO UPDATE SET turns = excluded.turns, text = excluded.text, facts = excluded.facts
      WHERE excluded.turns > summaries.turns OR (:wanted AND excluded.turns = summaries.turns)`),
    wantSummary: prepare("INSERT OR IGNORE INTO wanted_summaries (conversation) VALUES (?)"),

    latest: prepare(`
      SELECT id FROM conversations
      WHERE owner IS :owner AND (:anywhere OR folder IS :folder) AND (turns > 0 OR EXISTS (SELECT 1 FROM plans WHERE conversation = id)
        OR EXISTS (SELECT 1 FROM journal_runs r WHERE r.conversation = conversations.id AND r.state = 'going'))
      ORDER BY asked DESC LIMIT 1`),
    list: prepare(`
      SELECT ${conversationEntry} FROM conversations c WHERE owner IS :owner AND (:folder IS NULL OR folder = :folder)
        AND (:pinned IS NULL OR pinned = :pinned) AND (:before IS NULL OR asked < :before)
      ORDER BY asked DESC LIMIT :limit OFFSET :offset`),
    /** A plus keeps SQLite from taking the index of owners, and walking all conversations of one. */
    entry: prepare(`
      SELECT ${conversationEntry} FROM conversations c WHERE id = :id AND +owner IS :owner
        AND (:folder IS NULL OR folder = :folder) AND (:pinned IS NULL OR pinned = :pinned)`),
    /** This connection's own changes leave the number as it is. */
    dataVersion: prepare("SELECT data_version AS version FROM pragma_data_version()"),
    /** SQLite's LIKE takes small for capital letters in ASCII alone. */
    searchedTurns: prepare(`
      SELECT n, question, answer FROM turns
      WHERE conversation = :id AND n > :after AND (:like IS NULL OR question LIKE :like ESCAPE '\\' OR answer LIKE :like ESCAPE '\\')
      ORDER BY n`),
    setLastRun: prepare(
      "UPDATE conversations SET mode = :mode, function_call = :functionCall, answer = :answer WHERE id = :id",
    ),
    rate: prepare("UPDATE traces SET feedback = :feedback WHERE run = :run AND owner IS :owner"),
    setTitle: prepare(`
      UPDATE conversations SET title = :title WHERE id = :id AND owner IS :owner AND named_by_person = 0`),
    discard: prepare("INSERT OR REPLACE INTO discarded (conversation, owner, until) VALUES (:id, :owner, :until)"),
    undiscard: prepare("DELETE FROM discarded WHERE conversation = :id AND owner IS :owner AND until > :now"),
    dueDiscarded: prepare("SELECT conversation FROM discarded WHERE until <= :now"),
    nextDiscarded: prepare("SELECT min(until) AS until FROM discarded"),
    giveTraces: prepare("UPDATE traces SET owner = :to WHERE conversation = :id AND owner IS :owner"),
    giveResponses: prepare("UPDATE responses SET owner = :to WHERE conversation = :id AND owner IS :owner"),
    giveConversation: prepare("UPDATE conversations SET owner = :to WHERE id = :id AND owner IS :owner"),
    change: prepare(`
      UPDATE conversations SET title = coalesce(:title, title), named_by_person = coalesce(:named, named_by_person),
        pinned = coalesce(:pinned, pinned)
      WHERE id = :id AND owner IS :owner`),
    firstRun: prepare(`SELECT ${runEntry} FROM traces WHERE conversation = ? ORDER BY n LIMIT 1`),
    trace: prepare("SELECT trace, packed, feedback FROM traces WHERE run = :run AND owner IS :owner"),
    // A plus keeps SQLite from taking the index of owners, which would leave more to be read and sorted.
    runsOf: prepare(`SELECT ${runEntry} FROM traces WHERE conversation = :id AND +owner IS :owner ORDER BY n`),
    /** A range is used because LIKE gives some characters a special meaning. */
    runsFrom: prepare(`
      SELECT ${runEntry} FROM traces WHERE run >= :beginning AND run < :beginning || char(0x10ffff) AND +owner IS :owner
      ORDER BY run LIMIT 10`),
    /** The inner query reads no trace that the outer query does not read. */
    newestRuns: prepare(`
      SELECT ${runEntry} FROM traces WHERE n IN (
        SELECT n FROM traces WHERE owner IS :owner AND run >= :beginning AND run < :beginning || char(0x10ffff)
        ORDER BY n DESC LIMIT :limit)
      ORDER BY n DESC`),
    lastTrace: prepare("SELECT trace, packed, feedback FROM traces WHERE owner IS :owner ORDER BY n DESC LIMIT 1"),
  };
}

/**
 * Begins a conversation, or makes it the last one asked; gives how many turns it has now. Its first title stays. Throws where it
 * is another owner's.
 */
export function updateConversation(
  { touch }: Statements,
  { id, owner, title = "", turns = 0, folder }: ConversationUpdate,
): number {
  const row = touch.get({ id, owner, title, turns, folder: folder ?? null, now: new Date().toISOString() });
  if (row === undefined) throw noConversationError();
  return Number(row.turns);
}

interface ConversationUpdate {
  id: string;
  owner: Owner;
  title?: string | undefined;
  /** Counts the turns that are added. */
  turns?: number | undefined;
  folder?: string | undefined;
}
