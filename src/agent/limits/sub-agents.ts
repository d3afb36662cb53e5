import { roundCost, toBilledCost } from "../../core/run/add-bills.ts";
import type { AgentsBill } from "../../core/run/outcome.ts";
import { addSpend, noSpend, type Spend } from "../../core/store/daily-usage.ts";
import type { AgentUsage } from "../../core/tools/tool.ts";

/** Holds tokens, and US dollars where there is a cost budget. */
export interface Budget {
  tokens: number;
  cost: number | undefined;
}

/** Reserves a share of a run's budget while one of its calls is under way. */
export interface BudgetReservation extends Budget {
  /** Ends the reservation after the call. What a run that continues may still use stays reserved. */
  release(): void;
}

/** Tracks the agents that the run has called: what they may use, and what they have used. */
export interface SubAgents {
  /**
   * Reserves a share of what is left for one of the calls that are made side by side: each gets as much as the others, and one share
   * is kept back. A call that is made in place of a run, with `sideBySide` 0, gets the whole. All open reservations together never
   * exceed what is left.
   */
  reserveBudget(left: Budget, sideBySide: number): BudgetReservation;
  /**
   * `server` is where the bill came from: no server can report for the runs of another. `reserved` is the budget of the call that
   * brought the bill.
   */
  add(server: string, usage: AgentUsage, reserved: Budget): void;
  /** Returns what was billed since the last time, but for what is counted by itself or by an earlier process. */
  takeUncounted(): Spend;
  tokens(): number;
  /** Returns the known cost in US dollars. */
  knownCost(): number;
  /** Is undefined when no agent was called. */
  bill(): AgentsBill | undefined;
}

export function createSubAgents(): SubAgents {
  /** Maps each run to its highest bill: a run that continues sends another bill later. */
  const bills = new Map<string, AgentUsage>();
  /** Maps each run to what is counted of it. */
  const counted = new Map<string, Spend>();
  const reservations = new Set<Budget>();
  /** Maps each run that continues after its call to the budget reserved for it. */
  const continuing = new Map<string, Budget>();

  function sumUsage(of: (usage: AgentUsage) => number): number {
    const sum = bills.values().reduce((before, usage) => before + of(usage), 0);
    return Math.min(sum, Number.MAX_SAFE_INTEGER);
  }

  function listReservations(): Budget[] {
    const rests = continuing.entries().map(([key, reserved]): Budget => {
      const used = bills.get(key);
      return {
        tokens: Math.max(0, reserved.tokens - (used?.tokens ?? 0)),
        cost: Math.max(0, (reserved.cost ?? 0) - (used?.cost ?? 0)),
      };
    });
    return [...reservations, ...rests];
  }

  function sumTokens(): number {
    return sumUsage(({ tokens }) => tokens);
  }

  function sumAgentsCost(): number {
    return sumUsage(({ cost }) => cost);
  }

  return {
    reserveBudget({ tokens, cost }, sideBySide) {
      const places = sideBySide === 0 ? 1 : Math.max(2, sideBySide + 1 - reservations.size);
      const share = (whole: number, reserved: number): number => Math.max(0, whole - reserved) / places;
      const out = listReservations();
      const reservation: Budget = {
        tokens: Math.floor(share(tokens, sum(out.map((each) => each.tokens)))),
        cost: cost === undefined ? undefined : share(cost, sum(out.map((each) => each.cost ?? 0))),
      };
      reservations.add(reservation);
      return { ...reservation, release: () => void reservations.delete(reservation) };
    },
    add(server, usage, reserved) {
      const key = JSON.stringify([server, usage.runId]);
      if (usage.isOver) continuing.delete(key);
      else if (!continuing.has(key)) continuing.set(key, reserved);
      const before = bills.get(key);
      const bill = {
        ...usage,
        runs: Math.max(usage.runs, before?.runs ?? 0),
        tokens: Math.max(usage.tokens, before?.tokens ?? 0),
        cost: Math.max(usage.cost, before?.cost ?? 0),
      };
      bills.set(key, bill);
      if (usage.isCounted) counted.set(key, bill);
    },
    takeUncounted() {
      let due = noSpend;
      for (const [key, bill] of bills) {
        const { tokens, cost } = counted.get(key) ?? noSpend;
        due = addSpend(due, { tokens: bill.tokens - tokens, cost: bill.cost - cost });
        counted.set(key, bill);
      }
      return due;
    },
    tokens: sumTokens,
    knownCost: sumAgentsCost,
    bill() {
      if (bills.size === 0) return undefined;
      const [tokens, cost] = [sumTokens(), sumAgentsCost()];
      // As in the bill of a model: where nothing was used there is no price to know, and what is known to be free costs 0.
      const isKnown = tokens + cost > 0 && bills.values().every(({ isCostKnown }) => isCostKnown);
      return {
        runs: sumUsage(({ runs }) => runs),
        total_tokens: tokens,
        ...toBilledCost(isKnown ? roundCost(cost) : null, cost),
      };
    },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((before, number) => before + number, 0);
}
