import type { TextPhase } from "../../../core/model/messages.ts";
import { countWide } from "../../../kit/text/count-wide.ts";
import { createAnswerMarkFilter } from "./answer-mark.ts";
import type { Draft } from "./draft.ts";

/** Says what is known of a piece of text besides its words. */
export interface TextOrigin {
  /** Is the wire's own sign of what this message of the turn is. Further pieces of the message have none. */
  phase?: TextPhase | undefined;
  /** Is true for text that an earlier process of the run has told. */
  isRecorded?: true;
}

/**
 * Tells the thoughts of a single model from its answer. The wire or the model itself may say which is which. Where neither does,
 * text is held, and is shown as a draft, until it is too long for a thought beside tool calls; from there on it is the answer and
 * flows.
 */
export interface TurnText {
  push(text: string, origin?: TextOrigin): void;
  /** Is true while what comes is the answer. */
  isFlowing(): boolean;
  /** Is true once the model has said itself where its answer begins. */
  isMarked(): boolean;
  /** Settles what is held as a thought: the turn asked for tools, or its text is no use as an answer. */
  asThought(): void;
  /** Settles what is held as part of the answer, because the turn asked for no tools. */
  asAnswer(): void;
}

export interface TurnTextOptions {
  answer(text: string): void;
  think(text: string): void;
  /** Shows what is held; absent where nobody can take it back. */
  draft?: Draft | undefined;
  /** Is true where the model was asked to mark the beginning of its answer. */
  hasMark?: boolean;
  /** Is true where all text is the answer: the model has no tools. */
  flowsAtOnce?: boolean;
}

/** Limits a thought, in letters. Decide prompts ask for one or two sentences. */
const longestThought = 200;

export function createTurnText({ answer, think, draft, hasMark, flowsAtOnce }: TurnTextOptions): TurnText {
  const mark = hasMark ? createAnswerMarkFilter() : undefined;
  let state: "open" | TextPhase = flowsAtOnce ? "final_answer" : "open";
  let held = "";
  /** Holds what the wire called a thought. It is the answer of a turn that says nothing else and asks for nothing. */
  let commentary = "";
  let hasAnswered = false;

  function settle(kept: "answer" | "thought"): void {
    const text = held;
    held = "";
    draft?.end(kept);
    if (text === "") return;
    if (kept === "answer") addAnswer(text);
    else think(text);
  }

  function addAnswer(text: string): void {
    hasAnswered = true;
    answer(text);
  }

  /** Begins a message of the turn whose sign is known. What was said before it is no part of the answer. */
  function begin(phase: TextPhase): void {
    if (state === "open") settle("thought");
    state = phase;
  }

  function take(text: string, isRecorded = false): void {
    if (text === "") return;
    if (state === "final_answer") {
      addAnswer(text);
      return;
    }
    if (state === "commentary") {
      commentary += text;
      think(text);
      return;
    }
    held += text;
    if (measure(held) <= longestThought) {
      if (!isRecorded) draft?.write(text);
      return;
    }
    state = "final_answer";
    settle("answer");
  }

  return {
    push(text, { phase, isRecorded } = {}) {
      if (phase !== undefined) begin(phase);
      if (mark === undefined) {
        take(text, isRecorded);
        return;
      }
      const { before, answer: marked } = mark.push(text);
      take(before, isRecorded);
      if (marked === undefined) return;
      begin("final_answer");
      take(marked);
    },
    isFlowing: () => state === "final_answer",
    isMarked: () => mark?.isFound === true,
    asThought() {
      take(mark?.finish() ?? "", true);
      settle("thought");
    },
    asAnswer() {
      take(mark?.finish() ?? "", true);
      settle(state === "commentary" ? "thought" : "answer");
      if (!hasAnswered && commentary !== "") addAnswer(commentary);
    },
  };
}

/** Returns how much a text says, in letters: a Chinese character counts as two and a half. */
function measure(text: string): number {
  return text.length + 1.5 * countWide(text);
}
