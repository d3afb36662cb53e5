import { readLastChoices } from "../app/conversations/last-choices.ts";
import { toModelName } from "../core/model/model.ts";
import type { AskInput } from "./ask-schema.ts";
import type { RunQuestionRequest } from "./begin-run.ts";

/**
 * Returns the input as it is asked. With `keep_history: false` a question in another mode than the last run of its conversation, or
 * of other models, begins a new conversation, and what was found and agreed to in the old one is forgotten.
 */
export async function leaveAfterSwitch({
  scope: { duet, caller, mode: usualMode = "agent" },
  input,
  models,
}: Pick<RunQuestionRequest, "scope" | "input" | "models">): Promise<AskInput> {
  const { conversation_id: id, keep_history, mode = usualMode } = input;
  if (keep_history !== false || !id) return input;
  const last = await readLastChoices(await duet.store(caller), id);
  if (last === undefined) return input;
  const { functionCall, answer } = models ?? (await duet.models.open());
  const isSame = toModelName(functionCall) === last.models.functionCall && toModelName(answer) === last.models.answer;
  if (isSame && mode === last.mode) return input;
  duet.forget(id, caller);
  return { ...input, conversation_id: undefined };
}
