import type { AgentEvent } from "../../core/events.ts";
import type { Citation } from "../../core/outcome.ts";
import type { Conversation } from "../../core/store/store.ts";
import type { Locale } from "../../kit/errors.ts";
import { createCitationFilter, renderReferences } from "../citations/citations.ts";

/** The answer as it grows: what is pushed is checked for citations, shown at once, and kept as it was shown. */
export interface AnswerText {
  /** `kept` is what the conversation remembers of it, where that is not the text itself. */
  push(text: string, kept?: string): void;
  /** Shows the held-back rest and the list of references; once. */
  finish(): void;
  readonly shown: string;
  /** The same as the model wrote it: its own numbers, no list of references. This is what a conversation remembers. */
  readonly written: string;
  citations(): Citation[];
}

export interface AnswerOptions {
  conversation: Conversation;
  /** Of the list of references. */
  language: Locale;
  emit(event: AgentEvent): void;
}

export function createAnswerText(run: AnswerOptions): AnswerText {
  const filter = createCitationFilter(run.conversation.sources);
  let shown = "";
  let written = "";
  let finished = false;
  /** The numbers that were shown. */
  const seen = new Set<number>();
  function show(text: string): void {
    if (text === "") return;
    shown += text;
    run.emit({ type: "answer-delta", text, citations: shownIn(text) });
  }
  /** The citations whose number this piece shows first. */
  function shownIn(text: string): Citation[] | undefined {
    const first = filter.citations().filter(({ n }) => !seen.has(n) && text.includes(`[${n}]`));
    for (const { n } of first) seen.add(n);
    return first.length > 0 ? first : undefined;
  }
  return {
    push(text, kept = text) {
      written += kept;
      finished = false;
      show(filter.push(text));
    },
    finish() {
      if (finished) return;
      finished = true;
      show(filter.end());
      show(renderReferences(filter.citations(), run.language));
    },
    get shown() {
      return shown;
    },
    get written() {
      return written;
    },
    citations: () => filter.citations(),
  };
}
