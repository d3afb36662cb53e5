import type { ModelSettings } from "../../core/model/model-settings.ts";
import type { ModelsConfig } from "./models.ts";

/** Lists the language models that a configuration may call: those of the roles with their fallbacks, then the candidates. */
export function listCalledModels({ models, candidates }: Pick<ModelsConfig, "models" | "candidates">): ModelSettings[] {
  return [models.functionCall, models.answer, ...candidates].flatMap((choice) =>
    choice !== undefined && "wire" in choice ? [choice, ...(choice.fallbacks ?? [])] : [],
  );
}
