import { createCitationFilter } from "../../citations/citations.ts";
import type { Run } from "../../run.ts";

/** Shows text of which it is not known yet whether it is a thought or the answer, for readers who can take it back. */
export interface Draft {
  write(text: string): void;
  /** Takes the draft back; what it was follows as a thought or as the answer. Does nothing where nothing was written. */
  end(kept: "answer" | "thought"): void;
}

/**
 * Returns the draft of a turn, or undefined where nobody asked for drafts. Its citations are checked as those of an answer are.
 */
export function createDraft({ input, state, services }: Run, step: number): Draft | undefined {
  if (!input.drafts) return undefined;
  const filter = createCitationFilter(input.conversation.sources, state.evidence, input.documents);
  let isOpen = false;
  return {
    write(text) {
      const shown = filter.push(text);
      if (shown === "") return;
      if (!isOpen) services.emit({ type: "draft-start", draft: step, step });
      isOpen = true;
      services.emit({ type: "draft-delta", draft: step, text: shown });
    },
    end(kept) {
      if (isOpen) services.emit({ type: "draft-end", draft: step, kept });
      isOpen = false;
    },
  };
}
