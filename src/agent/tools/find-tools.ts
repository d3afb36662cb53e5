import { createFailure, type FoundTool, type Tool, type ToolIndex, type ToolResult } from "../../core/tools/tool.ts";
import { createSearchSchema, renderToolSources } from "../../core/tools/tool-search.ts";
import { isRecord, type JsonObject, type JsonSchema } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { toOwnName } from "./preload.ts";

export interface FindToolsOptions {
  name: string;
  language: Locale;
  /** Lists the tools that are not offered, in order. */
  hidden: readonly Tool[];
  index(): ToolIndex;
  /** Puts a tool on offer; false where it does not fit. */
  load(tool: Tool): boolean;
  /** Keeps a search that found nothing. */
  addUnfound(query: string): void;
}

/** Limits the searches of one run. */
const mostSearches = 10;
const usualFound = 5;
const mostFound = 10;

/** Limits how many parameters of one tool are named. */
const mostParameters = 20;

/** Creates the tool that finds tools for a task among those that are too many to be listed, and offers them to the model. */
export function createFindTools({ name, language, hidden, index, load, addUnfound }: FindToolsOptions): Tool {
  let searches = 0;
  let hasFoundNothing = false;
  const names = renderNames(hidden);
  return {
    name,
    description: describe(names, hidden, language),
    inputSchema: createSearchSchema(language, { usual: usualFound, most: mostFound }),
    source: "builtin",
    annotations: { readOnly: true },
    async run(args) {
      searches += 1;
      if (searches > mostSearches) return createFailure("tool", say(language, tooOften));
      const { query, limit } = readArguments(args);
      const found = chooseFound(index().find(query, limit), query);
      if (found.length === 0) {
        addUnfound(query);
        const text = say(language, describeNothingFound(query));
        const next = names === undefined ? searchAgain : noneThere;
        const advice = hasFoundNothing ? "" : say(language, { zh: next.zh, en: ` ${next.en}` });
        hasFoundNothing = true;
        return { ok: true, text: `${text}${advice}` };
      }
      return toFoundResult(found);
    },
  };

  function toFoundResult(found: readonly FoundTool[]): ToolResult {
    const isLoaded = found.map(({ tool }) => load(tool));
    const lines = found.map(
      ({ tool }) => `- ${tool.name}(${listParameters(tool.inputSchema)}): ${toShortLine(tool.description, 160)}`,
    );
    const note = isLoaded.every(Boolean) ? [] : [say(language, noRoom)];
    return { ok: true, text: [say(language, callable), ...lines, ...note].join("\n") };
  }
}

/** Sets how near to the best a tool has to be, by its score and by how many of the words it has. */
const leastShare = 0.8;
const leastCoverageShare = 0.75;

/** A tool that has half of the words or less fits only with this score. Chinese is read in pairs, most of which no tool has. */
const sureScore = 0.4;
const sureScoreInChinese = 0.3;

/** Returns the tools close to the best, and none where only a weak word of the search matches. */
function chooseFound(found: readonly FoundTool[], query: string): FoundTool[] {
  const [best] = found;
  if (best === undefined) return [];
  const sure = /\p{Script=Han}/u.test(query) ? sureScoreInChinese : sureScore;
  if (best.score < sure && best.coverage <= 0.5) return [];
  return found.filter(
    ({ score, coverage }) =>
      score >= leastShare * best.score && (score === 1 || coverage >= leastCoverageShare * best.coverage),
  );
}

function readArguments({ query, limit }: JsonObject): { query: string; limit: number } {
  const most = typeof limit === "number" && limit >= 1 ? Math.floor(limit) : usualFound;
  return { query: typeof query === "string" ? query : "", limit: Math.min(most, mostFound) };
}

/** Lists parameters as `city: string, days?: integer`. What they mean is in the tool's definition. */
function listParameters({ properties, required }: JsonSchema): string {
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

/** Limits the characters in which all hidden tools are named. More tools are counted by server. */
const mostNameCharacters = 600;

/** Names tools by server, `fs: write_file, edit_file; memory: read_graph`, and returns undefined where they are many. */
function renderNames(hidden: readonly Tool[]): string | undefined {
  const byPrefix = Map.groupBy(hidden, (tool) => (toOwnName(tool) === tool.name ? "" : `${tool.source}: `));
  const groups = [...byPrefix].map(([prefix, tools]) => prefix + tools.map(toOwnName).join(", "));
  const text = groups.join("; ");
  return text.length > mostNameCharacters ? undefined : text;
}

function describe(names: string | undefined, hidden: readonly Tool[], language: Locale): string {
  const sources = renderToolSources(hidden, language);
  const { zh, en } =
    names === undefined
      ? { zh: `各服务器的工具数：${sources}`, en: `Tools by server: ${sources}` }
      : { zh: `没有列出的工具（按服务器）：${names}`, en: `Not listed (server: tools): ${names}` };
  return say(language, {
    zh: `查找没有列出的工具，使它们从下一轮起可以调用。${zh}。列出的工具都做不到时先查找，不要直接说做不到。`,
    en: `Finds tools that are not listed, so that they can be called from the next turn on. ${en}. Where no listed tool will do, search here before saying that something cannot be done.`,
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

function describeNothingFound(query: string): Text {
  const shown = toShortLine(query, 80);
  return {
    zh: `没有找到与“${shown}”相符的工具。`,
    en: `No tool fits "${shown}".`,
  };
}

/** Follows the first search of a run that finds nothing where the model knows the names of all tools. */
const noneThere: Text = {
  zh: "请用已有的工具，或说明没有这样的工具。",
  en: "Use the tools there are, or say that there is no such tool.",
};

/** Follows the first search of a run that finds nothing, and is not repeated. A Chinese search is read in English words, too. */
const searchAgain: Text = {
  zh: "请用已有的工具，或说明没有这样的工具。",
  en: "Search in other words, or say that there is no such tool.",
};
