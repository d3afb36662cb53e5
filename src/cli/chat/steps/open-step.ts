import { takeStart } from "../../../kit/text/truncate.ts";
import type { Step } from "./step.ts";

/** Of a step's input and of its text each, in UTF-16 units. */
const longestText = 256 * 1024;

export interface OpenStepOptions extends Pick<Step, "number" | "kind" | "name"> {
  input?: string;
  /** Which run of the chat it belongs to. */
  run: number;
  /** When it began, by the clock `now`: milliseconds. */
  startedAt: number;
  now(): number;
}

/** A step as its book writes it. */
export interface OpenStep extends Step {
  readonly run: number;
  /** UTF-16 units that it holds. */
  readonly size: number;
  append(text: string): void;
  replace(text: string): void;
  mark(state: Step["state"]): void;
}

/** Opens a step that keeps the beginning of what is written into it, and counts the rest. */
export function openStep({ number, kind, name, run, input = "", startedAt, now }: OpenStepOptions): OpenStep {
  const kept = takeStart(input, longestText);
  const missingInput = input.length - kept.length;
  let text = "";
  let missing = 0;
  let state: Step["state"] = "running";
  let endedAt: number | undefined;

  function append(more: string): void {
    const head = missing > 0 ? "" : takeStart(more, longestText - text.length);
    text += head;
    missing += more.length - head.length;
  }

  return {
    number,
    kind,
    name,
    run,
    input: kept,
    get text() {
      return text;
    },
    get missing() {
      return missingInput + missing || undefined;
    },
    get state() {
      return state;
    },
    get elapsedMs() {
      return (endedAt ?? now()) - startedAt;
    },
    get size() {
      return kept.length + text.length;
    },
    append,
    replace(whole) {
      text = "";
      missing = 0;
      append(whole);
    },
    mark(next) {
      state = next;
      endedAt = next === "running" ? undefined : now();
    },
  };
}
