import * as z from "zod";
import {
  type BackendSettings,
  listBackendSettings,
  mapSearchBackends,
  type SearchBackendRow,
  searchBackendNames,
} from "../../tools/search/search-backends.ts";
import { address } from "./schema-parts.ts";

/** Makes the schema of one backend's settings from its row. */
function toBackendSchema(row: SearchBackendRow): z.ZodPrefault<z.ZodType<BackendSettings, BackendSettings>> {
  const settings = listBackendSettings(row).map(({ key, type, default: usual }) => {
    if (type === "secret") return [key, z.string().optional()];
    if (type === "switch")
      return [
        key,
        z
          .boolean()
          .default(false)
          .meta({ description: `Whether auto may end with ${row.title}.` }),
      ];
    const schema = usual === undefined ? address.optional() : address.default(usual);
    return [key, key === "mcpUrl" ? schema.meta({ description: "Its keyless MCP server." }) : schema];
  });
  return z.strictObject(Object.fromEntries(settings)).prefault({});
}

export const searchSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .optional()
      .meta({ description: "Absent: tools may search, and chat mode starts with search off." }),
    backend: z
      .enum(["auto", ...searchBackendNames])
      .default("auto")
      .meta({
        description: "auto: the first with a key, otherwise the keyless ones; if one fails, the next is used.",
      }),
    keyless: z.boolean().default(true).meta({ description: "Whether auto may ask services without a key." }),
    maxResults: z.int().min(1).max(20).default(5),
    snippetLength: z.int().min(20).max(2000).default(200).meta({ description: "Characters of one snippet." }),
    cacheSize: z.int().min(0).max(1000).default(20).meta({ description: "Queries kept; 0 keeps none." }),
    maxPerRun: z.int().min(1).max(50).default(10).meta({ description: "Searches of one run." }),
    ...mapSearchBackends(toBackendSchema),
  })
  .meta({ description: "Web search." });
