import type { AskRequest } from "../../../app/ask/ask-request.ts";
import type { Duet } from "../../../app/duet.ts";
import type { ModelChanges } from "../../../app/models/change-models.ts";
import type { ModelParameters } from "../../../config/models/resolve-model.ts";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import { DuetError } from "../../../kit/errors.ts";
import type { Text } from "../../../kit/locale.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";
import type { ChatInput } from "./chat-input.ts";

/**
 * Returns the two models for a question, or undefined when the question names none. Only models that can be chosen are accepted:
 * a caller never says where a model is. Throws `HttpRefusalError`.
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
    return await duet.models.open(changes);
  } catch (thrown) {
    if (!(thrown instanceof DuetError) || thrown.code !== "config") throw thrown;
    throw new HttpRefusalError({ status: 400, text: withParameterPlace(thrown.text), hint: thrown.hint });
  }
}

/** Names a refused parameter by its place in the body. Where one model does both, the parameters of `answer` apply. */
function withParameterPlace({ zh, en }: Text): Text {
  const rename = (text: string): string =>
    text.replace(
      /^(?:(function_call|answer)\.)?(?=(?:temperature|top_p|max_tokens): )/,
      (_, role = "answer") => `parameters.${role}.`,
    );
  return { zh: rename(zh), en: rename(en) };
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
  const choices = await duet.models.listNames(signal);
  for (const [field, name = ""] of given) {
    if (choices.includes(name)) continue;
    const shown = showValue(name);
    const allowed = choices.join(", ");
    throw new HttpRefusalError({
      status: 400,
      text: {
        zh: `${field}: ${shown} 不可选（允许：${allowed}）`,
        en: `${field}: ${shown} cannot be chosen (allowed: ${allowed})`,
      },
    });
  }
}
