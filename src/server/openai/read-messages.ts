import type { AskRequest } from "../../app/ask-request.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";

/** Represents a message as a client sends it. Other fields are ignored. */
export interface WireMessage {
  role: string;
  content?: unknown;
}

/** Holds what a run takes from a client's messages. */
export interface ReadMessages {
  /** Is the user's last message. */
  question: string;
  /** Holds the messages before the question. */
  history: NonNullable<AskRequest["history"]>;
  /** Holds the text of the client's system messages. */
  instruction: string | undefined;
  /** Tells the reader what was left out. */
  notes: Text[];
}

/** Limits a question, in UTF-16 units. */
const longestQuestion = 100_000;

type MessageRole = "instruction" | "user" | "assistant" | "tool";

const roles: Readonly<Record<string, MessageRole>> = {
  system: "instruction",
  developer: "instruction",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
};

/** Throws `HttpRefusalError` (400), which names the message, for what a run cannot take: other content than text, no question at the end. */
export function readMessages(messages: readonly WireMessage[]): ReadMessages {
  const instructions: string[] = [];
  const turns: Exchange[] = [];
  let leftOut = 0;
  for (const [index, message] of messages.entries()) {
    const place = `messages[${index}]`;
    const role = readRole(message.role, place);
    if (role === "tool") {
      leftOut += 1;
      continue;
    }
    const text = readText(message.content, `${place}.content`);
    if (text.trim() === "") continue;
    if (role === "instruction") instructions.push(text);
    else if (role === "assistant") findLast(turns).answers.push(text);
    else if (turns.at(-1)?.answers.length === 0) findLast(turns).questions.push(text);
    else turns.push({ questions: [text], answers: [] });
  }
  const last = turns.pop();
  const question = last?.questions.join("\n\n").trim() ?? "";
  if (question === "" || (last?.answers.length ?? 0) > 0) throw fieldRefusedError("messages", noQuestion);
  if (question.length > longestQuestion) throw fieldRefusedError("messages", describeTooLong(question.length));
  return {
    question,
    history: turns.map(({ questions, answers }) => ({
      question: questions.join("\n\n") || unsaid,
      answer: answers.join("\n\n"),
    })),
    instruction: instructions.length > 0 ? instructions.join("\n\n") : undefined,
    notes: leftOut > 0 ? [describeLeftOutTools(leftOut)] : [],
  };
}

/** Stands for the missing question when a conversation begins with the assistant. */
const unsaid = "…";

/** Collects a user's messages and the answers to them while they are read. */
interface Exchange {
  questions: string[];
  answers: string[];
}

function findLast(turns: Exchange[]): Exchange {
  const last = turns.at(-1);
  if (last !== undefined) return last;
  const first: Exchange = { questions: [], answers: [] };
  turns.push(first);
  return first;
}

function readRole(written: string, place: string): MessageRole {
  const role = Object.hasOwn(roles, written) ? roles[written] : undefined;
  if (role !== undefined) return role;
  const shown = JSON.stringify(written.slice(0, 50));
  const allowed = Object.keys(roles).join(", ");
  throw fieldRefusedError(`${place}.role`, {
    zh: `${shown} 不可用（允许：${allowed}）`,
    en: `${shown} (allowed: ${allowed})`,
  });
}

/** Returns the content if it is text, or the texts among its parts. */
export function readText(content: unknown, place: string): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw fieldRefusedError(place, describeTextOnly(typeof content));
  return content.map((part: unknown, index) => readPart(part, `${place}[${index}]`)).join("\n");
}

function readPart(part: unknown, place: string): string {
  if (typeof part === "string") return part;
  const { type, text, refusal } = isRecord(part) ? part : { type: typeof part, text: undefined, refusal: undefined };
  if (type === "text" && typeof text === "string") return text;
  if (type === "refusal" && typeof refusal === "string") return refusal;
  throw fieldRefusedError(place, describeTextOnly(String(type)));
}

function describeTextOnly(type: string): Text {
  const shown = JSON.stringify(type.slice(0, 50));
  return {
    zh: `内容类型 ${shown} 不可用（允许：text）：模型只读文字`,
    en: `content type ${shown} is not supported (allowed: text): the models read text only`,
  };
}

export function fieldRefusedError(param: string, { zh, en }: Text): HttpRefusalError {
  return new HttpRefusalError({ status: 400, text: { zh: `${param}：${zh}`, en: `${param}: ${en}` }, param });
}

const noQuestion = {
  zh: "最后须是用户的消息（允许：role 为 user、内容不为空的消息，其后没有 assistant 消息）",
  en: "the last message is not a question (allowed: a message of the role user with text, and no assistant message after it)",
};

function describeTooLong(length: number): Text {
  return {
    zh: `问题有 ${length} 个字符（允许：至多 ${longestQuestion}）`,
    en: `the question has ${length} characters (allowed: at most ${longestQuestion})`,
  };
}

function describeLeftOutTools(count: number): Text {
  return {
    zh: `已略过 ${count} 条工具消息：Duet 运行自己的工具。`,
    en: `Tool messages were ignored (${count}): Duet runs its own tools.`,
  };
}
