import type { AgentUsage } from "../../core/tools/tool.ts";
import { isRecord } from "../../kit/json.ts";

/**
 * What an agent below says that it has used, in a result of the shape of ours (the contract's section 5): itself and the agents
 * below it. Only numbers that are finite and not negative count, so that a lie can only shorten the run above.
 */
export function readAgentUsage(structured: unknown): AgentUsage | undefined {
  if (!isRecord(structured)) return undefined;
  const { run_id: runId, stop_reason: reason, status, meta } = structured;
  if (typeof runId !== "string" || typeof reason !== "string") return undefined;
  if (!isRecord(meta) || !isRecord(meta.models)) return undefined;
  const bills = [meta, meta.agents].filter(isRecord).map(billIn);
  return {
    runId: runId.slice(0, 200),
    tokens: bills.reduce((sum, { tokens }) => sum + tokens, 0),
    cost: bills.reduce((sum, { cost }) => sum + cost, 0),
    isCostKnown: bills.every(({ isCostKnown }) => isCostKnown),
    isOver: status !== "running",
  };
}

function billIn({
  total_tokens,
  cost_usd,
}: Record<string, unknown>): Pick<AgentUsage, "tokens" | "cost" | "isCostKnown"> {
  const [tokens, cost] = [amount(total_tokens), amount(cost_usd)];
  // Who has asked no model has no price to know.
  return { tokens: Math.ceil(tokens ?? 0), cost: cost ?? 0, isCostKnown: cost !== undefined || tokens === 0 };
}

function amount(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
