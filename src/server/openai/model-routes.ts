import type { Handle } from "../http/routes.ts";
import { modelNames, parseMode } from "../model-api/model-names.ts";

/** Creates the model routes; `created` is when the server began, in milliseconds since 1970. */
export function createModelRoutes(created: number): { list: Handle; one: Handle } {
  const toModelEntry = (id: string) => ({
    id,
    object: "model",
    created: Math.floor(created / 1000),
    owned_by: "duet",
  });
  return {
    list: async () => Response.json({ object: "list", data: modelNames.map(toModelEntry) }),
    async one({ params: { id = "" } }) {
      parseMode(id);
      return Response.json(toModelEntry(id));
    },
  };
}
