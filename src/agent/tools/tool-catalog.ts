import type { Model, ToolDefinition } from "../../core/model.ts";
import { createFailure, type FoundTool, type Tool, type ToolIndex, type ToolResult } from "../../core/tools/tool.ts";
import { createSearchSchema, renderToolSources } from "../../core/tools/tool-search.ts";
import { isRecord, type JsonObject, type JsonSchema } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { getContextWindow } from "../context/context-window.ts";
import { countToolTokens, isOfServer, type ToolWeightCache, toToolDefinition, weighCatalog } from "./catalog-weight.ts";
import { choosePreloaded, mostPreloaded } from "./preload.ts";

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
  /** Lists what was searched for with it and not found, in one short line each. */
  readonly unfound: readonly string[];
  /** Names the tools that the conversation has loaded, in order, and is undefined when all are listed. */
  readonly loaded: ReadonlySet<string> | undefined;
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
  /**
   * Names tools of the program that are not offered, because few questions need them. Those under `found` are found like tools of
   * servers where tools are searched; a call by name always runs.
   */
  unoffered: { never: ReadonlySet<string>; found: ReadonlySet<string> };
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

/** With this many tools loaded, a conversation gets no more of them before a model has asked for any. */
const preloadingEnd = 16;

export function createToolCatalog(options: ToolCatalogOptions): ToolCatalog {
  const { tools: given, model, finding } = options;
  const all = new Map(given.map((tool) => [tool.name, tool]));
  const isSearched =
    finding !== undefined && weighCatalog(given, model, finding.share, finding.weights).mode === "searched";
  const never = findUnoffered(options);
  return (
    (isSearched ? createSearchedCatalog(options, all, { finding, never }) : undefined) ??
    createListedCatalog(all, never)
  );
}

/** Returns the tools that are not offered. One that the question names is, and a model that goes by rules looks for all it knows. */
function findUnoffered({ model, questions, finding }: ToolCatalogOptions): ReadonlySet<string> {
  if (finding === undefined || model.followsPrompts === false) return new Set();
  const [question = ""] = questions;
  return new Set([...finding.unoffered.never].filter((name) => !question.toLowerCase().includes(name)));
}

function createListedCatalog(all: ReadonlyMap<string, Tool>, never: ReadonlySet<string>): ToolCatalog {
  const tools = new Map([...all].filter(([name, tool]) => isOfServer(tool) || !never.has(name)));
  return {
    tools,
    all,
    finder: undefined,
    unfound: [],
    loaded: undefined,
    definitions: () => [...tools.values()].map(toToolDefinition),
    findTool: (name) => tools.get(name) ?? all.get(name),
  };
}

/** Returns undefined when rules forbid searching. All tools are then listed, whatever their size. */
function createSearchedCatalog(
  { model, language, questions }: ToolCatalogOptions,
  all: ReadonlyMap<string, Tool>,
  { finding, never }: { finding: ToolFinder; never: ReadonlySet<string> },
): ToolCatalog | undefined {
  const isHidden = (tool: Tool): boolean => isOfServer(tool) || finding.unoffered.found.has(tool.name);
  const own = [...all.values()].filter((tool) => !isHidden(tool) && !never.has(tool.name));
  const hidden = [...all.values()].filter(isHidden);
  const getIndex = (): ToolIndex => finding.index(hidden);
  const name = all.has("find_tools") ? "duet_find_tools" : "find_tools";
  const unfound: string[] = [];
  const addUnfound = (query: string): void => void unfound.push(toShortLine(query, 80));
  const finder = finding.guard(createFindTools({ name, language, hidden, index: getIndex, load, addUnfound }));
  if (finder === undefined) return undefined;

  const tools = new Map([...own, finder].map((tool) => [tool.name, tool]));
  const first = new Set(tools.keys());
  const remaining = {
    tools: Math.max(mostPreloaded, Math.min(mostLoaded, mostOffered - first.size)),
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
      if (tool) load(tool);
    }
    const missing = preloadingEnd - (tools.size - first.size);
    const chosen = choosePreloaded({
      questions,
      own: [...all.values()].filter((tool) => !isOfServer(tool)),
      index: getIndex,
    });
    for (const tool of chosen.slice(0, Math.max(0, missing))) load(tool);
  }

  loadFirst();
  return {
    tools,
    all,
    finder,
    unfound,
    loaded: finding.loaded,
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
  const areNamed = renderNames(hidden) !== undefined;
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
      const found = chooseFound(index().find(query, limit), query);
      if (found.length === 0) {
        addUnfound(query);
        const text = say(language, describeNothingFound(query));
        const next = areNamed ? noneThere : searchAgain;
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
  const bySource = new Map<string, string[]>();
  for (const { name, source } of hidden) {
    const prefix = `${source}__`;
    const isOfSource = name.startsWith(prefix);
    const key = isOfSource ? source : "";
    bySource.set(key, [...(bySource.get(key) ?? []), isOfSource ? name.slice(prefix.length) : name]);
  }
  const groups = [...bySource].map(([source, names]) => `${source === "" ? "" : `${source}: `}${names.join(", ")}`);
  const text = groups.join("; ");
  return text.length > mostNameCharacters ? undefined : text;
}

function describe(hidden: readonly Tool[], language: Locale): string {
  const names = renderNames(hidden);
  if (names !== undefined)
    return say(language, {
      zh: `查找没有列出的工具，使它们从下一轮起可以调用。没有列出的工具（按服务器）：${names}。列出的工具都做不到时先查找，不要直接说做不到。`,
      en: `Finds tools that are not listed, so that they can be called from the next turn on. Not listed (server: tools): ${names}. Where no listed tool will do, search here before saying that something cannot be done.`,
    });
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
