import { defineStatement } from "../work.ts";

/** Selects the newest typed texts, up to the number that is bound, the oldest first. */
export const selectTypedTexts =
  "SELECT text FROM typed_texts WHERE n > (SELECT coalesce(max(n), 0) FROM typed_texts) - :most ORDER BY n";

/**
 * Selects what a list of runs shows of a trace; whole traces would take eight times as long to read. The value is null when the
 * column does not hold a trace.
 */
export const runEntry = `iif(json_valid(trace), json_object('run_id', trace ->> '$.run_id', 'question', trace ->> '$.question',
  'status', trace ->> '$.status', 'started_at', trace ->> '$.started_at', 'steps', json_array()), NULL) AS trace`;

/** Selects the number of the next question of all conversations. */
export const nextAsked = "(SELECT coalesce(max(asked), 0) + 1 FROM conversations)";

/** Limits how much of a question is searched when conversations are listed, in characters. */
const longestShownQuestion = 300;

/** Selects what a list of conversations shows of one. */
const conversationEntry = `id, asked, mode, function_call, answer, title, named_by_person, pinned, created_at, updated_at, folder,
  forked_from IS NOT NULL AS is_fork,
  coalesce((SELECT turns FROM branches b WHERE b.conversation = c.id AND b.branch = c.branch), turns) AS turns,
  CASE WHEN :questions = 1 THEN (SELECT group_concat(substr(question, 1, ${longestShownQuestion}), char(10)) FROM turns t
    WHERE t.conversation = c.id) END AS questions`;

