import type { AgentEvent } from "../../../core/events.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { phaseNames } from "../../../render/event-lines.ts";
import { writeSafely } from "../../console.ts";
import { createRenderer } from "../../create-renderer.ts";
import type { ShownRun } from "../chat-interface.ts";
import type { StepLog } from "../steps/step.ts";
import { addStepNumber } from "./number-line.ts";
import { isTyped, type PlainConsole } from "./plain-console.ts";
import { toScreenReaderText } from "./screen-reader-text.ts";

export interface PlainRunOptions {
  console: PlainConsole;
  steps: StepLog;
  locale: Locale;
  verbose: boolean;
  hyperlinks: boolean;
  isScreenReader: boolean;
  /** Whether a question stands on the screen, so that nothing else is said. */
  isQuiet(): boolean;
  /** Settles when no question stands there. */
  free(): Promise<void>;
}

/** How long a run may say nothing, in milliseconds. */
const longestSilenceMs = 10_000;

/** Shows a run in plain lines; with a screen reader also that it goes on, when it has said nothing for ten seconds. */
export function openPlainRun(options: PlainRunOptions): ShownRun {
  const { console, steps, locale, verbose, isScreenReader, isQuiet, free } = options;
  const isTerminal = isTyped(console);
  const began = performance.now();
  let doing = "";
  const render = createRenderer({
    ...{ console, locale, verbose },
    hyperlinks: options.hyperlinks && !isScreenReader,
    byLine: isScreenReader,
    word(line, event) {
      const worded = isTerminal ? addStepNumber(line, event, steps) : line;
      return isScreenReader ? toScreenReaderText(worded, locale) : worded;
    },
  });
  const silence = isScreenReader ? setInterval(goesOn, longestSilenceMs).unref() : undefined;

  function goesOn(): void {
    if (isQuiet()) return;
    const seconds = Math.round((performance.now() - began) / 1000);
    const line = { zh: `仍在进行，已 ${seconds} 秒：${doing}`, en: `still working after ${seconds} s: ${doing}` };
    writeSafely(console.stderr, `${say(locale, line)}\n`);
  }

  function note(event: AgentEvent): void {
    if (event.type === "phase-start") doing = toScreenReaderText(say(locale, phaseNames[event.phase]), locale);
    if (event.type === "tool-start") doing = sanitizeLine(event.tool);
    // Thoughts are told when they end: what is silent meanwhile still goes on.
    if (event.type !== "thought-delta" && event.type !== "reasoning-delta") silence?.refresh();
  }

  return {
    async handle(event) {
      await free();
      note(event);
      render(event);
    },
    async close() {
      clearInterval(silence);
    },
  };
}
