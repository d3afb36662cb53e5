import { missingError, unknownKeyError } from "../../config/config-errors.ts";
import { readModelFlag } from "../../config/models/model-text.ts";
import type { ModelInput } from "../../config/schema/file-schema.ts";
import { type Model, offlineProvider, supportsFunctionCalling } from "../../core/model/model.ts";
import { isRecord } from "../../kit/json.ts";
import type { CustomModels } from "./model-registry.ts";
import { type EarlierModel, toModel } from "./user-model.ts";

/** A model is given by its name (`deepseek/deepseek-chat`), with its parameters, or as an object of your own. */
export type ModelOption = string | ModelInput | Model | EarlierModel;

/** Holds the models that options give: those of the program's own making, and a configuration for those given by name. */
export interface ReadModels {
  models: CustomModels;
  /** Has the shape of the configuration file and is not checked yet. Is undefined when the options name no model. */
  spec: { functionCall: unknown; answer?: unknown } | undefined;
}

/**
 * Puts models given by name into the configuration, and passes those of the program's own making separately. Throws a `config`
 * error.
 */
export async function readModelOptions(
  given: { functionCall: ModelOption; answer?: ModelOption } | undefined,
): Promise<ReadModels> {
  if (given === undefined) return { models: {}, spec: undefined };
  for (const name of Object.keys(given))
    if (!roles.includes(name)) throw unknownKeyError(`createDuet: models.${name}`, name, roles);
  const functionCall = await readModelOption(given.functionCall, "functionCall");
  if (functionCall === undefined) throw missingError("createDuet: models.functionCall", aModel);
  const answer = given.answer === given.functionCall ? functionCall : await readModelOption(given.answer, "answer");
  const models = { functionCall: functionCall.model, answer: answer?.model, alone: answer === undefined };
  if (functionCall.model && !answer?.spec) return { models, spec: undefined };
  // A model of one's own stands beside one by name: the name then needs a partner that is never called.
  const first = functionCall.model ? { provider: offlineProvider } : functionCall.spec;
  return { models, spec: { functionCall: first, answer: answer?.spec } };
}

const roles = ["functionCall", "answer"];

type ReadModel = { model: Model; spec?: undefined } | { model?: undefined; spec: unknown };

async function readModelOption(given: unknown, role: string): Promise<ReadModel | undefined> {
  if (given === undefined) return undefined;
  if (typeof given === "string") return { spec: await readModelFlag(given, `createDuet: models.${role}`, []) };
  return isModel(given) ? { model: await openOwnModel(given) } : { spec: given };
}

/** A model that says that it cannot call tools calls them in text. */
async function openOwnModel(given: Model | EarlierModel): Promise<Model> {
  const model = toModel(given);
  if (supportsFunctionCalling(model)) return model;
  const { callInText } = await import("../../providers/middleware/text-tools.ts");
  return callInText(model, { form: "text", locale: "en" });
}

function isModel(given: unknown): given is Model | EarlierModel {
  return isRecord(given) && typeof given.stream === "function";
}

const aModel = {
  zh: "provider/model、带参数的对象，或自己的模型",
  en: "provider/model, an object with parameters, or a model of your own",
};
