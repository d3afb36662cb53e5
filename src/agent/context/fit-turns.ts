import type { ConversationTurn } from "../../core/store/store.ts";
import { planShrinkSteps, type Sizing, shrinkTexts } from "./shrink.ts";

/** Is true when turns are within a budget. Their length alone is often enough to tell; otherwise they are counted as one text. */
export function isWithinBudget(turns: readonly ConversationTurn[], budget: number, { tokensOf }: Sizing): boolean {
  const beside = turns.length * perTurn;
  // No common text has more tokens than characters, nor fewer than an eighth of them.
  const length = turns.reduce((sum, turn) => sum + turnLength(turn), 0);
  if (beside + length <= budget) return true;
  return beside + length / 8 <= budget && beside + tokensOf(turns.flatMap(listTexts).join("\n")) <= budget;
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

/**
 * Returns turns that fit a budget. The oldest are shortened first, head and tail of each kept, and then left out until `atLeast`
 * turns remain.
 */
export function shortenTurns(
  all: readonly ConversationTurn[],
  budget: number,
  { atLeast, ...sizing }: Sizing & { atLeast: number },
): ConversationTurn[] {
  // More do not fit, however short they become, and to count thousands of them would keep everybody else waiting.
  const turns = all.slice(-Math.max(1, atLeast, Math.ceil(budget / perTurn)));
  const before = turns.reduce((sum, turn) => sum + turnTokens(turn, sizing.tokensOf), 0);
  const whole = turns.flatMap(listTexts);
  const texts = shrinkTexts(whole, before - budget, planShrinkSteps([...whole.keys()], turnFloors), sizing);
  const shortened = turns.map((turn, index) => ({
    ...turn,
    question: texts[2 * index] ?? "",
    answer: texts[2 * index + 1] ?? "",
  }));
  const first = findFirstFitting(shortened, budget, sizing);
  return shortened.slice(Math.min(first, shortened.length - atLeast));
}

export function shortenText(text: string, budget: number, sizing: Sizing): string {
  const excess = sizing.tokensOf(text) - budget;
  return shrinkTexts([text], excess, [{ index: 0, floor: 0 }], sizing)[0] ?? "";
}

/** These floors are in characters of a question or an answer. */
const turnFloors = [2000, 500];
/** A turn costs this many tokens besides its texts. */
const perTurn = 16;

function turnTokens(turn: ConversationTurn, tokensOf: Sizing["tokensOf"]): number {
  return listTexts(turn).reduce((sum, text) => sum + tokensOf(text), perTurn);
}

function turnLength(turn: ConversationTurn): number {
  return turn.question.length + turn.answer.length;
}

function listTexts({ question, answer }: ConversationTurn): string[] {
  return [question, answer];
}
