import type { Message } from "../../core/messages.ts";
import type { Model, ModelRequest } from "../../core/model.ts";
import { countRequestTokens, countTokens, isSurelyWithin } from "./context-window.ts";
import { splitFences } from "./fence.ts";
import { planShrinkSteps, type ShrinkStep, shrinkTexts } from "./shrink.ts";

export interface FitOptions {
  /** The tokens that the request may take. */
  room: number;
  /** What stands between fences with this marker is from outside: it is shortened before anything that people said. */
  marker: string;
  /** Whether what people said may be shortened too, when nothing else is left. */
  mayCutWords: boolean;
  /** Keeps about that many characters of a text. */
  shorten(text: string, kept: number): string;
}

export interface FittedRequest {
  request: ModelRequest;
  /** What had to be shortened. */
  cut: "nothing" | "results" | "words";
}

/**
 * The request in a form that fits the model's window, as far as its parts can be shortened: results first, the oldest
 * before the newest, then the earlier conversation, the question last. System prompts, tools, calls and what a model
 * signed stay as they are. A request that surely fits costs no estimate. The messages given are not changed.
 */
export function fitRequest(model: Model, request: ModelRequest, fitting: FitOptions): FittedRequest {
  const { room } = fitting;
  if (isSurelyWithin(request, room)) return { request, cut: "nothing" };
  const excess = countRequestTokens(model, request) - room;
  if (excess <= 0) return { request, cut: "nothing" };
  const pieces = piecesOf(request.messages, fitting.marker);
  const texts = pieces.map(({ text }) => text);
  const shrunk = shrinkTexts(texts, excess, stepsOf(pieces, fitting.mayCutWords), {
    tokensOf: (text) => countTokens(model, text),
    shorten: fitting.shorten,
  });
  const cut = pieces.filter(({ text }, index) => text !== shrunk[index]);
  if (cut.length === 0) return { request, cut: "nothing" };
  const messages = request.messages.map((message, at) => {
    const content = shrunk.filter((_, index) => pieces[index]?.message === at).join("");
    return content === message.content ? message : { ...message, content };
  });
  const isWord = cut.some(({ kind }) => kind === "words");
  return { request: { ...request, messages }, cut: isWord ? "words" : "results" };
}

/** Characters. */
const floors = [8000, 2000, 500];

function stepsOf(pieces: readonly Piece[], mayCutWords: boolean): ShrinkStep[] {
  const of = (kind: Piece["kind"]): number[] => [...pieces.keys()].filter((index) => pieces[index]?.kind === kind);
  const [older, newest, words] = [of("older-result"), of("result"), of("words")];
  return [
    ...planShrinkSteps(older, floors),
    ...planShrinkSteps(newest, floors),
    // Down to the line that says how to read on.
    ...planShrinkSteps([...older, ...newest], [0]),
    ...(mayCutWords ? planShrinkSteps(words, floors) : []),
  ];
}

/** A stretch of a message's content. */
interface Piece {
  text: string;
  /** The index of its message. */
  message: number;
  kind: "fixed" | "older-result" | "result" | "words";
}

function piecesOf(messages: readonly Message[], marker: string): Piece[] {
  const lastCalls = messages.findLastIndex((message) => message.role === "assistant" && message.toolCalls.length > 0);
  return messages.flatMap((message, at): Piece[] => {
    if (isFixed(message)) return [{ text: message.content, message: at, kind: "fixed" }];
    const result = at < lastCalls ? "older-result" : "result";
    const other = message.role === "tool" ? "fixed" : "words";
    return splitFences(message.content, marker).map(({ text, isFenced }) => {
      return { text, message: at, kind: isFenced ? result : other };
    });
  });
}

/** An author gets back its own turn as it is, and reads its text there. */
function isFixed(message: Message): boolean {
  return message.role === "system" || (message.role === "assistant" && message.native !== undefined);
}
