import { addUsage, type Model, noUsage, toModelName } from "../../core/model/model.ts";
import type { AsideBill } from "../../core/model/turn-budget.ts";
import { roundCost } from "../../core/run/add-bills.ts";
import type { ModelBill, ModelUsage } from "../../core/run/outcome.ts";
import type { Mutable } from "../../kit/mutable.ts";

export type ModelRole = "functionCall" | "answer";

/** Names a part of the bill: what a role has used, or what it took to summarise the conversation. */
export type BillPart = ModelRole | "compact";

/** Counts what each part of the bill has used so far. */
export interface Statistics {
  /** Counts a turn of the model that ran it, which is a fallback where it is not the one of the role. */
  add(role: BillPart, turn: TurnBill, by: TurnModel): void;
  /** Counts a model call beside the turns of the run, which says nothing about what the next turn needs. */
  addAside(role: ModelRole, bill: TurnBill): void;
  addIteration(): void;
  readonly iterations: number;
  /** Counts one more call that reaches its tool. */
  addToolCall(): void;
  /** Takes back a call that was counted and did not reach its tool after all. */
  removeToolCall(): void;
  /** Counts the calls that reached a tool, those under way included. A search for tools is none of them. */
  readonly toolCalls: number;
  /** Counts one more call that may have taken effect, which nobody knows: it was lost, or cut off in its tool. */
  addUnclearCall(): void;
  readonly unclearCalls: number;
  totalTokens(): number;
  /** Returns what the last turn used. */
  last(): { tokens: number; cost: number };
  /** Returns the known part of the cost of all calls, in US dollars. */
  knownCost(): number;
  /** Returns the cost of all calls in US dollars, or null when there was no call or the cost of one is not known. */
  totalCost(): number | null;
  bill(role: BillPart, model: NamedModel): ModelBill;
  /** Returns what summarising the conversation took, and undefined where nothing was summarised. */
  compactBill(): ModelBill | undefined;
}

/** Holds what a run has used of its limits: counts, tokens, and US dollars as far as they are known. */
export interface LimitUsage {
  iterations: number;
  toolCalls: number;
  tokens: number;
  cost: number;
}

type NamedModel = Pick<Model, "provider" | "model">;

export interface TurnModel {
  model: NamedModel;
  /** Is true when the model has taken over from the one of the role. */
  isFallback: boolean;
}

/** Holds what one model turn used, including its failed attempts. The costs are empty when nothing was used. */
export interface TurnBill extends AsideBill {
  /** Is what the output limit allowed for hidden reasoning, in tokens. */
  allowance?: number | undefined;
}

export function createStatistics(): Statistics {
  const used: Record<BillPart, RoleUse> = { functionCall: unused, answer: unused, compact: unused };
  const own: Record<BillPart, RoleUse> = { functionCall: unused, answer: unused, compact: unused };
  /** Holds what each fallback used in a role, by its name. The rest is of the role's own model. */
  const byFallback: Record<BillPart, Map<string, ModelUse>> = {
    functionCall: new Map(),
    answer: new Map(),
    compact: new Map(),
  };
  let compactor: NamedModel = { provider: "", model: "" };
  let last = { tokens: 0, cost: 0 };

  function addAside(role: ModelRole, bill: TurnBill): void {
    used[role] = addBill(used[role], bill);
    own[role] = addBill(own[role], bill);
  }

  const statistics: Mutable<Statistics> = {
    iterations: 0,
    addIteration() {
      statistics.iterations += 1;
    },
    toolCalls: 0,
    addToolCall() {
      statistics.toolCalls += 1;
    },
    removeToolCall() {
      statistics.toolCalls -= 1;
    },
    unclearCalls: 0,
    addUnclearCall() {
      statistics.unclearCalls += 1;
    },
    add(role, turn, { model, isFallback }) {
      const { usage, costs } = turn;
      if (isFallback) {
        const name = toModelName(model);
        byFallback[role].set(name, { ...addBill(byFallback[role].get(name) ?? unused, turn), model });
      } else own[role] = addBill(own[role], turn);
      if (role === "compact" && !isFallback) compactor = model;
      last = { tokens: usage.inputTokens + usage.outputTokens, cost: sumKnownCosts(costs) };
      used[role] = addBill(used[role], turn);
    },
    addAside,
    last: () => last,
    knownCost: () => sumKnownCosts(listCosts()),
    totalCost: () => sumCosts(listCosts()),
    totalTokens() {
      const { inputTokens, outputTokens } = Object.values(used).reduce(
        (sum, { usage }) => addUsage(sum, usage),
        noUsage,
      );
      return inputTokens + outputTokens;
    },
    compactBill: () => (used.compact.calls === 0 ? undefined : toBill("compact", compactor)),
    bill: toBill,
  };
  return statistics;

  function listCosts(): (number | null)[] {
    return Object.values(used).flatMap(({ costs }) => costs);
  }

  function toBill(role: BillPart, model: NamedModel): ModelBill {
    const whole = toModelUsage(model, used[role]);
    const fallbacks = [...byFallback[role].values()];
    if (fallbacks.length === 0) return whole;
    const first = own[role].calls > 0 ? [{ ...own[role], model }] : [];
    return { ...whole, by_model: [...first, ...fallbacks].map((use) => toModelUsage(use.model, use)) };
  }
}

const noCosts: readonly (number | null)[] = [];

interface RoleUse extends TurnBill {
  calls: number;
}

interface ModelUse extends RoleUse {
  model: NamedModel;
}

const unused: RoleUse = { calls: 0, usage: noUsage, elapsedMs: 0, costs: noCosts };

function addBill(before: RoleUse, { usage, elapsedMs, costs, allowance = 0 }: TurnBill): RoleUse {
  return {
    calls: before.calls + 1,
    usage: addUsage(before.usage, usage),
    elapsedMs: before.elapsedMs + elapsedMs,
    allowance: (before.allowance ?? 0) + allowance,
    costs: [...before.costs, ...costs],
  };
}

function toModelUsage(
  { provider, model }: NamedModel,
  { calls, usage, elapsedMs, costs, allowance = 0 }: RoleUse,
): ModelUsage {
  return {
    ...{ provider, model, calls },
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    reasoning_tokens: usage.reasoningTokens,
    ...(allowance > 0 && { reasoning_allowance: allowance }),
    cached_tokens: usage.cachedTokens,
    elapsed_ms: Math.round(elapsedMs),
    cost_usd: sumCosts(costs),
  };
}

function sumKnownCosts(costs: readonly (number | null)[]): number {
  return costs.reduce<number>((total, cost) => total + (cost ?? 0), 0);
}

/** Returns null when there are no costs or one is not known. */
export function sumCosts(costs: readonly (number | null)[]): number | null {
  let total = 0;
  for (const cost of costs) {
    if (cost === null) return null;
    total += cost;
  }
  return costs.length === 0 ? null : roundCost(total);
}
