import type { AskRequest, Duet, ModelChanges, ModelParameters } from "../../app/open-duet.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { DuetError } from "../../kit/errors.ts";
import { RefusedError } from "../http/response/refuse.ts";
import type { ChatInput } from "./chat-input.ts";

/**
 * The two models that a question is to be run with; undefined where it says nothing of them. Only what can be chosen is taken: a
 * caller never says where a model is. Throws `Refused`.
 */
export async function chooseRunModels(
  duet: Duet,
  { models, parameters }: ChatInput,
  signal: AbortSignal,
): Promise<AskRequest["models"]> {
  const changes: ModelChanges = {
    functionCall: models?.function_call,
    answer: models?.answer,
    parameters: parameters && {
      functionCall: toParameters(parameters.function_call),
      answer: toParameters(parameters.answer),
    },
  };
  if (Object.values(changes).every((change) => change === undefined)) return undefined;
  await refuseOthers(duet, { "models.function_call": models?.function_call, "models.answer": models?.answer }, signal);
  try {
    return await duet.models(changes);
  } catch (thrown) {
    if (!(thrown instanceof DuetError) || thrown.code !== "config") throw thrown;
    throw new RefusedError({ status: 400, text: thrown.text, hint: thrown.hint });
  }
}

function toParameters(given: NonNullable<ChatInput["parameters"]>["answer"]): ModelParameters | undefined {
  return given && { temperature: given.temperature, topP: given.top_p, maxTokens: given.max_tokens };
}

async function refuseOthers(
  duet: Duet,
  named: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<void> {
  const given = Object.entries(named).filter(([, name]) => name !== undefined);
  if (given.length === 0) return;
  const choices = await duet.modelNames(signal);
  for (const [field, name = ""] of given) {
    if (choices.includes(name)) continue;
    const shown = showValue(name);
    const allowed = choices.join(", ");
    throw new RefusedError({
      status: 400,
      text: {
        zh: `${field}: ${shown} 不可选（允许：${allowed}）`,
        en: `${field}: ${shown} cannot be chosen (allowed: ${allowed})`,
      },
    });
  }
}
