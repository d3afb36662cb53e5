import type { Message } from "../core/messages.ts";
import type { Run } from "./run.ts";

/** The conversation so far as the models of a run read it, oldest first. */
export function historyOf(run: Run): Message[] {
  return run.conversation.turns.flatMap(({ question, answer }): Message[] => [
    { role: "user", content: question },
    { role: "assistant", content: answer, toolCalls: [] },
  ]);
}
