import type { AgentsBill, ModelBill, ModelUsage, OutcomeMeta } from "./outcome.ts";

/** Adds up what two runs have used. The mode is that of the second one. */
export function addBills(first: OutcomeMeta, second: OutcomeMeta): OutcomeMeta {
  const agents = addOptional(addAgentsBills, first.agents, second.agents);
  const compact = addOptional(addModelBills, first.models.compact, second.models.compact);
  return {
    total_tokens: first.total_tokens + second.total_tokens,
    tool_calls_count: first.tool_calls_count + second.tool_calls_count,
    latency_ms: first.latency_ms + second.latency_ms,
    iterations: first.iterations + second.iterations,
    mode: second.mode,
    cost_usd: addPrices([first.cost_usd, first.total_tokens], [second.cost_usd, second.total_tokens]),
    ...(agents && { agents }),
    models: {
      function_call: addModelBills(first.models.function_call, second.models.function_call),
      answer: addModelBills(first.models.answer, second.models.answer),
      ...(compact && { compact }),
    },
  };
}

/** Adds what a model has used to what it, or the one before it, has used already. The name is that of the first. */
export function addModelUsage(first: ModelUsage, second: ModelUsage): ModelUsage {
  const allowance = (first.reasoning_allowance ?? 0) + (second.reasoning_allowance ?? 0);
  return {
    provider: first.provider,
    model: first.model,
    calls: first.calls + second.calls,
    input_tokens: first.input_tokens + second.input_tokens,
    output_tokens: first.output_tokens + second.output_tokens,
    reasoning_tokens: first.reasoning_tokens + second.reasoning_tokens,
    ...(allowance > 0 && { reasoning_allowance: allowance }),
    cached_tokens: first.cached_tokens + second.cached_tokens,
    elapsed_ms: first.elapsed_ms + second.elapsed_ms,
    cost_usd: addPrices([first.cost_usd, countTokens(first)], [second.cost_usd, countTokens(second)]),
  };
}

function addModelBills(first: ModelBill, second: ModelBill): ModelBill {
  const whole = addModelUsage(first, second);
  const used = [first, second].flatMap((bill) => bill.by_model ?? (bill.calls > 0 ? [bill] : []));
  const byModel = new Map<string, ModelUsage>();
  for (const usage of used) {
    const name = `${usage.provider}/${usage.model}`;
    const known = byModel.get(name);
    byModel.set(name, known ? addModelUsage(known, usage) : usage);
  }
  // The role's own model may have been asked for nothing: then its fallback alone is in the list.
  const isListed = byModel.size > 1 || first.by_model !== undefined || second.by_model !== undefined;
  return isListed ? { ...whole, by_model: [...byModel.values()] } : whole;
}

/** Adds up what the agents have used that two runs have called. */
export function addAgentsBills(first: AgentsBill, second: AgentsBill): AgentsBill {
  const cost = addPrices([first.cost_usd, first.total_tokens], [second.cost_usd, second.total_tokens]);
  return {
    runs: first.runs + second.runs,
    total_tokens: first.total_tokens + second.total_tokens,
    ...toBilledCost(cost, getKnownCost(first) + getKnownCost(second)),
  };
}

/** Returns the cost of an agents' bill. The known part stands beside a cost that is null as a whole. */
export function toBilledCost(cost: number | null, known: number): Pick<AgentsBill, "cost_usd" | "known_cost_usd"> {
  return { cost_usd: cost, ...(cost === null && known > 0 && { known_cost_usd: roundCost(known) }) };
}

/** Adds up the known costs of a run's models and of the agents that it called, in US dollars. */
export function sumKnownCost({ models, agents }: Pick<OutcomeMeta, "models" | "agents">): number {
  return sumModelCost(models) + (agents ? getKnownCost(agents) : 0);
}

/** Adds up the known costs of a run's own models, in US dollars. */
export function sumModelCost({ function_call, answer, compact }: OutcomeMeta["models"]): number {
  const bills = [function_call, answer, ...(compact ? [compact] : [])].flatMap((bill) => bill.by_model ?? [bill]);
  return bills.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0);
}

function getKnownCost({ cost_usd, known_cost_usd = 0 }: AgentsBill): number {
  return cost_usd ?? known_cost_usd;
}

function addOptional<Bill>(
  add: (first: Bill, second: Bill) => Bill,
  first: Bill | undefined,
  second: Bill | undefined,
): Bill | undefined {
  return first && second ? add(first, second) : (first ?? second);
}

/** Returns null where a price is not known. What has used no tokens has cost nothing. The sum is rounded to a billionth. */
function addPrices(...bills: readonly [cost: number | null, tokens: number][]): number | null {
  const costs = bills.flatMap(([cost, tokens]) => (cost === null && tokens === 0 ? [] : [cost]));
  if (costs.length === 0) return null;
  let total = 0;
  for (const cost of costs) {
    if (cost === null) return null;
    total += cost;
  }
  return roundCost(total);
}

/** Rounds to a billionth, which hides the rounding errors of fractions. */
export function roundCost(cost: number): number {
  return Math.round(cost * 1e9) / 1e9;
}

function countTokens({ input_tokens, output_tokens }: ModelUsage): number {
  return input_tokens + output_tokens;
}
