import { describeFile, fromParts, toParts } from "../../core/model/message-content.ts";
import type { ContentPart, Message, MessageContent } from "../../core/model/messages.ts";
import type { Model, ModelRequest } from "../../core/model/model.ts";
import type { Text } from "../../kit/locale.ts";
import { countRequestTokens, countTokens, isSurelyWithin } from "./context-window.ts";
import { splitFences } from "./fence.ts";
import { planShrinkSteps, type ShrinkStep, shrinkTexts } from "./shrink.ts";

export interface FitOptions {
  /** Limits the tokens that the request may take. */
  budget: number;
  /** Text fenced with this marker comes from outside. It is shortened before anything that people said. */
  marker: string;
  /** Is true when what people said may be shortened too, once nothing else is left. */
  mayCutWords: boolean;
  /** Keeps about that many characters of a text. */
  shorten(text: string, kept: number): string;
}

export interface FittedRequest {
  request: ModelRequest;
  cut: "nothing" | "results" | "words";
}

/**
 * Shortens the request until it fits the model's window, as far as its parts allow: results first, the oldest before the newest,
 * then images, then the earlier conversation, the question last. System prompts, tools, calls and what a model signed stay as they
 * are. A request that surely fits costs no estimate. The messages given are not changed.
 */
export function fitRequest(model: Model, request: ModelRequest, fitting: FitOptions): FittedRequest {
  const { budget } = fitting;
  if (isSurelyWithin(request, budget)) return { request, cut: "nothing" };
  const excess = countRequestTokens(model, request) - budget;
  if (excess <= 0) return { request, cut: "nothing" };
  if (!request.messages.some(hasImages)) return shrinkRequest(model, request, excess, fitting);
  const first = shrinkRequest(model, request, excess, { ...fitting, mayCutWords: false });
  const left = countRequestTokens(model, first.request) - budget;
  if (left <= 0) return first;
  const without = dropImages(model, first.request, left);
  const rest = countRequestTokens(model, without) - budget;
  if (rest <= 0) return { request: without, cut: "results" };
  const last = shrinkRequest(model, without, rest, fitting);
  return { ...last, cut: last.cut === "words" ? "words" : "results" };
}

function hasImages({ content }: Message): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "image");
}

function shrinkRequest(model: Model, request: ModelRequest, excess: number, fitting: FitOptions): FittedRequest {
  const pieces = listPieces(request.messages, fitting.marker);
  const texts = pieces.map(({ text }) => text);
  const shrunk = shrinkTexts(texts, excess, listShrinkSteps(pieces, fitting.mayCutWords), {
    tokensOf: (text) => countTokens(model, text),
    shorten: fitting.shorten,
  });
  const cut = pieces.filter(({ text }, index) => text !== shrunk[index]);
  if (cut.length === 0) return { request, cut: "nothing" };
  const messages = request.messages.map((message, at) => {
    const own = pieces.flatMap(({ message: of, part }, index) =>
      of === at ? [{ part, text: shrunk[index] ?? "" }] : [],
    );
    return withTexts(message, (part) => own.flatMap((piece) => (piece.part === part ? piece.text : [])).join(""));
  });
  const isWord = cut.some(({ kind }) => kind === "words");
  return { request: { ...request, messages }, cut: isWord ? "words" : "results" };
}

/** Puts names in place of images, the oldest first, until enough tokens are saved: an image is whole or not there. */
function dropImages(model: Model, request: ModelRequest, excess: number): ModelRequest {
  let left = excess;
  const messages = request.messages.map((message) => {
    const { content } = message;
    if (isFixed(message) || typeof content === "string" || left <= 0) return message;
    const parts = content.map((part): ContentPart => {
      if (part.type !== "image" || left <= 0) return part;
      const named: ContentPart = { type: "text", text: describeFile(part, "en", leftOut) };
      left -= countTokens(model, [part]) - countTokens(model, [named]);
      return named;
    });
    return replaceContent(message, fromParts(parts));
  });
  return left === excess ? request : { ...request, messages };
}

const leftOut: Text = { zh: "已略去", en: "left out" };

function replaceContent(message: Message, content: MessageContent): Message {
  return message.role === "user" || message.role === "tool" ? { ...message, content } : message;
}

/** These floors are in characters. */
const floors = [8000, 2000, 500];

function listShrinkSteps(pieces: readonly Piece[], mayCutWords: boolean): ShrinkStep[] {
  const listIndexes = (kind: Piece["kind"]): number[] =>
    [...pieces.keys()].filter((index) => pieces[index]?.kind === kind);
  const [older, newest, words] = [listIndexes("older-result"), listIndexes("result"), listIndexes("words")];
  return [
    ...planShrinkSteps(older, floors),
    ...planShrinkSteps(newest, floors),
    // Down to the line that says how to read on.
    ...planShrinkSteps([...older, ...newest], [0]),
    ...(mayCutWords ? planShrinkSteps(words, floors) : []),
  ];
}

/** Locates a part of a message's content. */
interface Piece {
  text: string;
  message: number;
  /** Is the index of the content's part. */
  part: number;
  kind: "fixed" | "older-result" | "result" | "words";
}

function listPieces(messages: readonly Message[], marker: string): Piece[] {
  const lastCalls = messages.findLastIndex((message) => message.role === "assistant" && message.toolCalls.length > 0);
  return messages.flatMap((message, at): Piece[] => {
    const texts = listTexts(message);
    if (isFixed(message)) return texts.map(({ text, part }) => ({ text, message: at, part, kind: "fixed" }));
    const result = at < lastCalls ? "older-result" : "result";
    const other = message.role === "tool" ? "fixed" : "words";
    return texts.flatMap(({ text: whole, part }) =>
      splitFences(whole, marker).map(({ text, isFenced }): Piece => {
        return { text, message: at, part, kind: isFenced ? result : other };
      }),
    );
  });
}

/** Lists the texts of a message with the indexes of their parts. An image has none. */
function listTexts({ content }: Message): { text: string; part: number }[] {
  return toParts(content).flatMap((entry, part) => (entry.type === "image" ? [] : [{ text: entry.text, part }]));
}

function withTexts<Kind extends Message>(message: Kind, findText: (part: number) => string): Kind {
  if (listTexts(message).every(({ text, part }) => findText(part) === text)) return message;
  const { content } = message;
  if (typeof content === "string") return { ...message, content: findText(0) };
  const parts = content.map((entry, part) => (entry.type === "image" ? entry : { ...entry, text: findText(part) }));
  return { ...message, content: parts };
}

/** A model gets its own turn back unchanged, and reads its text there. */
function isFixed(message: Message): boolean {
  return message.role === "system" || (message.role === "assistant" && message.native !== undefined);
}
