import { createFailure, type Tool, type ToolResult } from "../../core/tools/tool.ts";
import type { FoundTool, ToolIndex } from "../../core/tools/tool-index.ts";
import { createSearchSchema, renderToolSources } from "../../core/tools/tool-search.ts";
import { isRecord, type JsonObject, type JsonSchema } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/short-line.ts";

export interface FindToolsOptions {
  name: string;
  language: Locale;
  /** The tools that are not listed, in order. */
  hidden: readonly Tool[];
  index(): ToolIndex;
  /** Puts a tool on offer; false where there is no room for it. */
  load(tool: Tool): boolean;
}

/** How often a run may search. */
const mostSearches = 10;
const usualFound = 5;
const mostFound = 10;
/** Parameters of one tool that are named. */
const mostParameters = 20;

/** The tool that puts on offer what fits a task, of the tools that are too many to be listed. */
export function createFindTools({ name, language, hidden, index, load }: FindToolsOptions): Tool {
  let searches = 0;
  return {
    name,
    description: describe(hidden, language),
    inputSchema: createSearchSchema(language, { usual: usualFound, most: mostFound }),
    source: "builtin",
    annotations: { readOnly: true },
    async run(args) {
      searches += 1;
      if (searches > mostSearches) return createFailure("tool", say(language, tooOften));
      const { query, limit } = readArguments(args);
      const found = index().find(query, limit);
      if (found.length === 0) return { ok: true, text: say(language, nothing(query)) };
      return tell(found);
    },
  };

  function tell(found: readonly FoundTool[]): ToolResult {
    const isLoaded = found.map(({ tool }) => load(tool));
    const lines = found.map(
      ({ tool }) => `- ${tool.name}(${parametersOf(tool.inputSchema)}): ${toShortLine(tool.description, 160)}`,
    );
    const note = isLoaded.every(Boolean) ? [] : [say(language, noRoom)];
    return { ok: true, text: [say(language, callable), ...lines, ...note].join("\n") };
  }
}

function readArguments({ query, limit }: JsonObject): { query: string; limit: number } {
  const most = typeof limit === "number" && limit >= 1 ? Math.floor(limit) : usualFound;
  return { query: typeof query === "string" ? query : "", limit: Math.min(most, mostFound) };
}

/** `city: string, days?: integer`; what a parameter means stands in the tool's definition. */
function parametersOf({ properties, required }: JsonSchema): string {
  if (!isRecord(properties)) return "";
  const needed = Array.isArray(required) ? required : [];
  const parameters = Object.entries(properties)
    .slice(0, mostParameters)
    .map(([name, schema]) => {
      const type = isRecord(schema) && typeof schema.type === "string" ? `: ${schema.type}` : "";
      return `${name}${needed.includes(name) ? "" : "?"}${type}`;
    });
  return toShortLine(parameters.join(", "), 200);
}

function describe(hidden: readonly Tool[], language: Locale): string {
  const sources = renderToolSources(hidden, language);
  return say(language, {
    zh: `查找没有列出的工具，使它们从下一轮起可以调用。各服务器的工具数：${sources}。列出的工具都做不到时先查找，不要直接说做不到。`,
    en: `Finds tools that are not listed, so that they can be called from the next turn on. Tools by server: ${sources}. Where no listed tool will do, search here before saying that something cannot be done.`,
  });
}

const callable: Text = {
  zh: "找到的工具，从下一轮起可以直接调用：",
  en: "Tools found; they can be called from the next turn on:",
};

const noRoom: Text = {
  zh: "列表已满：以上工具中没有列出的仍可按名称调用，但不会再列出。请使用已有的工具。",
  en: "The list is full: those of these tools that are not listed can still be called by name. Use the tools there are.",
};

const tooOften: Text = {
  zh: `已查找 ${mostSearches} 次，不能再查找。请使用已有的工具，或说明缺少什么。`,
  en: `There were ${mostSearches} searches for tools, and there are no more. Use the tools there are, or say what is missing.`,
};

function nothing(query: string): Text {
  const shown = toShortLine(query, 80);
  return {
    zh: `没有找到与“${shown}”相符的工具。请换一种说法再查找，或说明没有这样的工具。`,
    en: `No tool fits "${shown}". Search in other words, or say that there is no such tool.`,
  };
}
