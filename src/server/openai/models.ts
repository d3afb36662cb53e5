import type { Mode } from "../../core/outcome.ts";
import { RefusedError } from "../http/response/refusal.ts";
import type { Handle } from "../http/routes.ts";

/** Presents the modes as models, which OpenAI's clients know. */
const modes: Readonly<Record<string, Mode>> = { "duet-agent": "agent", "duet-plan": "plan", "duet-chat": "chat" };

/** Throws `Refused` (404) for a model that there is not. */
export function parseMode(model: string): Mode {
  const mode = Object.hasOwn(modes, model) ? modes[model] : undefined;
  if (mode !== undefined) return mode;
  const shown = JSON.stringify(model.slice(0, 100));
  const allowed = Object.keys(modes).join(", ");
  throw new RefusedError({
    status: 404,
    text: { zh: `没有模型 ${shown}（允许：${allowed}）`, en: `there is no model ${shown} (allowed: ${allowed})` },
    param: "model",
    openAiCode: "model_not_found",
  });
}

/** Creates the model routes; `created` is when the server began, in milliseconds since 1970. */
export function createModelRoutes(created: number): { list: Handle; one: Handle } {
  const toModelEntry = (id: string) => ({
    id,
    object: "model",
    created: Math.floor(created / 1000),
    owned_by: "duet",
  });
  return {
    list: async () => Response.json({ object: "list", data: Object.keys(modes).map(toModelEntry) }),
    async one({ params: { id = "" } }) {
      parseMode(id);
      return Response.json(toModelEntry(id));
    },
  };
}
