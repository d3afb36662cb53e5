import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../config/config.ts";
import type { ModelChoice } from "../../config/models/models.ts";
import type { ModelParameters } from "../../config/models/resolve-model.ts";
import { type Model, toModelName } from "../../core/model/model.ts";
import { DuetError } from "../../kit/errors.ts";
import type { ChosenModels, Role } from "./check-models.ts";

export interface ModelChanges {
  /**
   * Is `provider/model`, or the JSON of AGENT_FUNCTION_CALL_MODEL. The name of a configured model selects it with its
   * configuration.
   */
  functionCall?: string | undefined;
  /** Is the same for the answer role. With null, the function-call model also answers. */
  answer?: string | null | undefined;
  /** Overrides the parameters of each role. Where one model plays both, those of `answer` apply. */
  parameters?: { functionCall?: ModelParameters | undefined; answer?: ModelParameters | undefined } | undefined;
}

/** Maps the roles to the names that errors and people use for them. */
const names: Readonly<Record<Role, string>> = { functionCall: "function_call", answer: "answer" };

/**
 * Returns the chosen models with the changes applied. With `isApart`, the answer model is a separate one whatever its name.
 * Throws a `config` error for an invalid model or parameter.
 */
export async function changeChoices(
  chosen: ChosenModels,
  changes: ModelChanges,
  config: Config,
  isApart = false,
): Promise<ChosenModels> {
  if (Object.values(changes).every((change) => change === undefined)) return chosen;
  const { answerMaxTokens: limit, agent } = config.settings;
  const hasAnswer = changes.answer === undefined ? chosen.answer !== undefined : changes.answer !== null;
  const read = async (role: Role, written: string, answers: boolean): Promise<ModelChoice> => {
    const { readChangedModel } = await import("../../config/models/changed-model.ts");
    const maxTokens = (answers ? limit : undefined) ?? agent.maxTokens;
    const choice = await readChangedModel(written, { role, name: names[role], maxTokens }, config);
    const known = written.trimStart().startsWith("{") ? undefined : findConfigured(choice, chosen, role);
    return known === undefined ? choice : limitOutput(known, answers ? limit : undefined);
  };
  const named = changes.functionCall;
  const kept = hasAnswer || chosen.answer === undefined ? chosen.functionCall : limitOutput(chosen.functionCall, limit);
  const functionCall = named === undefined ? kept : await read("functionCall", named, !hasAnswer);
  const answer = typeof changes.answer === "string" ? await read("answer", changes.answer, true) : chosen.answer;
  // The same model named twice is one model.
  const isOne = !hasAnswer || answer === undefined || (!isApart && isDeepStrictEqual(answer, functionCall));
  const { parameters } = changes;
  if (isOne) return { functionCall: await setParameters(functionCall, parameters?.answer, "", config) };
  return {
    functionCall: await setParameters(functionCall, parameters?.functionCall, `${names.functionCall}.`, config),
    answer: await setParameters(answer, parameters?.answer, `${names.answer}.`, config),
  };
}

/**
 * Returns the configured model of that name, with its address, its key and its parameters. The model of the same role is
 * preferred to the other's.
 */
function findConfigured(choice: ModelChoice, chosen: ChosenModels, role: Role): ModelChoice | undefined {
  return [chosen[role], chosen.functionCall, chosen.answer].find(
    (known) => known !== undefined && toModelName(known) === toModelName(choice),
  );
}

/** Applies the token limit for answers, if there is one, to a model that now plays the answer role. */
function limitOutput(choice: ModelChoice, limit: number | undefined): ModelChoice {
  if (limit === undefined || !("wire" in choice)) return choice;
  const fallbacks = choice.fallbacks?.map((fallback) => ({ ...fallback, maxTokens: limit }));
  return { ...choice, maxTokens: limit, ...(fallbacks && { fallbacks }) };
}

/** Applies parameters to a model. The offline rules have none. */
async function setParameters(
  choice: ModelChoice,
  parameters: ModelParameters = {},
  place: string,
  { providers }: Config,
): Promise<ModelChoice> {
  if (!("wire" in choice) || Object.values(parameters).every((value) => value === undefined)) return choice;
  const { withParameters } = await import("../../config/models/resolve-model.ts");
  return withParameters(choice, parameters, providers, place);
}

/** Throws a `config` error where parameters are set of a model that the embedding program has made itself. */
export function refuseOwnParameters(own: Partial<Record<Role, Model | undefined>>, { parameters }: ModelChanges): void {
  for (const role of ["functionCall", "answer"] as const) {
    const model = own[role];
    const isSet = Object.values(parameters?.[role] ?? {}).some((value) => value !== undefined);
    if (model === undefined || !isSet) continue;
    throw new DuetError({
      code: "config",
      text: {
        zh: `${names[role]}：${toModelName(model)} 由程序提供，不能修改它的参数`,
        en: `${names[role]}: ${toModelName(model)} is provided by the program; its parameters cannot be changed`,
      },
    });
  }
}
