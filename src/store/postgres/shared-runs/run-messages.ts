import { questionSchemas, type UserQuestion } from "../../../core/questions/user-question.ts";
import type { MessageReply, RunMessage } from "../../../core/store/run-mailbox.ts";
import { isRecord, toText } from "../../../kit/json.ts";

/** Limits what PostgreSQL takes in one notification, in bytes. */
const longestText = 7_900;

/** Returns the text that tells of new events of these runs; of so many that they cannot be named, it tells of all. */
export function toEventText(runs: readonly string[]): string {
  const text = `e ${[...new Set(runs)].join(" ")}`;
  return Buffer.byteLength(text) > longestText ? "e" : text;
}

/** Returns the text that tells that something was said to a run, or that its question has changed. */
export function toMailText(runId: string): string {
  return `m ${runId}`;
}

/** Is what a sender finds by its text. Earlier programs read the reply under this name. */
export function toReply(id: string, reply: MessageReply): object {
  return { type: "reply", id, delivery: reply };
}

export function readNotification(text: string): { isMail: boolean; runs: readonly string[] | undefined } {
  const [kind, ...runs] = text.split(" ");
  return { isMail: kind === "m", runs: runs.length > 0 ? runs : undefined };
}

/** Processes read only what others of their kind wrote. Of what a newer one says nothing is known. */
export function toMessage(value: unknown): RunMessage | undefined {
  if (!isRecord(value)) return undefined;
  const { type, id, text, by, questionId, reply } = value;
  if (type === "stop" || type === "abandon") return { type };
  if (type === "say" && typeof id === "string" && typeof text === "string") return { type, id, text };
  const sessionId = toText(value.sessionId) || undefined;
  if (type === "join" && typeof id === "string") return { type, id, sessionId };
  if (type === "hold" && typeof by === "string") return { type, by, isSession: value.isSession === true, sessionId };
  if (type === "release" && typeof by === "string") return { type, by };
  if (type === "answer" && typeof questionId === "string") return { type, questionId, reply: reply ?? undefined };
  return undefined;
}

export function isQuestion(value: unknown): value is UserQuestion {
  if (!isRecord(value)) return false;
  const found = Object.entries(questionSchemas).find(([kind]) => kind === value.kind);
  return found?.[1].fields.safeParse(value).success ?? false;
}
