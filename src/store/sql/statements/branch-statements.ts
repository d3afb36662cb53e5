import { defineStatement } from "../work.ts";

/** Holds the statements for branches. Each finds rows of a conversation whose owner was checked before. */
export const branchStatements = {
  branch: defineStatement("SELECT branch, tip FROM branches WHERE conversation = :id AND branch = :branch"),
  branches: defineStatement("SELECT branch, tip FROM branches WHERE conversation = :id ORDER BY branch"),
  addBranch: defineStatement(
    "INSERT INTO branches (conversation, branch, tip, turns) VALUES (:id, :branch, :tip, :turns) ON CONFLICT DO NOTHING",
  ),
  extendBranch: defineStatement(
    "UPDATE branches SET tip = :tip, turns = turns + 1 WHERE conversation = :id AND branch = :branch",
  ),
  setBranch: defineStatement("UPDATE conversations SET branch = :branch WHERE id = :id"),
  turnParents: defineStatement(
    "SELECT n, coalesce(parent, n - 1) AS parent FROM turns WHERE conversation = :id ORDER BY n",
  ),
  turn: defineStatement("SELECT question, answer, files, record FROM turns WHERE conversation = :id AND n = :n"),
  turnNodes: defineStatement(
    `SELECT n, coalesce(parent, n - 1) AS parent, question, run,
        (SELECT feedback FROM traces x WHERE x.run = t.run) AS feedback
      FROM turns t WHERE conversation = :id ORDER BY n`,
  ),
  addMadeSummary: defineStatement(`
      INSERT INTO made_summaries (conversation, tip, turns, text, facts, wanted)
      VALUES (:id, :tip, :turns, :text, :facts, :wanted)`),
  madeSummaries: defineStatement(
    "SELECT tip, turns, text, facts, wanted FROM made_summaries WHERE conversation = :id ORDER BY n",
  ),
  lineSummary: defineStatement(`
      SELECT s.turns AS turns, s.text AS text, s.facts AS facts, w.conversation IS NOT NULL AS wanted
      FROM summaries s LEFT JOIN wanted_summaries w ON w.conversation = s.conversation WHERE s.conversation = :id`),
  copyConversation: defineStatement(`
      UPDATE conversations SET (title, marker, results, forked_from) =
        (SELECT title, marker, results, id FROM conversations WHERE id = :from)
      WHERE id = :to`),
  copyTurn: defineStatement(`
      INSERT INTO turns (conversation, n, question, answer, files, record, run)
      SELECT :to, :as, question, answer, files, record, run FROM turns WHERE conversation = :from AND n = :n`),
  copySources: defineStatement(`
      INSERT INTO sources (conversation, n, url, title, snippet)
      SELECT :to, n, url, title, snippet FROM sources WHERE conversation = :from`),
  copyResults: defineStatement(
    "INSERT INTO results (conversation, n, body) SELECT :to, n, body FROM results WHERE conversation = :from",
  ),
  copyFiles: defineStatement(`
      INSERT INTO conversation_files (conversation, hash)
      SELECT :to, hash FROM conversation_files WHERE conversation = :from`),
  copyLoadedTools: defineStatement(`
      INSERT INTO loaded_tools (conversation, n, name) SELECT :to, n, name FROM loaded_tools WHERE conversation = :from`),
};
