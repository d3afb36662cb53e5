import type { AgentWriting } from "../../core/tools/tool.ts";
import { createDraft } from "../loop/turn/draft.ts";
import type { Run } from "../run.ts";

/** Shows what an agent writes that answers in place of the models. */
export interface AnsweringAgent extends AgentWriting {
  /** Takes back what is shown where it becomes the answer, and leaves it as a thought where there is none. */
  end(isAnswer: boolean): void;
}

/**
 * Shows the words of an agent as drafts. What was written before a step of the agent stays as a thought. How many steps it still makes
 * nobody knows, so that even a long text is no answer before the agent has ended its work.
 */
export function createAgentWriting(run: Run, step: number): AnsweringAgent {
  let draft = createDraft(run, step);
  let held = "";

  function end(isAnswer: boolean): void {
    draft?.end(isAnswer ? "answer" : "thought");
    if (!isAnswer && held.trim() !== "") run.services.emit({ type: "thought-delta", text: held });
    held = "";
    draft = createDraft(run, step);
  }

  return {
    write(text) {
      held += text;
      draft?.write(text);
    },
    endThought: () => end(false),
    end,
  };
}
