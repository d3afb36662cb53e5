import type { Model, ToolDefinition } from "../../core/model.ts";
import { createFailure, type FoundTool, type Tool, type ToolIndex, type ToolResult } from "../../core/tools/tool.ts";
import { createSearchSchema, renderToolSources } from "../../core/tools/tool-search.ts";
import { isRecord, type JsonObject, type JsonSchema } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { getContextWindow } from "../context/context-window.ts";
import { countToolTokens, isOfServer, type ToolWeightCache, toToolDefinition, weighCatalog } from "./catalog-weight.ts";

/**
 * Holds the tools of a run as models get them. When all together are too large, those of servers are not listed, except the ones
 * that fit the question; a tool finds the others. Tools are only ever added, at the end of the list, so that a vendor's cache
 * stays valid.
 */
export interface ToolCatalog {
  /** Holds the tools that are offered now, in order. Others may add to it. */
  readonly tools: Map<string, Tool>;
  /** Holds every tool except the run's own, whether listed or not. */
  readonly all: ReadonlyMap<string, Tool>;
  /** Is the tool that finds others, and undefined when all are listed. */
  readonly finder: Tool | undefined;
  definitions(): ToolDefinition[];
  /** Returns a tool by its name. If it was not listed, it is from now on. */
  findTool(name: string): Tool | undefined;
}

export interface ToolFinder {
  /** Above this share of the function-call model's window, tools are searched. */
  share: number;
  weights: ToolWeightCache;
  index(tools: readonly Tool[]): ToolIndex;
  /** Wraps a tool of the run's own in the rules for all tools. Returns undefined when they forbid it. */
  guard(tool: Tool): Tool | undefined;
  /** Lists the names of the tools that the conversation has loaded so far, in order. The run adds to them. */
  loaded: Set<string>;
}

export interface ToolCatalogOptions {
  tools: readonly Tool[];
  /** Is the model that chooses among the tools. */
  model: Model;
  /** Is the language used for the model. */
  language: Locale;
  /** Lists the texts of the first search, best first: the question, and what was asked before it. */
  questions: readonly string[];
  /** All tools are listed when it is undefined. */
  finding: ToolFinder | undefined;
}

/** Vendors take 128 tools at most. */
const mostOffered = 126;
const mostLoaded = 64;

/** Tools that were found may take this share of the window. */
const loadedShare = 0.25;

/**
 * Limits the tools that are loaded for a question before a model has asked for any, and how many of them a conversation may
 * have.
 */
const mostGuessed = 5;
const guessesEnd = 16;

/** Sets the scores below which a tool is not guessed: by itself, and relative to the best. */
const leastScore = 0.2;
const leastShare = 0.5;

export function createToolCatalog(options: ToolCatalogOptions): ToolCatalog {
  const { tools: given, model, finding } = options;
  const all = new Map(given.map((tool) => [tool.name, tool]));
  const isSearched =
    finding !== undefined && weighCatalog(given, model, finding.share, finding.weights).mode === "searched";
  return (isSearched ? createSearchedCatalog(options, all, finding) : undefined) ?? createListedCatalog(all);
}

function createListedCatalog(all: ReadonlyMap<string, Tool>): ToolCatalog {
  const tools = new Map(all);
  return {
    tools,
    all,
    finder: undefined,
    definitions: () => [...tools.values()].map(toToolDefinition),
    findTool: (name) => tools.get(name),
  };
}

/** Returns undefined when rules forbid searching. All tools are then listed, whatever their size. */
function createSearchedCatalog(
  { model, language, questions }: ToolCatalogOptions,
  all: ReadonlyMap<string, Tool>,
  finding: ToolFinder,
): ToolCatalog | undefined {
  const own = [...all.values()].filter((tool) => !isOfServer(tool));
  const hidden = [...all.values()].filter(isOfServer);
  const getIndex = (): ToolIndex => finding.index(hidden);
  const name = all.has("find_tools") ? "duet_find_tools" : "find_tools";
  const finder = finding.guard(createFindTools({ name, language, hidden, index: getIndex, load }));
  if (finder === undefined) return undefined;

  const tools = new Map([...own, finder].map((tool) => [tool.name, tool]));
  const first = new Set(tools.keys());
  const remaining = {
    tools: Math.max(mostGuessed, Math.min(mostLoaded, mostOffered - first.size)),
    tokens: loadedShare * getContextWindow(model),
  };

  function load(tool: Tool): boolean {
    if (tools.has(tool.name)) return true;
    const tokens = countToolTokens(tool, model, finding.weights);
    if (remaining.tools < 1 || remaining.tokens < tokens) return false;
    remaining.tools -= 1;
    remaining.tokens -= tokens;
    tools.set(tool.name, tool);
    finding.loaded.add(tool.name);
    return true;
  }

  function loadFirst(): void {
    for (const known of [...finding.loaded]) {
      const tool = all.get(known);
      if (tool && isOfServer(tool)) load(tool);
    }
    const missing = guessesEnd - (tools.size - first.size);
    for (const tool of guess(questions, getIndex).slice(0, Math.max(0, missing))) load(tool);
  }

  loadFirst();
  return {
    tools,
    all,
    finder,
    definitions: () =>
      [...tools.values()].map((tool) =>
        first.has(tool.name) ? toToolDefinition(tool) : { ...toToolDefinition(tool), late: true },
      ),
    findTool(name) {
      const tool = tools.get(name) ?? all.get(name);
      if (tool) load(tool);
      return tool;
    },
  };
}

/** Returns the tools for the first question that matches any. Most runs then need no search. */
function guess(questions: readonly string[], index: () => ToolIndex): Tool[] {
  for (const question of questions) {
    const found = index().find(question, mostGuessed);
    const least = Math.max(leastScore, leastShare * (found[0]?.score ?? 0));
    const near = found.filter(({ score }) => score >= least);
    if (near.length > 0) return near.map(({ tool }) => tool);
  }
  return [];
}

export interface FindToolsOptions {
  name: string;
  language: Locale;
  /** Lists the tools that are not offered, in order. */
  hidden: readonly Tool[];
  index(): ToolIndex;
  /** Puts a tool on offer; false where it does not fit. */
  load(tool: Tool): boolean;
}

/** Limits the searches of one run. */
const mostSearches = 10;
const usualFound = 5;
const mostFound = 10;

/** Limits how many parameters of one tool are named. */
const mostParameters = 20;

/** Creates the tool that finds tools for a task among those that are too many to be listed, and offers them to the model. */
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
      if (found.length === 0) return { ok: true, text: say(language, describeNothingFound(query)) };
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

function describeNothingFound(query: string): Text {
  const shown = toShortLine(query, 80);
  return {
    zh: `没有找到与“${shown}”相符的工具。请换一种说法再查找，或说明没有这样的工具。`,
    en: `No tool fits "${shown}". Search in other words, or say that there is no such tool.`,
  };
}
