import { type Locale, say } from "../../kit/errors.ts";
import type { JsonSchema } from "../../kit/json.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import type { Tool } from "./tool.ts";

/** What a tool that finds tools takes: what is to be done, and how many tools it gives at most, which is `usual` when not said. */
export function createSearchSchema(language: Locale, { usual, most }: { usual: number; most: number }): JsonSchema {
  return {
    type: "object",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        description: say(language, {
          zh: "要做的事，几个关键词，例如“骑行路线”；也可以是工具名",
          en: 'What is to be done, in a few words, such as "bicycle route"; or the name of a tool',
        }),
      },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: most,
        default: usual,
        description: say(language, { zh: "最多几个工具", en: "How many tools at most" }),
      },
    },
    required: ["query"],
    additionalProperties: false,
  };
}

/** Servers named in a line. */
const mostNamed = 30;

/** Where tools come from and how many from each, in one line: `amap (12), memory (9)`. */
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
