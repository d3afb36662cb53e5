import type { JsonSchema } from "../../kit/json.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import type { Tool } from "./tool.ts";

/**
 * Returns the input schema of a tool that finds tools: a text about the task, and a limit of results, which is `usual` by
 * default.
 */
export function createSearchSchema(language: Locale, { usual, most }: { usual: number; most: number }): JsonSchema {
  return {
    type: "object",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        description: say(language, {
          zh: "要做的事，几个关键词，例如“骑行路线”；也可以是工具名",
          en: 'What to do, in a few words, such as "bicycle route"; or the name of a tool',
        }),
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: most,
        default: usual,
        description: say(language, { zh: "最多返回几个工具", en: "Maximum number of tools" }),
      },
    },
    required: ["query"],
    additionalProperties: false,
  };
}

/** Limits the servers named in one line. */
const mostNamed = 30;

/** Lists the sources of tools and the number from each in one line: `amap (12), memory (9)`. */
export function renderToolSources(tools: readonly Tool[], language: Locale): string {
  const counts = new Map<string, number>();
  for (const { source } of tools) counts.set(source, (counts.get(source) ?? 0) + 1);
  const named = [...counts].slice(0, mostNamed).map(([source, count]) => `${toShortLine(source, 40)} (${count})`);
  const more = counts.size - named.length;
  return say(language, {
    zh: `${named.join("、")}${more > 0 ? `，另有 ${more} 个服务器` : ""}`,
    en: `${named.join(", ")}${more > 0 ? `, and ${more} more servers` : ""}`,
  });
}
