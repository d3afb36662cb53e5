import type * as z from "zod";
import { listTexts } from "../../model/message-content.ts";
import type { AgentTrace } from "../../run/trace.ts";
import type { ConversationEntryJson, conversationSchema } from "../../schemas/conversation-schema.ts";
import type { NumberedSource } from "../../sources.ts";
import type { ConversationTurn } from "./conversation.ts";
import { toConversationTitle } from "./conversation-title.ts";
import type { ConversationEntry, LastRun } from "./entries.ts";

export type ConversationJson = z.infer<typeof conversationSchema>;

export interface StoredConversation {
  id: string;
  title?: string | undefined;
  turns: readonly ConversationTurn[];
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

export function toEntryJson(entry: ConversationEntry): ConversationEntryJson {
  const { id, title, isNamed = false, isPinned = false, turns, createdAt, updatedAt, lastRun, match } = entry;
  const marks = { named_by_person: isNamed, pinned: isPinned };
  return {
    ...{ conversation_id: id, title, ...marks, turns },
    ...(lastRun && toLastRunJson(lastRun)),
    ...{ created_at: createdAt, updated_at: updatedAt },
    ...(match && { match: { ...match, turn: match.turn ?? null } }),
  };
}

export function toLastRunJson({ mode, functionCall, answer }: LastRun): Pick<ConversationEntryJson, "mode" | "models"> {
  return { mode, models: { function_call: functionCall, answer } };
}

export function toConversationJson(
  { id, title, turns, summary, sources }: StoredConversation,
  runs: readonly StoredRun[],
): ConversationJson {
  return {
    conversation_id: id,
    title: title || toConversationTitle(runs[0]?.question ?? ""),
    turns: turns.map(toTurnJson),
    summary: summary ? { text: summary.text, turns: summary.turns } : null,
    sources: sources.all().map(({ n, source: { title, url } }) => ({ n, title, url })),
    runs: runs.map(({ id: run_id, question, status, startedAt: started_at }) => {
      return { run_id, question, status, started_at };
    }),
  };
}

/** Names what came with the question. Its bytes and its text are not part of a list. */
function toTurnJson(turn: ConversationTurn): ConversationJson["turns"][number] {
  const { question, answer, status, files = [], steps = [] } = turn;
  const attachments = files.map((part) => {
    const { hash: id, name = "", mediaType: media_type, size } = part.type === "image" ? part.image : part.file;
    return { id, name, media_type, size };
  });
  const said = steps.flatMap((step) => (step.messages ?? []).map(({ content }) => listTexts(content).join("\n")));
  const messages = said.filter((text) => text !== "");
  return {
    question,
    answer,
    ...(attachments.length > 0 && { attachments }),
    ...(messages.length > 0 && { messages }),
    ...(status && { status }),
  };
}
