import type { Panel } from "./panel.ts";

/** How long a pause in typing is, in milliseconds. */
const pauseMs = 700;
/** Sooner than this after it has come nobody answers what they have read, in milliseconds. */
const reactionMs = 300;

/** Tells keys that answer a question from those that were on their way when it came. */
export interface TypingAhead {
  /** The question is on the screen; `typed` is what stands half typed below it. */
  shown(panel: Panel, typed: string): void;
  /**
   * Whether a key belongs to the input although a question stands there: one that came before the question could be read, or
   * that goes on with what was half typed when it came, until there is a pause. Asked once for each key.
   */
  isAhead(panel: Panel | undefined, typed: string): boolean;
}

export function createTypingAhead(now: () => number = () => performance.now()): TypingAhead {
  let known: Panel | undefined;
  let shownAt: number | undefined;
  let isTyping = false;
  let lastKeyAt = Number.NEGATIVE_INFINITY;

  function meet(panel: Panel | undefined, typed: string): void {
    if (panel === known) return;
    known = panel;
    shownAt = undefined;
    isTyping = typed !== "";
  }

  return {
    shown(panel, typed) {
      meet(panel, typed);
      shownAt ??= now();
    },
    isAhead(panel, typed) {
      const sinceKey = now() - lastKeyAt;
      lastKeyAt = now();
      meet(panel, typed);
      if (panel === undefined) return false;
      isTyping &&= sinceKey < pauseMs;
      return isTyping || shownAt === undefined || now() - shownAt < reactionMs;
    },
  };
}
