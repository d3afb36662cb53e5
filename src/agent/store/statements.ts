import type { DatabaseSync } from "node:sqlite";

export type Statements = ReturnType<typeof prepareStatements>;

/** Everything the store says to SQLite, prepared once. */
export function prepareStatements(connection: DatabaseSync) {
  const prepare = (sql: string) => connection.prepare(sql);
  return {
    conversation: prepare(`
      SELECT s.turns AS summarised, s.text AS summary, p.plan AS plan
      FROM conversations c
      LEFT JOIN summaries s ON s.conversation = c.id LEFT JOIN plans p ON p.conversation = c.id WHERE c.id = ?`),
    turns: prepare("SELECT question, answer FROM turns WHERE conversation = ? ORDER BY n"),
    sources: prepare("SELECT n, url, title, snippet FROM sources WHERE conversation = ? ORDER BY n"),

    touch: prepare(`
      INSERT INTO conversations (id, title, turns, asked, created_at, updated_at)
      VALUES (:id, :title, :turns, (SELECT coalesce(max(asked), 0) + 1 FROM conversations), :now, :now)
      ON CONFLICT (id) DO UPDATE SET
        title = iif(title = '', excluded.title, title),
        turns = turns + excluded.turns,
        asked = excluded.asked,
        updated_at = excluded.updated_at
      RETURNING turns`),
    addTurn: prepare("INSERT INTO turns (conversation, n, question, answer) VALUES (?, ?, ?, ?)"),
    addTrace: prepare("INSERT INTO traces (run, conversation, trace) VALUES (?, ?, ?)"),
    dropPlan: prepare("DELETE FROM plans WHERE conversation = ?"),
    addPlan: prepare("INSERT INTO plans (conversation, plan) VALUES (?, ?)"),
    isKept: prepare("SELECT 1 FROM traces WHERE run = ?"),

    sourceNumber: prepare("SELECT n FROM sources WHERE conversation = ? AND url = ?"),
    lastNumber: prepare("SELECT coalesce(max(n), 0) AS n FROM sources WHERE conversation = ?"),
    addSource: prepare("INSERT INTO sources (conversation, n, url, title, snippet) VALUES (?, ?, ?, ?, ?)"),

    /** Only of turns that are there, and never in place of a summary of more of them. */
    summarise: prepare(`
      INSERT INTO summaries (conversation, turns, text)
      SELECT id, :turns, :text FROM conversations WHERE id = :id AND turns >= :turns
      ON CONFLICT (conversation) DO UPDATE SET turns = excluded.turns, text = excluded.text
      WHERE excluded.turns > summaries.turns`),

    latest: prepare("SELECT id FROM conversations ORDER BY asked DESC LIMIT 1"),
    list: prepare(`
      SELECT id, title, turns, created_at, updated_at FROM conversations ORDER BY asked DESC LIMIT ? OFFSET ?`),
    remove: prepare("DELETE FROM conversations WHERE id = ?"),
    trace: prepare("SELECT trace FROM traces WHERE run = ?"),
    runsOf: prepare("SELECT trace FROM traces WHERE conversation = ? ORDER BY n"),
    /** By a range and not by LIKE, which has characters of its own. */
    runsFrom: prepare(`
      SELECT trace FROM traces WHERE run >= :beginning AND run < :beginning || char(0x10ffff) ORDER BY run LIMIT 10`),
    lastTrace: prepare("SELECT trace FROM traces ORDER BY n DESC LIMIT 1"),
  };
}

/** Begins a conversation, or makes it the last one asked; gives how many turns it has now. Its first title stays. */
export function touchConversation(
  { touch }: Statements,
  { id, title = "", turns = 0 }: { id: string; title?: string; turns?: number },
): number {
  return Number(touch.get({ id, title, turns, now: new Date().toISOString() })?.turns);
}
