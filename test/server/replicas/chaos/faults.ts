import { setTimeout as pause } from "node:timers/promises";
import type { TestPostgres } from "../../../fakes/postgres.ts";
import type { Chance } from "./chance.ts";
import type { Evidence } from "./evidence.ts";
import { type Lab, openLab } from "./lab.ts";
import { askAgainstLimits } from "./limit-faults.ts";
import type { ModelTimes } from "./model.ts";
import { loseDatabase } from "./outage-faults.ts";
import { type CallTimes, planRun, type RunPlan } from "./plan.ts";
import { answerElsewhere } from "./question-fault.ts";
import type { Replica } from "./replica.ts";

/** How much is done. */
export interface Scale {
  runs: number;
  kills: number;
  /** Is the time between two questions, in milliseconds. */
  everyMs: number;
  /** Limits the questions under way. */
  most: number;
  calls: CallTimes;
  model: ModelTimes;
  /** Never kills the replica that has run for the longest time, so that somebody may always take over. */
  spares: boolean;
  /** Is how long a replica stands still or is cut off, in milliseconds. */
  awayMs: number;
}

export const fullScale: Scale = {
  ...{ runs: 5000, kills: 300, everyMs: 20, most: 40, spares: false, awayMs: 15_000 },
  calls: { quick: [0, 30], slow: [300, 1500] },
  model: { thinks: 20, piece: 15 },
};

/** As much as a test run has time for. */
export const smallScale: Scale = {
  ...{ runs: 80, kills: 8, everyMs: 20, most: 80, spares: true, awayMs: 6_000 },
  calls: { quick: [0, 30], slow: [200, 600] },
  model: { thinks: 5, piece: 5 },
};

export interface FaultInput {
  server: Pick<TestPostgres, "createDatabase"> & Partial<Pick<TestPostgres, "kill" | "start">>;
  chance: Chance;
  scale: Scale;
}

export interface Fault {
  says: string;
  /** Ends the database, so that it has to be one of its own. */
  endsDatabase?: true;
  /** Each piece of evidence is judged by itself. */
  run(input: FaultInput): AsyncGenerator<{ part: string; evidence: Evidence }>;
}

export const faults: Readonly<Record<string, Fault>> = {
  kill: { says: "kill -9 at random moments", run: (input) => once(input, {}, killFromTimeToTime) },
  stop: { says: "SIGSTOP, then SIGCONT", run: (input) => once(input, {}, standStill) },
  cut: {
    says: "nothing arrives between a replica and PostgreSQL",
    run: (input) => once(input, { hasProxies: true }, cutOff),
  },
  database: { says: "PostgreSQL is killed and started again", endsDatabase: true, run: loseDatabase },
  limits: { says: "60 questions at once against each limit", run: askAgainstLimits },
  clocks: {
    says: "clocks that differ by an hour, with kills",
    run: (input) => once(withFewer(input), { clocks: [3_600_000, -3_600_000, 0] }, killFromTimeToTime),
  },
  sigterm: { says: "SIGTERM in mid-call", run: (input) => once(input, {}, endOneByOne, { unknown: true }) },
  question: { says: "a question is answered on another replica than asked", run: answerElsewhere },
};

/** Other faults than kills need fewer runs: each is lost and found as often as the fault strikes. */
const withFewer = (input: FaultInput): FaultInput => ({
  ...input,
  scale: { ...input.scale, runs: Math.min(input.scale.runs, 300), kills: Math.min(input.scale.kills, 12) },
});

async function* once(
  input: FaultInput,
  more: { hasProxies?: boolean; clocks?: number[] },
  work: (lab: Lab, input: FaultInput) => Promise<void>,
  forbids: Partial<Evidence["forbids"]> = {},
): AsyncGenerator<{ part: string; evidence: Evidence }> {
  const { server, chance, scale } = input;
  const lab = await openLab({ server, chance, times: scale.model, ...more });
  try {
    await work(lab, input);
    yield { part: "", evidence: await lab.collect(forbids) };
  } finally {
    await lab.close();
  }
}

export function planRuns({ chance, scale }: FaultInput, count: number): RunPlan[] {
  return Array.from({ length: count }, (_, index) => planRun(`r${index}`, chance.of(`plan ${index}`), scale.calls));
}

