import { isDeepStrictEqual } from "node:util";
import { readLastChoices } from "../app/conversations/last-choices.ts";
import type { AskInput } from "./ask-schema.ts";
import type { RunQuestionRequest } from "./begin-run.ts";

/**
 * Returns the input as it is asked. With `keep_history: false` a question in another mode than the last run of its conversation, or
 * of other models, begins a new conversation, and what was found and agreed to in the old one is forgotten.
 */
export async function leaveAfterSwitch({
  scope: { duet, caller, mode: usualMode },
  input,
  models,
}: Pick<RunQuestionRequest, "scope" | "input" | "models">): Promise<AskInput> {
  const { conversation_id: id, keep_history } = input;
  const agent = input.agent || undefined;
  if (keep_history !== false || !id) return input;
  // The run says that there is no such agent.
  if (agent !== undefined && !duet.agents.some(({ name }) => name === agent)) return input;
  const last = await readLastChoices(await duet.store(caller), id);
  if (last === undefined) return input;
  const mode = input.mode ?? (agent === undefined ? usualMode : undefined);
  const next = await duet.openChoices({ agent, mode, models });
  if (isDeepStrictEqual(next, last)) return input;
  duet.forget(id, caller);
  return { ...input, conversation_id: undefined };
}
