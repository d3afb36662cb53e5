import { deepestChain } from "../../core/chain.ts";
import { hasChainProperty, removeChainProperty } from "../../core/chain-text.ts";
import type { Tool } from "../../core/tools/tool.ts";

/**
 * The tools for a run that stands so deep in a chain of agents, without the argument that is not for models. At the last level
 * there are none that are agents: what they would be asked is refused.
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

/** The tools that go with `agent_ask`, under the same prefix; they are of no use without it. */
function companions(name: string): string[] {
  const ask = "agent_ask";
  if (!name.endsWith(ask)) return [];
  const prefix = name.slice(0, -ask.length);
  return [`${prefix}agent_result`, `${prefix}agent_cancel`];
}