/** Holds the statements of conversations, and of what is small. Each finds a row by its owner, or through another row that was found that way. */
export const conversationStatements = {
  conversation: defineStatement(`
      SELECT c.title AS title, c.turns AS turns, c.created_at AS created_at, c.marker AS marker, c.results AS results,
        c.branch AS branch, p.branch AS plan_branch, s.turns AS summarised, s.text AS summary, s.facts AS facts, w.conversation IS NOT NULL AS wanted, p.plan AS plan,
        EXISTS (SELECT 1 FROM results r WHERE r.conversation = c.id) AS has_results
      FROM conversations c
      LEFT JOIN summaries s ON s.conversation = c.id LEFT JOIN plans p ON p.conversation = c.id
      LEFT JOIN wanted_summaries w ON w.conversation = c.id
      WHERE c.id = :id AND c.owner IS :owner`),
  isAnothers: defineStatement("SELECT 1 FROM conversations WHERE id = :id AND owner IS NOT :owner"),
  turns: defineStatement(
    "SELECT question, answer, files, record FROM turns WHERE conversation = :id AND n > :after ORDER BY n",
  ),
  raiseResults: defineStatement("UPDATE conversations SET results = :last WHERE id = :id AND results < :last"),
  addResult: defineStatement(
    "INSERT INTO results (conversation, n, body) VALUES (:id, :n, :body) ON CONFLICT DO NOTHING",
  ),
  result: defineStatement(`
      SELECT r.body AS body FROM results r JOIN conversations c ON c.id = r.conversation
      WHERE r.conversation = :id AND r.n = :n AND c.owner IS :owner`),
  pruneResults: defineStatement(`
      DELETE FROM results WHERE conversation = :id AND n IN (
        SELECT n FROM (
          SELECT n, sum(octet_length(body)) OVER (ORDER BY n DESC) AS bytes FROM results WHERE conversation = :id)
        WHERE bytes > :most)`),
  sources: defineStatement("SELECT n, url, title, snippet FROM sources WHERE conversation = :id ORDER BY n"),

  touch: defineStatement(`
      INSERT INTO conversations (id, title, turns, asked, created_at, updated_at, owner, folder)
      VALUES (:id, :title, :turns, ${nextAsked}, :now, :now, :owner, :folder)
      ON CONFLICT (id) DO UPDATE SET
        title = CASE WHEN conversations.title = '' THEN excluded.title ELSE conversations.title END,
        folder = coalesce(conversations.folder, excluded.folder),
        turns = conversations.turns + excluded.turns,
        asked = excluded.asked,
        updated_at = excluded.updated_at
      WHERE conversations.owner IS excluded.owner
      RETURNING turns`),
  /** Makes it the last one asked, and returns the first marker that was set. */
  addRun: defineStatement(`
      UPDATE conversations SET turns = turns + :turns, asked = ${nextAsked}, updated_at = :now, mode = :mode, function_call = :functionCall,
        answer = :answer, marker = coalesce(marker, :marker)
      WHERE id = :id AND owner IS :owner
      RETURNING turns, branch, marker, results`),
  addTurn: defineStatement(`
      INSERT INTO turns (conversation, n, question, answer, files, record, parent, run)
      VALUES (:id, :n, :question, :answer, :files, :record, :parent, :run)`),
  addFile: defineStatement("INSERT INTO files (hash, bytes) VALUES (:hash, :bytes) ON CONFLICT DO NOTHING"),
  nameFile: defineStatement(
    "INSERT INTO conversation_files (conversation, hash) VALUES (:id, :hash) ON CONFLICT DO NOTHING",
  ),
  readFile: defineStatement(`
      SELECT f.bytes AS bytes FROM conversation_files n
      JOIN conversations c ON c.id = n.conversation JOIN files f ON f.hash = n.hash
      WHERE n.conversation = :id AND n.hash = :hash AND c.owner IS :owner`),
  turnFiles: defineStatement(`
      SELECT t.files AS files FROM turns t JOIN conversations c ON c.id = t.conversation
      WHERE t.conversation = :id AND c.owner IS :owner AND t.files LIKE '%' || :hash || '%' ORDER BY t.n`),
  addTrace: defineStatement(
    "INSERT INTO traces (run, conversation, trace, packed, owner) VALUES (:run, :id, :trace, :packed, :owner)",
  ),
  dropPlan: defineStatement("DELETE FROM plans WHERE conversation = :id"),
  loadedTools: defineStatement("SELECT name FROM loaded_tools WHERE conversation = :id ORDER BY n"),
  dropLoadedTools: defineStatement("DELETE FROM loaded_tools WHERE conversation = :id"),
  addLoadedTool: defineStatement("INSERT INTO loaded_tools (conversation, n, name) VALUES (:id, :n, :name)"),
  addPlan: defineStatement("INSERT INTO plans (conversation, plan, branch) VALUES (:id, :plan, :branch)"),
  findIdempotencyRecord: defineStatement(`
      SELECT run, begun_at FROM begun_runs
      WHERE run >= :beginning AND run < :beginning || char(1114111) AND owner IS :owner LIMIT 1`),
  addIdempotencyRecord: defineStatement(
    "INSERT INTO begun_runs (run, owner, begun_at, conversation) VALUES (:run, :owner, :now, :conversation)",
  ),
  dropIdempotencyRecord: defineStatement("DELETE FROM begun_runs WHERE run = :run AND owner IS :owner"),
  pruneIdempotencyRecords: defineStatement("DELETE FROM begun_runs WHERE begun_at < :oldest"),

  // The operator, who has no name, is the empty one.
  findHostTimeout: defineStatement(`
      SELECT seconds FROM host_timeouts WHERE owner = coalesce(:owner, '') AND host = :host AND learnt_at >= :oldest`),
  putHostTimeout: defineStatement(`
      INSERT INTO host_timeouts (owner, host, seconds, learnt_at) VALUES (coalesce(:owner, ''), :host, :seconds, :now)
      ON CONFLICT (owner, host) DO UPDATE SET seconds = excluded.seconds, learnt_at = excluded.learnt_at`),
  pruneHostTimeouts: defineStatement("DELETE FROM host_timeouts WHERE learnt_at < :oldest"),

  typedTexts: defineStatement(selectTypedTexts),
  addTypedText: defineStatement("INSERT INTO typed_texts (text) VALUES (:text)"),
  pruneTypedTexts: defineStatement("DELETE FROM typed_texts WHERE n <= (SELECT max(n) FROM typed_texts) - :most"),

  isKept: defineStatement("SELECT 1 FROM traces WHERE run = :run AND owner IS :owner"),

  sourceNumber: defineStatement("SELECT n FROM sources WHERE conversation = :id AND url = :url"),
  lastNumber: defineStatement("SELECT coalesce(max(n), 0) AS n FROM sources WHERE conversation = :id"),
  addSource: defineStatement(
    "INSERT INTO sources (conversation, n, url, title, snippet) VALUES (:id, :n, :url, :title, :snippet)",
  ),

  /**
   * Stores a summary only of turns that exist, and never replaces one that covers more turns. One that covers as many is
   * replaced only when `:wanted` is set.
   */
  summarise: defineStatement(`
      INSERT INTO summaries (conversation, turns, text, facts)
      SELECT id, :turns, :text, :facts FROM conversations WHERE id = :id AND owner IS :owner AND turns >= :turns
      ON CONFLICT (conversation) DO UPDATE SET turns = excluded.turns, text = excluded.text, facts = excluded.facts
      WHERE excluded.turns > summaries.turns OR (:wanted = 1 AND excluded.turns = summaries.turns)`),
  wantSummary: defineStatement("INSERT INTO wanted_summaries (conversation) VALUES (:id) ON CONFLICT DO NOTHING"),

  latest: defineStatement(`
      SELECT id FROM conversations
      WHERE owner IS :owner AND (:anywhere = 1 OR folder IS :folder) AND (turns > 0 OR EXISTS (SELECT 1 FROM plans WHERE conversation = id)
        OR EXISTS (SELECT 1 FROM journal_runs r WHERE r.conversation = conversations.id AND r.state = 'going'))
      ORDER BY asked DESC LIMIT 1`),
  list: defineStatement(`
      SELECT ${conversationEntry} FROM conversations c WHERE owner IS :owner AND (CAST(:folder AS TEXT) IS NULL OR folder = :folder)
        AND (CAST(:pinned AS INTEGER) IS NULL OR pinned = :pinned) AND (CAST(:before AS BIGINT) IS NULL OR asked < :before)
        AND (CAST(:beginning AS TEXT) IS NULL OR (id >= :beginning AND id < :beginning || char(1114111)))
      ORDER BY asked DESC LIMIT :limit OFFSET :offset`),
  /** A plus keeps SQLite from taking the index of owners, and walking all conversations of one. */
  entry: defineStatement(`
      SELECT ${conversationEntry} FROM conversations c WHERE id = :id AND +owner IS :owner
        AND (CAST(:folder AS TEXT) IS NULL OR folder = :folder) AND (CAST(:pinned AS INTEGER) IS NULL OR pinned = :pinned)`),
  /** SQLite's LIKE takes small for capital letters in ASCII alone. */
  searchedTurns: defineStatement(`
      SELECT n, question, answer FROM turns
      WHERE conversation = :id AND n > :after AND (CAST(:like AS TEXT) IS NULL OR question LIKE :like ESCAPE '\\' OR answer LIKE :like ESCAPE '\\')
      ORDER BY n LIMIT :limit`),
  rate: defineStatement("UPDATE traces SET feedback = :feedback WHERE run = :run AND owner IS :owner"),
  setTitle: defineStatement(`
      UPDATE conversations SET title = :title WHERE id = :id AND owner IS :owner AND named_by_person = 0`),
  discard: defineStatement(`
      INSERT INTO discarded (conversation, owner, until) VALUES (:id, :owner, :until)
      ON CONFLICT (conversation) DO UPDATE SET owner = excluded.owner, until = excluded.until`),
  undiscard: defineStatement("DELETE FROM discarded WHERE conversation = :id AND owner IS :owner AND until > :now"),
  dueDiscarded: defineStatement("SELECT conversation FROM discarded WHERE until <= :now"),
  nextDiscarded: defineStatement("SELECT min(until) AS until FROM discarded"),
  giveTraces: defineStatement("UPDATE traces SET owner = :to WHERE conversation = :id AND owner IS :owner"),
  giveResponses: defineStatement("UPDATE responses SET owner = :to WHERE conversation = :id AND owner IS :owner"),
  giveConversation: defineStatement("UPDATE conversations SET owner = :to WHERE id = :id AND owner IS :owner"),
  change: defineStatement(`
      UPDATE conversations SET title = coalesce(:title, title), named_by_person = coalesce(:named, named_by_person),
        pinned = coalesce(:pinned, pinned)
      WHERE id = :id AND owner IS :owner`),
  firstRun: defineStatement(`SELECT ${runEntry} FROM traces WHERE conversation = :id ORDER BY n LIMIT 1`),
  trace: defineStatement("SELECT trace, packed, feedback FROM traces WHERE run = :run AND owner IS :owner"),
  // A plus keeps SQLite from taking the index of owners, which would leave more to be read and sorted.
  runsOf: defineStatement(`SELECT ${runEntry} FROM traces WHERE conversation = :id AND +owner IS :owner ORDER BY n`),
  /** A range is used because LIKE gives some characters a special meaning. */
  runsFrom: defineStatement(`
      SELECT ${runEntry} FROM traces WHERE run >= :beginning AND run < :beginning || char(1114111) AND +owner IS :owner
      ORDER BY run LIMIT 10`),
  /** The inner query reads no trace that the outer query does not read. */
  newestRuns: defineStatement(`
      SELECT ${runEntry} FROM traces WHERE n IN (
        SELECT n FROM traces WHERE owner IS :owner AND run >= :beginning AND run < :beginning || char(1114111)
        ORDER BY n DESC LIMIT :limit)
      ORDER BY n DESC`),
  lastTrace: defineStatement(
    "SELECT trace, packed, feedback FROM traces WHERE owner IS :owner ORDER BY n DESC LIMIT 1",
  ),
};
