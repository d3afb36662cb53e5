import { describeFile, fromParts, toParts, toPlainText } from "../../core/model/message-content.ts";
import type { ContentPart, ImagePart, Message, MessageContent, ToolMessage } from "../../core/model/messages.ts";
import type { ConversationTurn, TurnStep } from "../../core/store/conversations/conversation.ts";
import { detectLanguage, type Locale, say, type Text } from "../../kit/locale.ts";
import type { RunInput } from "../run.ts";
import { joinNote } from "./day-note.ts";
import { fence } from "./fence.ts";
import { describeOrigin, labelImages, toFileParts } from "./question-content.ts";

/** Holds what earlier turns are rendered with. What was sent is rendered as it was, whatever the language of the question now. */
export type HistoryInput = Pick<RunInput, "marker" | "locale">;

/** Returns a turn as a model with tools reads it: its calls and their results stand between the question and the answer. */
export function toTurnMessages(turn: ConversationTurn, input: HistoryInput): Message[] {
  const { question, note, steps = [], images = [] } = turn;
  const language = detectLanguage(question, input.locale);
  const shown = steps.length > 0 ? [] : labelImages(images, say(language, fromTools));
  const content = fromParts([
    { type: "text", text: joinNote(note, question) },
    ...toFileParts(turn.files ?? [], { ...input, language }),
    ...shown,
  ]);
  return [
    { role: "user", content },
    ...steps.flatMap((step) => toStepMessages(step, turn, language)),
    toReply(turn, input),
  ];
}

/** Returns a turn as a model without tools reads it: its calls and their results are part of the question. */
export function toPlainTurnMessages(turn: ConversationTurn, input: HistoryInput): Message[] {
  const { question, note, answerPrompt } = turn;
  const language = detectLanguage(question, input.locale);
  const content = fromParts([
    { type: "text", text: answerPrompt ?? joinNote(note, renderCalls(turn, language)) },
    ...toFileParts(turn.files ?? [], { ...input, language }),
    ...listShownImages(turn, language),
  ]);
  return [{ role: "user", content }, toReply(turn, input)];
}

/** Renders what another program has answered as text from outside: these are not our models' own words. */
function toReply({ answer, answeredBy }: ConversationTurn, { marker }: HistoryInput): Message {
  const content = answeredBy === undefined ? answer : `${answeredBy}\n${fence(answer, marker)}`;
  return { role: "assistant", content, toolCalls: [] };
}

function toStepMessages(
  { message, results, messages = [] }: TurnStep,
  turn: ConversationTurn,
  locale: Locale,
): Message[] {
  return [message, ...results.map((result) => keepImages(result, turn, locale)), ...messages];
}

/** Puts names in place of images that the turn does not show any more. */
function keepImages(result: ToolMessage, { images = [] }: ConversationTurn, locale: Locale): ToolMessage {
  const { content } = result;
  if (typeof content === "string") return result;
  const parts = content.map((part) => (part.type === "image" ? showImage(part, images, locale) : part));
  return { ...result, content: fromParts(parts) };
}

function showImage(part: ImagePart, images: readonly ImagePart[], locale: Locale): ContentPart {
  const isShown = images.some((one) => one.image.hash === part.image.hash);
  return isShown ? part : { type: "text", text: describeFile(part, locale, notAgain) };
}

/** Lists the images under the tools that gave them, and the names of those that the turn does not show any more. */
function listShownImages(turn: ConversationTurn, language: Locale): ContentPart[] {
  const { steps = [], images = [] } = turn;
  if (steps.length === 0) return labelImages(images, say(language, fromTools));
  return steps.flatMap(({ results }) =>
    results.flatMap((result) => {
      const found = toParts(result.content).flatMap((part) => (part.type === "image" ? [part] : []));
      const shown = found.map((part) => showImage(part, images, language));
      return labelImages(shown, say(language, describeOrigin(result.tool)));
    }),
  );
}

/** Renders a question with the calls that were made for it. The results stand in their fences. */
function renderCalls(turn: ConversationTurn, language: Locale): string {
  const { steps = [] } = turn;
  const question = joinSaid(turn);
  const calls = steps.flatMap(({ message, results }) =>
    message.toolCalls.map(({ id, name, argumentsText }) => {
      const result = results.find(({ callId }) => callId === id);
      return `### ${name} ${argumentsText}\n${result ? toText(result.content) : ""}`;
    }),
  );
  return calls.length === 0 ? question : [question, say(language, resultsTitle), ...calls].join("\n\n");
}

/** Returns a question with what the person said while the run worked. */
export function joinSaid({ question, steps = [] }: Pick<ConversationTurn, "question" | "steps">): string {
  const said = steps.flatMap(({ messages = [] }) => messages.map(({ content }) => toText(content)));
  return [question, ...said].join("\n\n");
}

function toText(content: MessageContent): string {
  return typeof content === "string"
    ? content
    : toPlainText(
        content.filter(({ type }) => type === "text"),
        "en",
      );
}

const resultsTitle: Text = { zh: "工具结果：", en: "Tool results:" };
const fromTools: Text = { zh: "回答时工具返回的图片：", en: "Images that tools returned for the answer:" };
export const notAgain: Text = { zh: "这里不再附上", en: "not attached again" };
