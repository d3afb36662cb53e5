import type { Model, ToolDefinition } from "../../core/model.ts";
import type { Tool } from "../../core/tools/tool.ts";
import { countTokens, getContextWindow } from "../context/context-window.ts";

/** What the tools on offer weigh in each request, and whether they are all listed in it. */
export interface CatalogWeight {
  /** `searched`: only the tools of servers that are needed are listed. */
  mode: "listed" | "searched";
  /** Of all tools; an estimate. */
  tokens: number;
  /** Tokens beyond which tools are searched; infinite for a model that goes by rules. */
  limit: number;
  /** Of some of them. */
  of(tools: readonly Tool[]): number;
}

/** Tools as they were weighed before; by the model that reads them. */
export type ToolWeightCache = WeakMap<Tool, number>;

/** Whatever a model could read: more tools than this cost too much, and few models still choose well among them. */
const mostTokens = 16_000;
/** So few tools of servers are no matter for a search, which loads as many at once. */
const fewTools = 5;

/** `share`: of the model's window. */
export function weighCatalog(
  tools: readonly Tool[],
  model: Model,
  share: number,
  weights: ToolWeightCache,
): CatalogWeight {
  const of = (some: readonly Tool[]): number =>
    some.reduce((sum, tool) => sum + countToolTokens(tool, model, weights), 0);
  const tokens = of(tools);
  // A model that goes by rules looks for the names it knows, and counts no tokens.
  const limit =
    model.followsPrompts === false ? Infinity : Math.floor(Math.min(mostTokens, share * getContextWindow(model)));
  const isSearched = tokens > limit && tools.filter(isOfServer).length > fewTools;
  return { mode: isSearched ? "searched" : "listed", tokens, limit, of };
}

/** Whether a tool is of a downstream server, not of this program or its user. */
export function isOfServer({ source }: Tool): boolean {
  return source !== "builtin" && source !== "user" && source !== "skills";
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
