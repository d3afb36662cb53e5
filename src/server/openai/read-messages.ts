import type { Text } from "../../kit/locale.ts";
import { fieldRefusedError, readContent, type WireFile } from "./read-parts.ts";

/** Represents a message as a client sends it. Other fields are ignored. */
export interface WireMessage {
  role: string;
  content?: unknown;
}

/** Holds what a run takes from a client's messages. */
export interface ReadMessages {
  /** Is the user's last message. */
  question: string;
  /** Holds the images and files of that message. */
  files: readonly WireFile[];
  /** Holds the messages before the question. */
  history: readonly { question: string; answer: string; files: readonly WireFile[] }[];
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

/** Throws `HttpRefusalError` (400), which names the message, for what a run cannot take: a part that is no text, image or file, no question at the end. */
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
    const { text, files } = readContent(message.content, `${place}.content`);
    if (text.trim() === "" && (role !== "user" || files.length === 0)) continue;
    if (role === "instruction") instructions.push(text);
    else if (role === "assistant") findLast(turns).answers.push(text);
    else {
      if (turns.at(-1)?.answers.length !== 0) turns.push({ questions: [], answers: [], files: [] });
      const turn = findLast(turns);
      if (text.trim() !== "") turn.questions.push(text);
      turn.files.push(...files);
    }
  }
  const last = turns.pop();
  const files = last?.files ?? [];
  const question = last?.questions.join("\n\n").trim() || (files.length > 0 ? unsaid : "");
  if (question === "" || (last?.answers.length ?? 0) > 0) throw fieldRefusedError("messages", noQuestion);
  if (question.length > longestQuestion) throw fieldRefusedError("messages", describeTooLong(question.length));
  return {
    question,
    files,
    history: turns.map((turn) => ({
      question: turn.questions.join("\n\n") || unsaid,
      answer: turn.answers.join("\n\n"),
      files: turn.files,
    })),
    instruction: instructions.length > 0 ? instructions.join("\n\n") : undefined,
    notes: leftOut > 0 ? [describeLeftOutTools(leftOut)] : [],
  };
}

/** Stands for the missing question when a conversation begins with the assistant, and where a message is an image alone. */
const unsaid = "…";

/** Collects a user's messages and the answers to them while they are read. */
interface Exchange {
  questions: string[];
  answers: string[];
  files: WireFile[];
}

function findLast(turns: Exchange[]): Exchange {
  const last = turns.at(-1);
  if (last !== undefined) return last;
  const first: Exchange = { questions: [], answers: [], files: [] };
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

const noQuestion = {
  zh: "最后须是用户的消息（允许：role 为 user、含文字、图片或文件的消息，其后没有 assistant 消息）",
  en: "the last message is not a question (allowed: a message of the role user with text, an image or a file, and no assistant message after it)",
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
