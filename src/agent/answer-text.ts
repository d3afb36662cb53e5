import type { Citation } from "../core/outcome.ts";
import { createCitationFilter, references } from "./citations.ts";
import type { Run } from "./run.ts";

/** The answer as it grows: what is pushed is checked for citations, shown at once, and kept as it was shown. */
export interface AnswerText {
  push(text: string): void;
  /** Shows the held-back rest and the list of references. */
  finish(): void;
  readonly shown: string;
  citations(): Citation[];
}

export function createAnswerText(run: Pick<Run, "conversation" | "locale" | "emit">): AnswerText {
  const filter = createCitationFilter(run.conversation.sources);
  let shown = "";
  function show(text: string): void {
    if (text === "") return;
    shown += text;
    run.emit({ type: "answer-delta", text });
  }
  return {
    push: (text) => show(filter.push(text)),
    finish() {
      show(filter.end());
      show(references(filter.citations(), run.locale));
    },
    get shown() {
      return shown;
    },
    citations: () => filter.citations(),
  };
}
