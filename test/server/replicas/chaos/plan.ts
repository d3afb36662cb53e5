import type { Chance } from "./chance.ts";

/** What the tools of the server can do. Only a call of the first two may be made again. */
export const callKinds = ["read", "put", "pay", "wipe"] as const;
export type CallKind = (typeof callKinds)[number];

const speeds = ["quick", "slow"] as const;
export const isUnsafe = (tool: string): boolean => /^(?:pay|wipe)/.test(tool);

/** Names one call for good, whichever process makes it. */
export interface PlannedCall {
  call: string;
  /** As the server names it: `read_slow`. */
  tool: string;
  ms: number;
}

export interface RunPlan {
  name: string;
  /** The calls of one round are made side by side. */
  rounds: PlannedCall[][];
}

/** How long calls take at least and at most, in milliseconds. */
export type CallTimes = Record<(typeof speeds)[number], readonly [number, number]>;

export function planRun(
  name: string,
  chance: Chance,
  times: CallTimes,
  rounds: readonly [number, number] = [1, 2],
): RunPlan {
  let made = 0;
  const planCall = (): PlannedCall => {
    const speed = chance.pick(speeds);
    const tool = `${chance.pick(["read", "put", "pay", "pay"])}_${speed}`;
    return { call: `${name}.${made++}`, tool, ms: chance.between(...times[speed]) };
  };
  const planRound = () => Array.from({ length: chance.between(1, 3) }, planCall);
  return { name, rounds: Array.from({ length: chance.between(...rounds) }, planRound) };
}

/** One run that makes one call. */
export function planCall(name: string, tool: string, ms: number): RunPlan {
  return { name, rounds: [[{ call: `${name}.0`, tool, ms }]] };
}

/** The question tells the model what to call, so that the model has to know nothing else. */
export function toQuestion({ name, rounds }: RunPlan): string {
  const words = rounds.map((round) => round.map(({ call, tool, ms }) => `${tool}(${call},${ms})`).join("+"));
  return `Do the work ${name}: <${words.join("|")}>`;
}

export function readQuestion(text: string): RunPlan | undefined {
  const [, name, words] = /Do the work (\S+): <([^>]*)>/.exec(text) ?? [];
  if (name === undefined || words === undefined) return undefined;
  const rounds = words.split("|").map((round) =>
    [...round.matchAll(/(\w+)\(([^,]+),(\d+)\)/g)].map(([, tool = "", call = "", ms]) => ({
      tool,
      call,
      ms: Number(ms),
    })),
  );
  return { name, rounds: rounds.filter(({ length }) => length > 0) };
}

export function toAnswer(name: string): string {
  return `All that ${name} had to do is done or told.`;
}
