import type { Evidence } from "./evidence.ts";
import type { FaultInput } from "./faults.ts";
import { type Lab, openLab } from "./lab.ts";
import { turnUsage } from "./model.ts";
import { planCall, type RunPlan, toQuestion } from "./plan.ts";

/** Is how many questions come at once. */
const questions = 60;

/** A limit over all replicas, and what has to get in. */
interface LimitCase {
  part: string;
  limits: object;
  plan(name: string): RunPlan;
  /** Counts what got in. */
  count(answers: readonly Answer[], lab: Lab): number;
  allowed: number;
}

interface Answer {
  status: number;
  /** The status of the outcome, where there is one. */
  outcome: string | undefined;
}

const idle = (name: string): RunPlan => ({ name, rounds: [] });
const isIn = ({ status, outcome }: Answer): boolean => status === 200 && outcome === "complete";
const countIn = (answers: readonly Answer[]): number => answers.filter(isIn).length;

/** A run of two turns, each of which costs the same: one decides, one answers. */
const turnsOfRun = 2;
const turnTokens = turnUsage.total_tokens;
const allowedTurns = 12;

/**
 * The limits of a day are passed by nothing where they are no multiple of a turn: a turn begins while something is left, and no other
 * one beside it that would not fit.
 */
const cases: readonly LimitCase[] = [
  {
    part: "runs at a time",
    limits: { maxRuns: 5 },
    // They all last longer than it takes to ask the others.
    plan: (name) => planCall(name, "read_slow", 8_000),
    count: countIn,
    allowed: 5,
  },
  { part: "runs a minute", limits: { runsPerMinute: 7 }, plan: idle, count: countIn, allowed: 7 },
  {
    part: "tokens a day",
    limits: { tokensPerDay: (allowedTurns - 0.5) * turnTokens },
    plan: idle,
    count: (_, { model }) => model.turns,
    allowed: allowedTurns,
  },
  {
    part: "cost a day",
    limits: { costPerDay: ((allowedTurns - 0.5) * turnTokens) / 1_000_000 },
    plan: idle,
    count: (_, { model }) => model.turns,
    allowed: allowedTurns,
  },
];

export async function* askAgainstLimits({
  server,
  chance,
  scale,
}: FaultInput): AsyncGenerator<{ part: string; evidence: Evidence }> {
  for (const { part, limits, plan, count, allowed } of cases) {
    const lab = await openLab({ server, chance, times: scale.model, limits });
    try {
      const answers = await Promise.all(
        Array.from({ length: questions }, (_, index) => askOnce(lab, plan(`q${index}`), index)),
      );
      lab.expected.push({
        what: `${part}: let in of ${questions}`,
        is: count(answers, lab),
        wanted: { exactly: allowed },
      });
      const others = answers.filter(({ status, outcome }) => status !== 429 && outcome === undefined);
      lab.expected.push({ what: `${part}: answers that are neither`, is: others.length, wanted: { exactly: 0 } });
      if (allowed === allowedTurns)
        lab.expected.push({
          what: `${part}: answers for more than was let in`,
          is: Math.max(0, countIn(answers) - allowed / turnsOfRun),
          wanted: { most: 0 },
        });
      yield { part, evidence: await lab.collect() };
    } finally {
      await lab.close();
    }
  }
}

/** Waits for the answer in one response, and asks no second time. */
async function askOnce({ replicas }: Lab, plan: RunPlan, index: number): Promise<Answer> {
  const origin = replicas[index % replicas.length]?.origin;
  const response = await fetch(`${origin}/agent/chat`, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify({ message: toQuestion(plan) }),
    signal: AbortSignal.timeout(60_000),
  });
  const body: unknown = await response.json();
  const hasOutcome = typeof body === "object" && body !== null && "run_id" in body && "status" in body;
  return { status: response.status, outcome: hasOutcome ? String(body.status) : undefined };
}
