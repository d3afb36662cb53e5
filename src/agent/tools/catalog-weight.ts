import type { Model, ToolDefinition } from "../../core/model/model.ts";
import { isOfClient, type Tool } from "../../core/tools/tool.ts";
import { countTokens, getContextWindow } from "../context/context-window.ts";

/** Holds the size of the offered tools in each request, and says whether all are listed in it. */
export interface CatalogWeight {
  /** With `searched`, only those tools of servers are listed that are needed. */
  mode: "listed" | "searched";
  /** Estimates the tokens of all tools. */
  tokens: number;
  /** Above this many tokens, tools are searched. It is infinite for a model that works by rules. */
  limit: number;
  /** Estimates the tokens of the given tools. */
  of(tools: readonly Tool[]): number;
}

/** Caches the sizes of tools for the model that reads them. */
export type ToolWeightCache = WeakMap<Tool, number>;

/**
 * Limits the listed tools, in tokens, however large the window is: more cost too much, and few models still choose well among
 * them.
 */
const mostTokens = 16_000;
/** So few server tools need no search, because a search loads as many at once. */
const fewTools = 5;

/** `share` is the share of the model's window. */
export function weighCatalog(
  tools: readonly Tool[],
  model: Model,
  share: number,
  weights: ToolWeightCache,
): CatalogWeight {
  const countTokensOf = (some: readonly Tool[]): number =>
    some.reduce((sum, tool) => sum + countToolTokens(tool, model, weights), 0);
  const tokens = countTokensOf(tools);
  // A model that goes by rules looks for the names it knows, and counts no tokens.
  const limit =
    model.followsPrompts === false ? Infinity : Math.floor(Math.min(mostTokens, share * getContextWindow(model)));
  const isSearched = tokens > limit && tools.filter(isOfServer).length > fewTools;
  return { mode: isSearched ? "searched" : "listed", tokens, limit, of: countTokensOf };
}

/** Is true for a tool of a downstream server, and false for one of this program, its user or the asking program. */
export function isOfServer(tool: Tool): boolean {
  const { source } = tool;
  return source !== "builtin" && source !== "user" && source !== "skills" && !isOfClient(tool);
}

export function countToolTokens(tool: Tool, model: Model, weights: ToolWeightCache): number {
  const known = weights.get(tool);
  if (known !== undefined) return known;
  const tokens = countTokens(model, JSON.stringify(toToolDefinition(tool)));
  weights.set(tool, tokens);
  return tokens;
}

export function toToolDefinition({ name, description, inputSchema }: Tool): ToolDefinition {
  return { name, description, inputSchema };
}
