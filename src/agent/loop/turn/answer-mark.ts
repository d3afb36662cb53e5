import { type Model, toModelName } from "../../../core/model/model.ts";
import type { Mutable } from "../../../kit/mutable.ts";

/** Stands alone on the line before an answer, where a model that has tools says that it answers now. */
export const answerMark = "<answer>";

/** Ends the answer of models that close what they have opened. */
const endMark = "</answer>";

/** Takes the marks out of the text of one turn, which comes in pieces. */
export interface AnswerMarkFilter {
  /** Returns the text without its marks: what stands before the answer and, once the mark is found, what belongs to the answer. */
  push(text: string): { before: string; answer?: string };
  /** Returns the text that was held back. */
  finish(): string;
  readonly isFound: boolean;
}

/** A mark counts at the beginning of a line outside of code, the first time. */
export function createAnswerMarkFilter(): AnswerMarkFilter {
  /** Holds the beginning of a line that may still become the mark or open code, and after the mark what may become its end. */
  let held = "";
  let isLineOpen = true;
  let isInCode = false;
  let hasWords = false;

  function findMark(text: string): { before: string; answer?: string } {
    let before = "";
    for (let start = 0; start < text.length; ) {
      const newline = text.indexOf("\n", start);
      const end = newline < 0 ? text.length : newline + 1;
      const part = text.slice(start, end);
      start = end;
      if (isLineOpen) {
        held += part;
        const words = held.trimStart();
        if (!isInCode && words.startsWith(answerMark)) {
          filter.isFound = true;
          held = "";
          return { before, answer: holdEnd(words.slice(answerMark.length) + text.slice(start)) };
        }
        if (newline < 0 && (answerMark.startsWith(words) || "```".startsWith(words))) return { before };
        if (words.startsWith("```")) isInCode = !isInCode;
        before += held;
        held = "";
      } else before += part;
      isLineOpen = newline >= 0;
    }
    return { before };
  }

  /** Holds back what may be the mark at the end of the answer. */
  function holdEnd(text: string): string {
    const whole = held + (hasWords ? text : text.trimStart());
    hasWords ||= whole !== "";
    const at = whole.lastIndexOf("<");
    const isOpen = at >= 0 && endMark.startsWith(whole.slice(at).trimEnd());
    held = isOpen ? whole.slice(at) : "";
    return isOpen ? whole.slice(0, at) : whole;
  }

  const filter: Mutable<AnswerMarkFilter> = {
    isFound: false,
    push: (text) => (filter.isFound ? { before: holdEnd(text) } : findMark(text)),
    finish() {
      const rest = held;
      held = "";
      return filter.isFound && rest.trimEnd() === endMark ? "" : rest;
    },
  };
  return filter;
}

/** Remembers which models mark their answers. One that never does is not asked for it any more. */
export interface MarkHabits {
  /** Returns true where the model is to be asked for the mark. */
  isAsked(model: NamedModel): boolean;
  /** Counts an answer of a model that was asked for the mark. */
  countAnswer(model: NamedModel, isMarked: boolean): void;
}

type NamedModel = Pick<Model, "provider" | "model">;

/** Is how many answers in a row may lack the mark. */
const mostIgnored = 20;

/** Limits the models that are remembered. */
const mostModels = 1000;

export function createMarkHabits(): MarkHabits {
  const ignored = new Map<string, number>();
  return {
    isAsked: (model) => (ignored.get(toModelName(model)) ?? 0) < mostIgnored,
    countAnswer(model, isMarked) {
      const name = toModelName(model);
      const count = isMarked ? 0 : (ignored.get(name) ?? 0) + 1;
      if (ignored.size >= mostModels && !ignored.has(name)) ignored.clear();
      ignored.set(name, count);
    },
  };
}
