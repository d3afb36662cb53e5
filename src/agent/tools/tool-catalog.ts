import type { Model, ToolDefinition } from "../../core/model/model.ts";
import { isOfClient, type Tool, type ToolIndex } from "../../core/tools/tool.ts";
import type { Locale } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { getContextWindow } from "../context/context-window.ts";
import { countToolTokens, isOfServer, type ToolWeightCache, toToolDefinition, weighCatalog } from "./catalog-weight.ts";
import { createFindTools } from "./find-tools.ts";
import { choosePreloaded, mostPreloaded } from "./preload.ts";

/**
 * Holds the tools of a run as models get them. When all together are too large, those of servers are not listed, except the ones
 * that fit the question; a tool finds the others. Tools are only ever added, at the end of the list, so that a vendor's cache
 * stays valid, unless the program that asks replaces its own.
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
  /** Replaces the tools of the program that asks. Those of the run that had to give way to the earlier ones are there again. */
  replaceClientTools(tools: readonly Tool[]): void;
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
  /** Lists the tools that the program which asks runs itself. */
  clientTools?: readonly Tool[] | undefined;
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
  const { tools: own, clientTools = [], model, finding } = options;
  const given = addClientTools(own, clientTools);
  const all = new Map(given.map((tool) => [tool.name, tool]));
  const isSearched =
    finding !== undefined && weighCatalog(given, model, finding.share, finding.weights).mode === "searched";
  const never = findUnoffered(options);
  return (
    (isSearched ? createSearchedCatalog(options, all, { finding, never }) : undefined) ??
    createListedCatalog(options, all, never)
  );
}

/** Returns the tools of a run with those of the program that asks. Of two with one name the program's is there, which expects its own to be called. */
function addClientTools(own: readonly Tool[], clientTools: readonly Tool[]): readonly Tool[] {
  const names = new Set(clientTools.map(({ name }) => name));
  // Vendors take 128 tools. The program's own are what it cannot do without.
  const others = names.size > mostBeside ? [] : own.filter(({ name }) => !names.has(name));
  return [...others, ...clientTools];
}

/** Limits the tools of the program beside which others are offered. */
const mostBeside = 100;

/** Has both maps hold these tools in place of those that they hold now. A tool that stays keeps its place. */
function replaceTools(
  { all, tools, isOffered }: { all: Map<string, Tool>; tools: Map<string, Tool>; isOffered(tool: Tool): boolean },
  next: readonly Tool[],
): void {
  const staying = new Set(next);
  for (const [name, tool] of all)
    if (!staying.has(tool)) {
      all.delete(name);
      tools.delete(name);
    }
  for (const tool of next) {
    if (all.has(tool.name)) continue;
    all.set(tool.name, tool);
    if (isOffered(tool)) tools.set(tool.name, tool);
  }
}

/** Returns the tools that are not offered. One that the question names is, and a model that goes by rules looks for all it knows. */
function findUnoffered({ model, questions, finding }: ToolCatalogOptions): ReadonlySet<string> {
  if (finding === undefined || model.followsPrompts === false) return new Set();
  const [question = ""] = questions;
  return new Set([...finding.unoffered.never].filter((name) => !question.toLowerCase().includes(name)));
}

function createListedCatalog(
  { tools: own }: ToolCatalogOptions,
  all: Map<string, Tool>,
  never: ReadonlySet<string>,
): ToolCatalog {
  const isListed = (tool: Tool): boolean => isOfServer(tool) || isOfClient(tool) || !never.has(tool.name);
  const tools = new Map([...all].filter(([, tool]) => isListed(tool)));
  return {
    tools,
    all,
    finder: undefined,
    unfound: [],
    loaded: undefined,
    definitions: () => [...tools.values()].map(toToolDefinition),
    findTool: (name) => tools.get(name) ?? all.get(name),
    replaceClientTools: (next) => replaceTools({ all, tools, isOffered: isListed }, addClientTools(own, next)),
  };
}

/** Returns undefined when rules forbid searching. All tools are then listed, whatever their size. */
function createSearchedCatalog(
  { tools: given, model, language, questions }: ToolCatalogOptions,
  all: Map<string, Tool>,
  { finding, never }: { finding: ToolFinder; never: ReadonlySet<string> },
): ToolCatalog | undefined {
  const isHidden = (tool: Tool): boolean =>
    isOfServer(tool) || (!isOfClient(tool) && finding.unoffered.found.has(tool.name));
  const isListed = (tool: Tool): boolean => isOfClient(tool) || !(isHidden(tool) || never.has(tool.name));
  const own = [...all.values()].filter(isListed);
  const hidden = [...all.values()].filter(isHidden);
  const getIndex = (): ToolIndex => finding.index(hidden);
  const name = all.has("find_tools") ? "duet_find_tools" : "find_tools";
  const unfound: string[] = [];
  const addUnfound = (query: string): void => {
    unfound.push(toShortLine(query, 80));
  };
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
    if (!all.has(tool.name)) return false;
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
    replaceClientTools(next) {
      const isOffered = (tool: Tool): boolean => isListed(tool) || finding.loaded.has(tool.name);
      replaceTools({ all, tools, isOffered }, addClientTools(given, next));
    },
  };
}
