import type { AgentEvent, Phase, PhaseEnd } from "../../../core/events.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { renderPhase } from "../../../render/event-lines.ts";
import type { Screen } from "../../terminal/screen/screen-types.ts";
import type { Line } from "../../terminal/text/line.ts";
import { cutLine } from "../../terminal/text/wrap.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 100;
/** Limits a phase with its model's name to 120 UTF-16 units. */
const longestTitle = 120;

/** Shows in one line that a run is going on: its phase and model, the elapsed seconds and the tokens so far. */
export interface Spinner {
  startPhase(event: Extract<AgentEvent, { type: "phase-start" }>): void;
  /** Counts text that a model has just written. */
  countText(text: string): void;
  /** Takes back what was counted of a text that is told again. */
  discountText(text: string): void;
  /** Says from here on that the turn writes the answer. */
  startAnswer(): void;
  endPhase(event: PhaseEnd): void;
  /** Returns the current frame of the spinner without its text. */
  renderSign(): string;
  renderLine(): Line;
}

export interface SpinnerOptions {
  screen: Pick<Screen, "size">;
  locale: Locale;
  now(): number;
  animates: boolean;
}

export function createSpinner({ screen, locale, now, animates }: SpinnerOptions): Spinner {
  const startedAt = now();
  let title = say(locale, { zh: "准备中", en: "starting" });
  let model = "";
  let tokens = 0;
  /** Counts the bytes that models have written since the last usage report. */
  let written = 0;

  function sign(): string {
    if (!animates) return "...";
    return frames[Math.floor((now() - startedAt) / frameMs) % frames.length] ?? "";
  }

  function toTitle(phase: Phase): string {
    return toShortLine(renderPhase({ phase, model }, locale), longestTitle);
  }

  /**
   * Estimates tokens from bytes: a token is about four bytes of English, or one and a half Chinese characters, which is about as
   * many bytes.
   */
  function renderUsage(): string {
    const guessed = Math.round(written / 4);
    return guessed > 0 ? `~${tokens + guessed} tok` : `${tokens} tok`;
  }

  return {
    startPhase({ phase, model: name }) {
      model = name;
      title = toTitle(phase);
    },
    startAnswer() {
      title = toTitle("answer");
    },
    countText(text) {
      written += Buffer.byteLength(text);
    },
    discountText(text) {
      written = Math.max(0, written - Buffer.byteLength(text));
    },
    endPhase({ usage }) {
      tokens += usage.inputTokens + usage.outputTokens;
      written = 0;
    },
    renderSign: sign,
    renderLine() {
      const facts = [title, `${Math.floor((now() - startedAt) / 1000)} s`, tokens + written > 0 && renderUsage()];
      const text = ` ${facts.filter(Boolean).join(" · ")}`;
      const line: Line = [
        { text: sign(), styles: ["accent"] },
        { text, styles: ["dim"] },
      ];
      return cutLine(line, screen.size.columns);
    },
  };
}
