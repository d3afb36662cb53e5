import type { NumberedSource } from "../sources.ts";
import type { AgentTrace } from "../trace.ts";
import { toConversationTitle } from "./conversation-title.ts";

/**
 * Holds a whole conversation as the terminal and the MCP server return it. Its keys are in `snake_case`, like all JSON output.
 */
export interface ConversationJson {
  conversation_id: string;
  /** Holds the first line of the first question, truncated when it is long. It is empty until a run has ended. */
  title: string;
  /** Lists the turns, oldest first. */
  turns: readonly { question: string; answer: string }[];
  summary: { text: string; turns: number } | null;
  sources: { n: number; title: string; url: string }[];
  /** Lists all runs, including failed ones, oldest first. */
  runs: { run_id: string; question: string; status: AgentTrace["status"]; started_at: string }[];
}

export interface StoredConversation {
  id: string;
  turns: ConversationJson["turns"];
  summary: { text: string; turns: number } | undefined;
  sources: { all(): readonly NumberedSource[] };
}

/** Times are ISO 8601, UTC. */
export interface StoredRun {
  id: string;
  question: string;
  status: AgentTrace["status"];
  startedAt: string;
}

export function toConversationJson(
  { id, turns, summary, sources }: StoredConversation,
  runs: readonly StoredRun[],
): ConversationJson {
  return {
    conversation_id: id,
    title: toConversationTitle(runs[0]?.question ?? ""),
    turns,
    summary: summary ? { text: summary.text, turns: summary.turns } : null,
    sources: sources.all().map(({ n, source: { title, url } }) => ({ n, title, url })),
    runs: runs.map(({ id: run_id, question, status, startedAt: started_at }) => {
      return { run_id, question, status, started_at };
    }),
  };
}
