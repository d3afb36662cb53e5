import type { Mode } from "../../core/run/outcome.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { ReasoningDetail } from "./answer/answer-request.ts";

/** Says what a model's name stands for. */
export interface ModelChoice {
  mode: Mode;
  /** Is true for the model of a page's own requests: one turn of the function-call model, without tools. */
  isSide?: boolean;
  /** Is set by a suffix, and says how much of its work the run tells. */
  reasoning?: ReasoningDetail;
}

/** Presents the modes as models, which clients know, and beside them the function-call model alone. */
const models: Readonly<Record<string, ModelChoice>> = {
  "duet-agent": { mode: "agent" },
  "duet-plan": { mode: "plan" },
  "duet-chat": { mode: "chat" },
  "duet-side": { mode: "chat", isSide: true },
};

/** Lists the names of the models that there are. Each may have a suffix, which is not listed: four entries are enough to choose from. */
export const modelNames: readonly string[] = Object.keys(models);

/** Lists how much a run tells of its work, as requests, suffixes and the setting name it. */
export const reasoningDetails = ["none", "brief", "full"] as const satisfies readonly ReasoningDetail[];

/** Returns what a model's name stands for: `duet-agent`, or `duet-agent:brief`. Returns undefined for a model that there is not. */
export function findModel(model: string): ModelChoice | undefined {
  const [name = "", suffix, ...more] = model.split(":");
  const choice = Object.hasOwn(models, name) ? models[name] : undefined;
  const reasoning = reasoningDetails.find((detail) => detail === suffix);
  if (choice === undefined || more.length > 0 || (suffix !== undefined && reasoning === undefined)) return undefined;
  return { ...choice, ...(reasoning && { reasoning }) };
}

/** Returns the mode that a model's name stands for. Throws `HttpRefusalError` (404) for a model that there is not. */
export function parseMode(model: string): Mode {
  const choice = findModel(model);
  if (choice !== undefined) return choice.mode;
  const shown = JSON.stringify(model.slice(0, 100));
  const [allowed, suffixes] = [modelNames.join(", "), reasoningDetails.map((detail) => `:${detail}`).join(", ")];
  throw new HttpRefusalError({
    status: 404,
    text: {
      zh: `没有模型 ${shown}（允许：${allowed}，其后可加 ${suffixes}）`,
      en: `there is no model ${shown} (allowed: ${allowed}, each also with ${suffixes})`,
    },
    param: "model",
    openAiCode: "model_not_found",
  });
}
