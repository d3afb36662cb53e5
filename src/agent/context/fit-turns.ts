import { mapTexts, toParts } from "../../core/model/message-content.ts";
import type { ConversationTurn, TurnStep } from "../../core/store/conversations/conversation.ts";
import { splitFences } from "./fence.ts";
import { planShrinkSteps, type Sizing, shrinkTexts } from "./shrink.ts";

/** Is true when turns are within a budget. Their length alone is often enough to tell; otherwise their texts are counted. */
export function isWithinBudget(turns: readonly ConversationTurn[], budget: number, { tokensOf }: Sizing): boolean {
  let tokens = 0;
  let length = 0;
  for (const turn of turns) {
    tokens += perTurn;
    for (const text of listTexts(turn)) length += text.length;
  }
  // No common text has more tokens than characters, nor fewer than an eighth of them.
  if (tokens + length <= budget) return true;
  if (tokens + length / 8 > budget) return false;
  for (const turn of turns) for (const text of listTexts(turn)) tokens += tokensOf(text);
  return tokens <= budget;
}

/**
 * Returns the index from which the turns fit together, counted back from the last. Returns the number of turns when not even the
 * last one fits.
 */
export function findFirstFitting(turns: readonly ConversationTurn[], budget: number, { tokensOf }: Sizing): number {
  let left = budget;
  for (let index = turns.length; index > 0; index--) {
    const turn = turns[index - 1];
    if (turn) left -= turnTokens(turn, tokensOf);
    if (left < 0) return index;
  }
  return 0;
}

export interface ShortenOptions extends Sizing {
  atLeast: number;
  /** Marks the results, which are shortened before what people and models said. */
  marker: string;
}

/**
 * Returns turns that fit a budget. The oldest are shortened first, results before words, head and tail of each kept, and then left
 * out until `atLeast` turns remain.
 */
export function shortenTurns(
  all: readonly ConversationTurn[],
  budget: number,
  { atLeast, marker, ...sizing }: ShortenOptions,
): ConversationTurn[] {
  // More do not fit, however short they become, and to count thousands of them would keep everybody else waiting.
  const turns = all.slice(-Math.max(1, atLeast, Math.ceil(budget / perTurn)));
  const before = turns.reduce((sum, turn) => sum + turnTokens(turn, sizing.tokensOf), 0);
  if (before <= budget) return turns;
  const plain = turns.map(({ answerPrompt: _, ...turn }) => turn);
  const pieces = plain.map((turn) => listPieces(turn, marker));
  const texts = pieces.flat();
  const now = plain.reduce((sum, turn) => sum + turnTokens(turn, sizing.tokensOf), 0);
  const listIndexes = (isResult: boolean): number[] =>
    [...texts.keys()].filter((at) => texts[at]?.isResult === isResult);
  const steps = [
    ...planShrinkSteps(listIndexes(true), resultFloors),
    ...planShrinkSteps(listIndexes(false), turnFloors),
  ];
  const shrunk = shrinkTexts(
    texts.map(({ text }) => text),
    now - budget,
    steps,
    sizing,
  );
  let at = 0;
  const shortened = plain.map((turn, index) => {
    const count = pieces[index]?.length ?? 0;
    at += count;
    const shorter = withPieces(turn, shrunk.slice(at - count, at), marker);
    return withPrompt(shorter, turns[index]?.answerPrompt, { marker, ...sizing });
  });
  const first = findFirstFitting(shortened, budget, sizing);
  return shortened.slice(Math.min(first, shortened.length - atLeast));
}

/**
 * Gives a shortened turn what a model without tools has read of it, with its results shortened so that it takes no more than the turn
 * does. Where it cannot, that model reads the calls in their place.
 */
function withPrompt(
  turn: ConversationTurn,
  answerPrompt: string | undefined,
  { marker, tokensOf, shorten }: Sizing & { marker: string },
): ConversationTurn {
  if (answerPrompt === undefined) return turn;
  const room = turnTokens(turn, tokensOf) - perTurn - tokensOf(turn.answer);
  const parts = splitFences(answerPrompt, marker);
  const fenced = [...parts.keys()].filter((index) => parts[index]?.isFenced);
  const prompt = shrinkTexts(
    parts.map(({ text }) => text),
    tokensOf(answerPrompt) - room,
    planShrinkSteps(fenced, resultFloors),
    { tokensOf, shorten: (text, kept) => shorten(text, kept, false) },
  ).join("");
  return tokensOf(prompt) <= room ? { ...turn, answerPrompt: prompt } : turn;
}

export function shortenText(text: string, budget: number, sizing: Sizing): string {
  const excess = sizing.tokensOf(text) - budget;
  return shrinkTexts([text], excess, [{ index: 0, floor: 0 }], sizing)[0] ?? "";
}

/** These floors are in characters of a question or an answer, and of a result. */
const turnFloors = [2000, 500];
const resultFloors = [2000, 500, 0];
/** A turn costs this many tokens besides its texts. */
const perTurn = 16;

/** Returns the tokens that the texts of a turn take. */
export function turnTokens(turn: ConversationTurn, tokensOf: Sizing["tokensOf"]): number {
  return listTexts(turn).reduce((sum, text) => sum + tokensOf(text), perTurn);
}

/** Lists what models read of a turn: of its two forms the longer one. */
function listTexts(turn: ConversationTurn): string[] {
  const { question, answer, note = "", answerPrompt, steps = [] } = turn;
  const called = [note, question, ...steps.flatMap(listStepTexts)];
  if (answerPrompt === undefined) return [...called, answer];
  return getLength(called) > answerPrompt.length ? [...called, answer] : [answerPrompt, answer];
}

function getLength(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

function listStepTexts({ message, results, messages = [] }: TurnStep): string[] {
  const calls = message.toolCalls.map(({ argumentsText }) => argumentsText);
  const said = [...results, ...messages].flatMap(({ content }) => toTexts(content));
  return [message.content, message.reasoning ?? "", ...calls, ...said];
}

function toTexts(content: Parameters<typeof toParts>[0]): string[] {
  return toParts(content).flatMap((part) => (part.type === "image" ? [] : [part.text]));
}

interface Piece {
  text: string;
  isResult: boolean;
}

/** Lists what can be shortened of a turn: its results, then its question and its answer. */
function listPieces({ question, answer, steps = [] }: ConversationTurn, marker: string): Piece[] {
  const results = steps.flatMap((step) => step.results.flatMap(({ content }) => toTexts(content)));
  const fenced = results.flatMap((text) => splitFences(text, marker).filter(({ isFenced }) => isFenced));
  return [
    ...fenced.map(({ text }) => ({ text, isResult: true })),
    { text: question, isResult: false },
    { text: answer, isResult: false },
  ];
}

/** Returns the turn with other texts, in the order of `listPieces`. */
function withPieces(turn: ConversationTurn, texts: readonly string[], marker: string): ConversationTurn {
  const waiting = [...texts];
  const replace = (text: string): string =>
    splitFences(text, marker)
      .map((part) => (part.isFenced ? (waiting.shift() ?? "") : part.text))
      .join("");
  const steps = turn.steps?.map((step) => ({
    ...step,
    results: step.results.map((result) => ({ ...result, content: mapTexts(result.content, replace) })),
  }));
  const [question = "", answer = ""] = waiting;
  return { ...turn, ...(steps && { steps }), question, answer };
}
