import type { AgentEvent } from "../../../core/run/events.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { toTransitionLine } from "../../../render/step-writer.ts";
import type { Screen } from "../../terminal/screen/screen-types.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import { cutLine, wrapLine } from "../../terminal/text/wrap.ts";
import { renderThoughtTitle } from "./expand-step.ts";
import type { Scrollback } from "./scrollback.ts";
import type { Step } from "./step.ts";

/** Limits the lines shown of a growing thought below its title. */
const shownLines = 6;

/** Limits the words in a folded thought's line, in UTF-16 units. */
const longestWords = 300;

/** Shows a thought while it is being written, and leaves one line of it afterwards. */
export interface ThoughtView {
  /** Returns true for the first words of a thought. */
  show(step: Step, event: AgentEvent): boolean;
  /**
   * Leaves one line of the thought that grew; nothing where none did, so that a thought is folded once. `cause` is the event
   * that folds it; absent where the view is closed.
   */
  fold(cause?: AgentEvent): void;
  live(rows: number): Line[];
}

export interface ThinkingOptions {
  screen: Pick<Screen, "size">;
  scrollback: Scrollback;
  locale: Locale;
  /** Leaves the whole thought below its line, and what folded it. */
  verbose: boolean;
}

export function createThinking({ screen, scrollback, locale, verbose }: ThinkingOptions): ThoughtView {
  let step: Step | undefined;
  let drawn: { length: number; columns: number; available: number; lines: Line[] } | undefined;

  function renderBody(text: string, columns: number, available: number): Line[] {
    if (drawn?.length !== text.length || drawn.columns !== columns || drawn.available !== available)
      drawn = { length: text.length, columns, available, lines: cutToLastLines(text, columns, available) };
    return drawn.lines;
  }

  function fold(cause?: AgentEvent): void {
    if (step === undefined) return;
    const folded = step;
    step = undefined;
    drawn = undefined;
    const line = `${renderThoughtTitle(folded, locale)} ${verbose ? "" : toShortLine(folded.text, longestWords)}`;
    scrollback.write(cutLine(createLine(line.trimEnd(), "dim"), screen.size.columns));
    if (!verbose) return;
    scrollback.write(...folded.text.split(/\r?\n/).map((text) => createLine(`   ${text}`, "dim")));
    if (cause) scrollback.write(createLine(`   ${toTransitionLine(cause, locale)}`, "dim"));
  }

  return {
    show(growing, event) {
      const isNew = step !== growing;
      if (isNew) fold(event);
      step = growing;
      return isNew;
    },
    fold,
    live(rows) {
      if (step === undefined || rows < 1) return [];
      const { columns } = screen.size;
      const title = say(locale, { zh: "💭 思考中...", en: "💭 Thinking..." });
      const available = Math.min(shownLines, rows - 1);
      return [cutLine(createLine(title, "dim"), columns), ...renderBody(step.text, columns, available)];
    },
  };
}

function cutToLastLines(text: string, columns: number, most: number): Line[] {
  if (most < 1) return [];
  const indent = createLine("   ");
  const lines = takeTail(text, columns * most)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .flatMap((line) => wrapLine(createLine(line, "dim"), columns, { indent }));
  return lines.slice(-most);
}

/** A long line is cut at multiples of this, so that the visible part of a growing text does not move with each piece. */
const stride = 2048;

/**
 * Returns the end of a growing text, with at least `least` UTF-16 units when the text has that many. It begins at the start of a
 * line if one is near, and otherwise at a position that stays the same while the text grows by 2,048 units.
 */
export function takeTail(text: string, least: number): string {
  const latest = text.length - least;
  if (latest <= 0) return text;
  const earliest = Math.floor(latest / stride) * stride;
  const line = text.lastIndexOf("\n", latest);
  if (line >= earliest) return text.slice(line + 1);
  const isHalf = /[\udc00-\udfff]/.test(text.charAt(earliest));
  return text.slice(isHalf ? earliest + 1 : earliest);
}
