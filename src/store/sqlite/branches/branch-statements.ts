import type { Prepare } from "../upkeep-statements.ts";

/** Prepares the statements for branches. Each finds rows of a conversation whose owner was checked before. */
export function prepareBranches(prepare: Prepare) {
  return {
    branch: prepare("SELECT branch, tip FROM branches WHERE conversation = ? AND branch = ?"),
    branches: prepare("SELECT branch, tip FROM branches WHERE conversation = ? ORDER BY branch"),
    addBranch: prepare("INSERT OR IGNORE INTO branches (conversation, branch, tip, turns) VALUES (?, ?, ?, ?)"),
    extendBranch: prepare(
      "UPDATE branches SET tip = :tip, turns = turns + 1 WHERE conversation = :id AND branch = :branch",
    ),
    setBranch: prepare("UPDATE conversations SET branch = ? WHERE id = ?"),
    turnParents: prepare("SELECT n, coalesce(parent, n - 1) AS parent FROM turns WHERE conversation = ? ORDER BY n"),
    turn: prepare("SELECT question, answer, files, record FROM turns WHERE conversation = ? AND n = ?"),
    turnNodes: prepare(
      `SELECT n, coalesce(parent, n - 1) AS parent, question, run,
        (SELECT feedback FROM traces x WHERE x.run = t.run) AS feedback
      FROM turns t WHERE conversation = ? ORDER BY n`,
    ),
    addMadeSummary: prepare(`
      INSERT INTO made_summaries (conversation, tip, turns, text, facts, wanted)
      VALUES (:id, :tip, :turns, :text, :facts, :wanted)`),
    madeSummaries: prepare(
      "SELECT tip, turns, text, facts, wanted FROM made_summaries WHERE conversation = ? ORDER BY n",
    ),
    lineSummary: prepare(`
      SELECT s.turns AS turns, s.text AS text, s.facts AS facts, w.conversation IS NOT NULL AS wanted
      FROM summaries s LEFT JOIN wanted_summaries w ON w.conversation = s.conversation WHERE s.conversation = ?`),
    copyConversation: prepare(`
      UPDATE conversations SET (title, marker, results, forked_from) =
        (SELECT title, marker, results, id FROM conversations WHERE id = :from)
      WHERE id = :to`),
    copyTurn: prepare(`
      INSERT INTO turns (conversation, n, question, answer, files, record, run)
      SELECT :to, :as, question, answer, files, record, run FROM turns WHERE conversation = :from AND n = :n`),
    copySources: prepare(`
      INSERT INTO sources (conversation, n, url, title, snippet)
      SELECT :to, n, url, title, snippet FROM sources WHERE conversation = :from`),
    copyResults: prepare(
      "INSERT INTO results (conversation, n, body) SELECT :to, n, body FROM results WHERE conversation = :from",
    ),
    copyFiles: prepare(`
      INSERT INTO conversation_files (conversation, hash)
      SELECT :to, hash FROM conversation_files WHERE conversation = :from`),
    copyLoadedTools: prepare(`
      INSERT INTO loaded_tools (conversation, n, name) SELECT :to, n, name FROM loaded_tools WHERE conversation = :from`),
  };
}
