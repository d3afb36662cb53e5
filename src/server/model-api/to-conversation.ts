import { detectLanguage, say, type Text } from "../../kit/locale.ts";
import { hasCutMark, removeCutMark } from "./cut-mark.ts";
import { findDocumentNumbers } from "./document-numbers.ts";
import { fieldRefusedError } from "./field-refused-error.ts";
import type { ModelMessage, RequestConversation, SaidMessage, WireFile } from "./model-request.ts";

/** Limits a question, in UTF-16 units. */
const longestQuestion = 100_000;

/**
 * Returns a client's messages as a question with its history. Where an answer stands last, the question is to go on with it. Throws
 * `HttpRefusalError` (400), which names `field`, where nothing is asked or where it is too long.
 */
export function toConversation(messages: readonly ModelMessage[], field: string): RequestConversation {
  const instructions: string[] = [];
  const turns: Exchange[] = [];
  let leftOut = 0;
  for (const message of messages) {
    if (message.role === "tool") {
      leftOut += 1;
      continue;
    }
    const { role, text } = message;
    const files = role === "user" ? message.files : [];
    if (text.trim() === "" && files.length === 0) continue;
    if (role === "instruction") instructions.push(text);
    else if (role === "assistant") findLast(turns).answers.push(removeCutMark(text));
    else {
      if (turns.at(-1)?.answers.length !== 0) turns.push({ questions: [], answers: [], files: [] });
      const turn = findLast(turns);
      if (text.trim() !== "") turn.questions.push(text);
      turn.files.push(...files);
    }
  }
  const goesOn = turns.at(-1)?.answers.some((answer) => answer.trim() !== "") === true;
  const last = goesOn ? toGoOn(turns) : turns.pop();
  const files = last?.files ?? [];
  const question = last?.questions.join("\n\n").trim() || (files.length > 0 ? unsaid : "");
  if (question === "") throw fieldRefusedError(field, noQuestion);
  if (question.length > longestQuestion) throw fieldRefusedError(field, describeTooLong(question.length));
  const said = messages.map(toSaid);
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
    said,
    documents: findDocumentNumbers(said.flatMap(({ role, text }) => (role === "assistant" ? [] : [text]))),
    lead: goesOn && hasCutMark(said.at(-1)?.text ?? "") ? "\n\n" : "",
  };
}

function toSaid(message: ModelMessage): SaidMessage {
  return { role: message.role, text: message.role === "tool" ? message.result.text : message.text };
}

/** Asks for the rest of the last answer, in the language of the conversation. */
function toGoOn(turns: readonly Exchange[]): Exchange {
  const spoken = turns.at(-1)?.questions.join("\n") ?? "";
  return { questions: [say(detectLanguage(spoken, "en"), goOn)], answers: [], files: [] };
}

const goOn: Text = {
  zh: "请从你上一个回答中断的地方接着写。只写后续部分，不要重复已有内容，也不要加开场白。",
  en: "Go on with your last answer from exactly where it ends. Write only what follows, repeat nothing of it, and add no introduction.",
};

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

const noQuestion = {
  zh: "没有问题（允许：role 为 user、含文字、图片或文件的消息，或要接着写的 assistant 消息）",
  en: "there is no question (allowed: a message of the role user with text, an image or a file, or one of the assistant to go on with)",
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
