import type { ToolMessage } from "../../../core/model/messages.ts";
import type {
  ConversationTurn,
  TurnSessions,
  TurnStatus,
  TurnStep,
} from "../../../core/store/conversations/conversation.ts";
import { isRecord } from "../../../kit/json.ts";
import { packText, unpackText } from "./packed-text.ts";

type TurnRecord = Pick<ConversationTurn, "status" | "steps" | "note" | "answerPrompt" | "answeredBy" | "agentSessions">;

/** Returns what a turn remembers of its run as JSON, and undefined where it remembers nothing. */
export function writeTurnRecord({
  status,
  steps,
  note,
  answerPrompt,
  answeredBy,
  agentSessions,
}: TurnRecord): string | undefined {
  const record = { status, steps, note, answerPrompt, answeredBy, agentSessions };
  return Object.values(record).some((value) => value !== undefined) ? JSON.stringify(record) : undefined;
}

/** Returns what `writeTurnRecord` wrote, packed for its row. */
export async function packTurnRecord(json: string | undefined): Promise<Uint8Array | null> {
  return json === undefined ? null : packText(json);
}

/** Reads a row's record. Anything that is none says nothing. */
export function readTurnRecord(bytes: unknown): TurnRecord {
  if (!(bytes instanceof Uint8Array)) return {};
  try {
    const value: unknown = JSON.parse(unpackText(bytes));
    return isRecord(value) ? toTurnRecord(value) : {};
  } catch {
    return {};
  }
}

function toTurnRecord({
  status,
  steps,
  note,
  answerPrompt,
  answeredBy,
  agentSessions,
}: Record<string, unknown>): TurnRecord {
  const known = Array.isArray(steps) ? steps.filter(isStep) : [];
  return {
    ...(isTurnStatus(status) && { status }),
    ...(known.length > 0 && { steps: known }),
    ...(typeof note === "string" && { note }),
    ...(typeof answerPrompt === "string" && { answerPrompt }),
    ...(typeof answeredBy === "string" && { answeredBy }),
    ...(isTurnSessions(agentSessions) && { agentSessions }),
  };
}

function isTurnSessions(value: unknown): value is TurnSessions {
  if (!isRecord(value) || typeof value.conversation !== "string" || !isRecord(value.ids)) return false;
  return Object.values(value.ids).every((each) => typeof each === "string");
}

const statuses: readonly unknown[] = ["partial", "failed", "cancelled", "interrupted"] satisfies TurnStatus[];

function isTurnStatus(value: unknown): value is TurnStatus {
  return statuses.includes(value);
}

/** The store reads only what it wrote, so the checks only recognise a step. */
function isStep(value: unknown): value is TurnStep {
  return (
    isRecord(value) &&
    isRecord(value.message) &&
    Array.isArray(value.message.toolCalls) &&
    Array.isArray(value.results) &&
    value.results.every(isToolMessage)
  );
}

function isToolMessage(value: unknown): value is ToolMessage {
  return isRecord(value) && value.role === "tool" && typeof value.callId === "string";
}
