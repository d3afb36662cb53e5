import type { AgentEvent } from "../../core/run/events.ts";
import type { Citation } from "../../core/run/outcome.ts";
import type { Conversation } from "../../core/store/conversations/conversation.ts";
import type { Locale } from "../../kit/locale.ts";
import type { Mutable } from "../../kit/mutable.ts";
import { isBlank } from "../../kit/text/is-blank.ts";
import { createCitationFilter, renderReferences } from "../citations/citations.ts";
import type { Evidence } from "../citations/evidence.ts";

/** Collects the answer as it grows. Text that is pushed is checked for citations and shown at once. */
export interface AnswerText {
  /** The conversation remembers `kept` in place of the text where it is given. */
  push(text: string, kept?: string): void;
  /** Shows the held-back rest and the list of references; once. */
  finish(): void;
  readonly shown: string;
  /** Holds the answer as the model wrote it, with what is still held back and what was taken out. */
  readonly written: string;
  /**
   * Holds the answer as it was shown, without the list of references unless it is nothing else. A conversation remembers this text.
   */
  readonly kept: string;
  citations(): Citation[];
}

export interface AnswerTextOptions {
  conversation: Conversation;
  /** Holds what the models have read of the sources. */
  evidence?: Evidence | undefined;
  /** Holds the numbers of the asker's own documents, where it may bring some. */
  documents?: ReadonlySet<number> | undefined;
  /** Is true for an answer that a program reads: it is kept as it was pushed, and cites nothing. */
  isStructured?: boolean;
  /** Is true where whoever reads the answer lists its sources itself, unless the answer is nothing else. */
  omitsReferences?: boolean | undefined;
  /** Sets the language of the list of references. */
  language: Locale;
  emit(event: AgentEvent): void;
}

export function createAnswerText(run: AnswerTextOptions): AnswerText {
  const filter = run.isStructured
    ? unfiltered
    : createCitationFilter(run.conversation.sources, run.evidence, run.documents);
  let finished = false;
  /** Is true while the text that comes is remembered as it is. */
  let isKept = true;
  const seen = new Set<number>();
  function show(text: string): void {
    if (text === "") return;
    answer.shown += text;
    run.emit({ type: "answer-delta", text, citations: findShownCitations(text) });
  }
  function showText(text: string): void {
    if (isKept) answer.kept += text;
    show(text);
  }
  /** Returns the citations whose number appears for the first time in this piece. */
  function findShownCitations(text: string): Citation[] | undefined {
    const first = filter.citations().filter(({ n }) => !seen.has(n) && text.includes(`[${n}]`));
    for (const { n } of first) seen.add(n);
    return first.length > 0 ? first : undefined;
  }
  const answer: Mutable<AnswerText> = {
    shown: "",
    written: "",
    kept: "",
    push(text, kept) {
      answer.written += text;
      finished = false;
      const keepsText = kept === undefined;
      // What is still held back belongs to the text before.
      if (keepsText !== isKept) showText(filter.finish());
      isKept = keepsText;
      showText(filter.push(text));
      answer.kept += kept ?? "";
    },
    finish() {
      if (finished) return;
      finished = true;
      showText(filter.finish());
      const isList = isBlank(answer.shown);
      if (!run.omitsReferences || isList) show(renderReferences(filter.citations(), run.language));
      if (isList) answer.kept = answer.shown.trim();
    },
    citations: () => filter.citations(),
  };
  return answer;
}

const unfiltered: ReturnType<typeof createCitationFilter> = {
  push: (text) => text,
  finish: () => "",
  citations: () => [],
};
