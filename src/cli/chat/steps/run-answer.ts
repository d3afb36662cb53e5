import type { AgentEvent } from "../../../core/run/events.ts";
import type { Line } from "../../terminal/text/line.ts";
import { type AnswerView, type AnswerViewOptions, createAnswer } from "./answer.ts";

type AnswerDelta = Extract<AgentEvent, { type: "answer-delta" }>;

/** Shows what a run answers, which may begin more than once, and holds back what would interrupt it. */
export interface RunAnswer {
  /** Adds to the answer, or begins one. Returns true for the first words; blank text in front of them is not shown yet. */
  push(event: AnswerDelta): boolean;
  /** Writes lines that are no part of the answer: at once, or after the one that grows. */
  writeOutside(lines: readonly Line[]): void;
  /** Ends the answer that grows, where one does, and writes what was held back. */
  finish(): void;
  /** Writes what is finished; it must be called before each frame. */
  flush(): void;
  /** Returns the last rows of an answer that grows or is still being rendered; undefined before the first one. */
  live(rows: number): Line[] | undefined;
}

export interface RunAnswerOptions extends AnswerViewOptions {
  /** Is called before an answer begins. */
  onBegin(event: AnswerDelta): void;
}

export function createRunAnswer({ onBegin, ...parts }: RunAnswerOptions): RunAnswer {
  const { scrollback } = parts;
  let answer: AnswerView | undefined;
  /** Holds the answer that has ended and is still being rendered. */
  let ending: AnswerView | undefined;
  /** Holds blank text, with which an answer may begin. */
  let blank = "";
  /** Holds lines that arrived while an answer grew. They are shown after it, and do not interrupt it. */
  let afterAnswer: Line[] = [];

  return {
    push(event) {
      const { text, citations } = event;
      const isFirst = answer === undefined;
      if (isFirst && text.trim() === "") {
        blank += text;
        return false;
      }
      if (isFirst) onBegin(event);
      answer ??= createAnswer(parts);
      answer.push(blank + text, citations);
      blank = "";
      return isFirst;
    },
    writeOutside(lines) {
      if (answer) afterAnswer.push(...lines);
      else scrollback.write(...lines);
    },
    finish() {
      blank = "";
      if (answer === undefined) return;
      ending = answer;
      answer.finish();
      answer = undefined;
      scrollback.writeGap();
      scrollback.write(...afterAnswer);
      afterAnswer = [];
    },
    flush: () => answer?.flush(),
    live: (rows) => (answer ?? ending)?.live(rows),
  };
}
