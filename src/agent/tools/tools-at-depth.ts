import { deepestChain } from "../../core/chain.ts";
import { hasChainProperty, removeChainProperty } from "../../core/chain-text.ts";
import type { Tool } from "../../core/tools/tool.ts";

/**
 * Returns the tools for a run at this depth in a chain of agents, without the argument that is not for models. The last level
 * has no tools that are agents, because their calls would be refused.
 */
export function filterToolsByDepth(tools: readonly Tool[], depth: number): readonly Tool[] {
  const agents = tools.filter(({ inputSchema }) => hasChainProperty(inputSchema));
  if (agents.length === 0) return tools;
  if (depth < deepestChain)
    return tools.map((tool) =>
      agents.includes(tool) ? { ...tool, inputSchema: removeChainProperty(tool.inputSchema) } : tool,
    );
  const names = new Set(agents.flatMap(({ name }) => [name, ...companions(name)]));
  return tools.filter(({ name }) => !names.has(name));
}

/** Returns the tools that belong to `agent_ask`, under the same prefix. They are of no use without it. */
function companions(name: string): string[] {
  const ask = "agent_ask";
  if (!name.endsWith(ask)) return [];
  const prefix = name.slice(0, -ask.length);
  return [`${prefix}agent_result`, `${prefix}agent_cancel`];
}
