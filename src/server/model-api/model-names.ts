import type { Mode } from "../../core/outcome.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";

/** Presents the modes as models, which clients know. */
const modes: Readonly<Record<string, Mode>> = { "duet-agent": "agent", "duet-plan": "plan", "duet-chat": "chat" };

/** Lists the names of the models that there are. */
export const modelNames: readonly string[] = Object.keys(modes);

/** Returns the mode that a model's name stands for. Throws `HttpRefusalError` (404) for a model that there is not. */
export function parseMode(model: string): Mode {
  const mode = Object.hasOwn(modes, model) ? modes[model] : undefined;
  if (mode !== undefined) return mode;
  const shown = JSON.stringify(model.slice(0, 100));
  const allowed = modelNames.join(", ");
  throw new HttpRefusalError({
    status: 404,
    text: { zh: `没有模型 ${shown}（允许：${allowed}）`, en: `there is no model ${shown} (allowed: ${allowed})` },
    param: "model",
    openAiCode: "model_not_found",
  });
}
