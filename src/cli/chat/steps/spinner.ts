import type { AgentEvent, Phase, PhaseEnd } from "../../../core/run/events.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { renderPhase } from "../../../render/event-lines.ts";
import type { Screen } from "../../terminal/screen/screen-types.ts";
import type { Line } from "../../terminal/text/line.ts";
import { cutLine } from "../../terminal/text/wrap.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 100;
/** Limits a phase with its model's name to 120 UTF-16 units. */
const longestTitle = 120;

const callingTools: Text = { zh: "🔧 正在调用工具", en: "🔧 calling tools" };

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
  /** Says what was judged last, behind the rest. An empty note is none. */
  setNote(note: string): void;
  /** Says whether a person is asked something. */
  setAsking(isAsking: boolean): void;
  /** Renders the line while this many calls are going on. */
  renderLine(calls: number): Line;
}

export interface SpinnerOptions {
  screen: Pick<Screen, "size">;
  locale: Locale;
  now(): number;
  animates: boolean;
  /** Lists the servers that are waited for before the first phase. */
  starting?: (() => readonly string[]) | undefined;
}

export function createSpinner({ screen, locale, now, animates, starting }: SpinnerOptions): Spinner {
  const startedAt = now();
  let title: string | undefined;
  let note = "";
  let isAsking = false;
  let model = "";
  let tokens = 0;
  /** Counts the bytes that models have written since the last usage report. */
  let written = 0;

  function sign(): string {
    if (isAsking) return "⏸";
    if (!animates) return "...";
    return frames[Math.floor((now() - startedAt) / frameMs) % frames.length] ?? "";
  }

  function toTitle(phase: Phase): string {
    return toShortLine(renderPhase({ phase, model }, locale), longestTitle);
  }

  function describeWork(calls: number): string {
    if (isAsking) return say(locale, { zh: "等待你回答", en: "waiting for your answer" });
    if (title === undefined) return say(locale, { zh: "准备中", en: "starting" });
    return calls > 0 ? say(locale, callingTools) : title;
  }

  /** Says what the work waits for, or what was judged. */
  function describeNote(): string {
    const servers = title === undefined ? (starting?.() ?? []) : [];
    if (servers.length === 0) return note;
    return say(locale, { zh: `正在等待 ${servers.join("、")}`, en: `waiting for ${servers.join(", ")}` });
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
      if (phase !== "decide") note = "";
      title = toTitle(phase);
    },
    setNote(text) {
      note = toShortLine(text, longestTitle);
    },
    setAsking(isAsked) {
      isAsking = isAsked;
    },
    startAnswer() {
      note = "";
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
    renderLine(calls) {
      const seconds = `${Math.floor((now() - startedAt) / 1000)} s`;
      const facts = [describeWork(calls), seconds, tokens + written > 0 && renderUsage(), describeNote()];
      const text = ` ${facts.filter(Boolean).join(" · ")}`;
      const line: Line = [
        { text: sign(), styles: ["accent"] },
        { text, styles: ["dim"] },
      ];
      return cutLine(line, screen.size.columns);
    },
  };
}