/** Leaves the last calls alone, so that each kill has some behind it. */
const killedShare = 0.85;

/** When a replica is killed follows from the seed: once clients have seen so many calls begin, and some milliseconds later. */
async function killFromTimeToTime(lab: Lab, input: FaultInput): Promise<void> {
  const { chance, scale } = input;
  const { everyMs, most, kills, runs } = scale;
  const plans = planRuns(input, runs);
  const calls = plans.flatMap(({ rounds }) => rounds.flat()).length;
  const draws = chance.of("kills");
  const due = Array.from({ length: kills }, () => draws.between(1, Math.ceil(killedShare * calls)));
  due.sort((one, other) => one - other);
  const killing: Promise<void>[] = [];
  let begun = 0;
  const onEvent = (type: string): void => {
    begun += Number(type === "tool-start");
    while (due[0] !== undefined && due[0] <= begun) {
      due.shift();
      const delayMs = draws.between(0, 100);
      killing.push(pause(delayMs).then(() => killOne(lab, draws, scale.spares)));
    }
  };
  await lab.askAll(plans, { everyMs, most }, { onEvent });
  await Promise.all(killing);
  lab.expected.push({ what: "kills", is: killing.length, wanted: { exactly: kills } });
}

async function killOne({ replicas }: Lab, draws: Chance, spares: boolean): Promise<void> {
  for (;;) {
    const living = replicas.filter(({ origin }) => origin !== undefined);
    const [oldest] = living.toSorted((one, other) => one.life.startedAt - other.life.startedAt);
    const [first, ...others] = living.filter((replica) => !spares || replica !== oldest);
    if (first !== undefined) {
      const victim = draws.pick([first, ...others]);
      await victim.kill();
      return victim.start();
    }
    await pause(20);
  }
}

/** Lets each replica stand still in its turn, while questions are asked all the time. */
async function standStill(lab: Lab, input: FaultInput): Promise<void> {
  await disturbEach(lab, input, async (replica) => {
    replica.stop();
    await pause(input.scale.awayMs);
    replica.goOn();
  });
}

async function cutOff(lab: Lab, input: FaultInput): Promise<void> {
  await disturbEach(lab, input, async (replica, index) => {
    const { life } = replica;
    const away: { from: number; until?: number } = { from: Date.now() };
    life.away.push(away);
    lab.proxies[index]?.cut();
    await pause(input.scale.awayMs);
    lab.proxies[index]?.heal();
    away.until = Date.now();
  });
}

async function endOneByOne(lab: Lab, input: FaultInput): Promise<void> {
  await disturbEach(lab, input, async (replica) => {
    const code = await replica.end(30_000);
    lab.expected.push({ what: "exit code of a replica that was asked to end", is: code ?? -1, wanted: { exactly: 0 } });
    await replica.start();
  });
}

/** Is the pause between two disturbances, in milliseconds: long enough for the others to know who lives. */
const calmMs = 7_000;

/** Calls long enough that many are under way whenever something happens. */
const longCalls: CallTimes = { quick: [0, 100], slow: [500, 1500] };

/** Does something to each replica in its turn, while questions come all the time. */
async function disturbEach(
  lab: Lab,
  input: FaultInput,
  disturb: (replica: Replica, index: number) => Promise<void>,
): Promise<void> {
  const { everyMs } = input.scale;
  const state = { isOver: false };
  const disturbing = (async () => {
    await pause(calmMs);
    for (const [index, replica] of lab.replicas.entries()) {
      await disturb(replica, index);
      await pause(calmMs);
    }
  })().finally(() => {
    state.isOver = true;
  });
  const asking: Promise<unknown>[] = [];
  const most = Math.min(input.scale.most, 15);
  for (let from = 0; !state.isOver; from += most) {
    const plans = Array.from({ length: most }, (_, index) =>
      planRun(`r${from + index}`, input.chance.of(`plan ${from + index}`), longCalls, [2, 4]),
    );
    asking.push(lab.askAll(plans, { everyMs: 10 * everyMs, most }));
    await Promise.race([pause(10 * everyMs * most), disturbing]);
  }
  await disturbing;
  await Promise.all(asking);
}
