import type { ClientToolCall, ClientToolResult, GivenStep } from "../../core/client-tools.ts";
import { detectLanguage, say, type Text } from "../../kit/locale.ts";
import type {
  ClientResult,
  ModelMessage,
  RequestConversation,
  RequestFields,
  SaidMessage,
  WireFile,
} from "./answer/answer-request.ts";
import { hasCutMark, removeCutMark } from "./cut-mark.ts";
import { findDocumentNumbers } from "./document-numbers.ts";
import { fieldRefusedError } from "./field-refused-error.ts";

/** Limits a question, in UTF-16 units. */
const longestQuestion = 100_000;

/**
 * Returns a client's messages as a question with its history. Calls of the client's tools belong to the question before them; what the
 * user says after their results, without an answer between, was said to that question too. Where an answer stands last, the question
 * is to go on with it. Throws `HttpRefusalError` (400), which names the field of the messages, where nothing is asked or where it is too long.
 */
export function toConversation(
  messages: readonly ModelMessage[],
  { messages: field, callsBeforeResults }: Pick<RequestFields, "messages" | "callsBeforeResults">,
): RequestConversation {
  const instructions: string[] = [];
  const turns: Exchange[] = [];
  let orphans = 0;
  for (const message of messages) {
    switch (message.role) {
      case "instruction":
        if (message.text.trim() !== "") instructions.push(message.text);
        break;
      case "assistant":
        addAnswer(findLast(turns), removeCutMark(message.text), message.calls);
        break;
      case "tool":
        if (!addResult(turns.at(-1), message.result)) orphans += 1;
        break;
      default:
        if (message.text.trim() !== "" || message.files.length > 0) addQuestion(turns, message.text, message.files);
    }
  }
  const goesOn = turns.at(-1)?.answers.some((answer) => answer.trim() !== "") === true;
  const last = goesOn ? toGoOn(turns) : turns.pop();
  const files = last?.files ?? [];
  const steps = last?.steps ?? [];
  const question = last?.questions.join("\n\n").trim() || (files.length + steps.length > 0 ? unsaid : "");
  if (question === "")
    throw fieldRefusedError(field, orphans > 0 ? describeResultsAlone(callsBeforeResults) : noQuestion);
  if (question.length > longestQuestion) throw fieldRefusedError(field, describeTooLong(question.length));
  const said = messages.map(toSaid);
  return {
    question,
    files,
    steps,
    history: turns.map((turn) => ({
      question: turn.questions.join("\n\n") || unsaid,
      answer: turn.answers.join("\n\n"),
      files: turn.files,
      steps: turn.steps,
    })),
    instruction: instructions.length > 0 ? instructions.join("\n\n") : undefined,
    notes: orphans > 0 ? [describeOrphans(orphans)] : [],
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
  return { questions: [say(detectLanguage(spoken, "en"), goOn)], steps: [], answers: [], files: [] };
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
  steps: Step[];
  answers: string[];
  files: WireFile[];
}

interface Step extends GivenStep {
  calls: ClientToolCall[];
  results: ClientToolResult[];
  messages: string[];
}

function findLast(turns: Exchange[]): Exchange {
  const last = turns.at(-1);
  if (last !== undefined) return last;
  const first: Exchange = { questions: [], steps: [], answers: [], files: [] };
  turns.push(first);
  return first;
}

function addQuestion(turns: Exchange[], text: string, files: readonly WireFile[]): void {
  if (turns.at(-1)?.answers.length !== 0) turns.push({ questions: [], steps: [], answers: [], files: [] });
  const turn = findLast(turns);
  const step = turn.steps.at(-1);
  if (text.trim() !== "") (step?.messages ?? turn.questions).push(text);
  turn.files.push(...files);
}

/** Adds what an assistant has said. What it said before a call belongs to the call, and calls of one turn may come in several messages. */
function addAnswer(turn: Exchange, text: string, calls: readonly ClientToolCall[]): void {
  if (text.trim() !== "") turn.answers.push(text);
  if (calls.length === 0) return;
  const last = turn.steps.at(-1);
  const isSameTurn = last !== undefined && last.results.length + last.messages.length + turn.answers.length === 0;
  if (isSameTurn) last.calls.push(...calls);
  else turn.steps.push({ text: turn.answers.splice(0).join("\n\n"), calls: [...calls], results: [], messages: [] });
}

/** Returns false for the result of a call that there is not. */
function addResult(turn: Exchange | undefined, { callId, text, files, isError }: ClientResult): boolean {
  const step = turn?.steps.findLast(({ calls }) => calls.some(({ id }) => id === callId));
  if (step === undefined) return false;
  const images = files.flatMap((file) => ("attachment" in file ? [file.attachment.bytes] : []));
  // A model that reads nothing at all would take the call for one without a result.
  const addresses = files.flatMap((file) => ("url" in file ? [`[image_url: ${file.url}]`] : []));
  const whole = [...(text === "" ? [] : [text]), ...addresses].join("\n");
  step.results.push({ callId, text: whole, isError, ...(images.length > 0 && { images }) });
  return true;
}

const noQuestion = {
  zh: "请求中没有提问（需要：role 为 user、含文字、图片或文件的消息，或要接着写的 assistant 消息）",
  en: "there is no question (allowed: a message of the role user with text, an image or a file, or one of the assistant to go on with)",
};

function describeResultsAlone({ zh, en }: Text): Text {
  return {
    zh: `只有工具结果，前面没有与之对应的调用（允许：${zh}）`,
    en: `there are results of tools, and no calls before them (allowed: ${en})`,
  };
}

function describeTooLong(length: number): Text {
  return {
    zh: `问题有 ${length} 个字符（允许：至多 ${longestQuestion}）`,
    en: `the question has ${length} characters (allowed: at most ${longestQuestion})`,
  };
}

function describeOrphans(count: number): Text {
  return {
    zh: `已略过 ${count} 条工具消息：没有与之对应的调用。`,
    en: `Tool messages were ignored (${count}): there is no call to which they belong.`,
  };
}
