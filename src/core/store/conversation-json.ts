import type { NumberedSource } from "../sources.ts";
import type { AgentTrace } from "../trace.ts";
import { toConversationTitle } from "./conversation-title.ts";

/** A whole conversation, as the terminal and the MCP face give it out; `snake_case` as all JSON that goes out. */
export interface ConversationJson {
  conversation_id: string;
  /** The first line of the first question, cut where it is long; empty while no run has ended. */
  title: string;
  /** Oldest first. */
  turns: readonly { question: string; answer: string }[];
  summary: { text: string; turns: number } | null;
  sources: { n: number; title: string; url: string }[];
  /** Also those that failed, oldest first. */
  runs: { run_id: string; question: string; status: AgentTrace["status"]; started_at: string }[];
}

/** What a store holds of a conversation. */
export interface StoredConversation {
  id: string;
  turns: ConversationJson["turns"];
  summary: { text: string; turns: number } | undefined;
  sources: { all(): readonly NumberedSource[] };
}

/** What it holds of a run; times are ISO 8601, UTC. */
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
