import type { AgentsBill } from "../../core/outcome.ts";
import type { AgentUsage } from "../../core/tools/tool.ts";

/** Tokens, and US dollars where there is a budget of money. */
export interface Budget {
  tokens: number;
  cost: number | undefined;
}

/** A share of a run's means while a call of it is under way. */
export interface BudgetReservation extends Budget {
  /** The call is over. What a run of it may still use, where that goes on, stays lent. */
  release(): void;
}

/** The agents that the run has called: what they may use, and what they have used. */
export interface SubAgents {
  /** A share of what is left; all shares that are out at a time are never more than that together, and none is the last. */
  reserveBudget(left: Budget): BudgetReservation;
  /** `server` is where the bill came from: no server speaks for the runs of another. `lent`: to the call that brought it. */
  add(server: string, usage: AgentUsage, lent: Budget): void;
  tokens(): number;
  /** US dollars, as far as they are known. */
  knownCost(): number;
  /** Undefined where no agent was called. */
  bill(): AgentsBill | undefined;
}

/** `maxParallel`: how many calls run side by side. */
export function createSubAgents(maxParallel: number): SubAgents {
  /** The highest bill of each run: one that goes on sends another later. */
  const bills = new Map<string, AgentUsage>();
  const loans = new Set<Budget>();
  /** What was lent to runs that go on after their call. */
  const going = new Map<string, Budget>();

  function total(of: (usage: AgentUsage) => number): number {
    const sum = bills.values().reduce((before, usage) => before + of(usage), 0);
    return Math.min(sum, Number.MAX_SAFE_INTEGER);
  }

  function stillLent(): Budget[] {
    const rests = going.entries().map(([key, lent]): Budget => {
      const used = bills.get(key);
      return {
        tokens: Math.max(0, lent.tokens - (used?.tokens ?? 0)),
        cost: Math.max(0, (lent.cost ?? 0) - (used?.cost ?? 0)),
      };
    });
    return [...loans, ...rests];
  }

  function knownCost(): number {
    return total(({ cost }) => cost);
  }

  return {
    reserveBudget({ tokens, cost }) {
      const places = Math.max(2, maxParallel - loans.size);
      const share = (whole: number, lent: number): number => Math.max(0, whole - lent) / places;
      const out = stillLent();
      const loan: Budget = {
        tokens: Math.floor(share(tokens, sum(out.map((each) => each.tokens)))),
        cost: cost === undefined ? undefined : share(cost, sum(out.map((each) => each.cost ?? 0))),
      };
      loans.add(loan);
      return { ...loan, release: () => void loans.delete(loan) };
    },
    add(server, usage, lent) {
      const key = JSON.stringify([server, usage.runId]);
      if (usage.isOver) going.delete(key);
      else if (!going.has(key)) going.set(key, lent);
      const before = bills.get(key);
      bills.set(key, {
        ...usage,
        tokens: Math.max(usage.tokens, before?.tokens ?? 0),
        cost: Math.max(usage.cost, before?.cost ?? 0),
      });
    },
    tokens: () => total(({ tokens }) => tokens),
    knownCost,
    bill() {
      if (bills.size === 0) return undefined;
      const isKnown = knownCost() > 0 && bills.values().every(({ isCostKnown }) => isCostKnown);
      return {
        runs: bills.size,
        total_tokens: total(({ tokens }) => tokens),
        cost_usd: isKnown ? Math.round(knownCost() * 1e9) / 1e9 : null,
      };
    },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((before, number) => before + number, 0);
}
