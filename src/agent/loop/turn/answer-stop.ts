import { countWide } from "../../../kit/text/count-wide.ts";
import type { TextOrigin } from "./turn-text.ts";

/**
 * Watches what a model writes that only chooses tools. One that writes the answer, which another model writes after it, is stopped:
 * nobody waits for an answer twice, or pays for it.
 */
export interface AnswerStop {
  /** Aborts when the model is to be stopped. */
  readonly signal: AbortSignal;
  watch(text: string, origin?: TextOrigin): void;
}

/** Limits the text before a call, in columns of a terminal: several lines of reasoning, and more of them where nothing is known yet. */
const longestReasoning = { withResults: 600, withoutResults: 1200 };

export function createAnswerStop(hasResults: boolean): AnswerStop {
  const stopping = new AbortController();
  const most = hasResults ? longestReasoning.withResults : longestReasoning.withoutResults;
  let columns = 0;
  return {
    signal: stopping.signal,
    watch(text, { phase, isRecorded } = {}) {
      if (isRecorded || stopping.signal.aborted) return;
      columns += text.length + countWide(text);
      if (phase === "final_answer" || columns > most) stopping.abort();
    },
  };
}
