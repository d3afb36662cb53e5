import type { Feedback } from "../feedback.ts";

/** Is the branch with which every conversation begins. */
export const firstBranch = 1;

/** Names a turn by its number in the conversation. Numbers only grow, so a turn has a higher one than the turn before it. */
export interface TurnNode {
  n: number;
  /** Is the turn that it follows, and 0 for a first one. Two turns with the same one stand on different branches. */
  parent: number;
  question: string;
  /** Is the run that answered it. It is absent where the store does not know it. */
  runId?: string | undefined;
  /** Is what a person thinks of the answer. */
  feedback?: Feedback | undefined;
}

/** Holds the last turn of a branch: 0 where the branch has none yet. */
export interface BranchTip {
  branch: number;
  tip: number;
}

/** Holds all turns of a conversation. Its branches lead from a last turn back to a first one. */
export interface TurnTree {
  /** Lists the turns by their numbers. */
  turns: readonly TurnNode[];
  branches: readonly BranchTip[];
  /** Is the branch that was begun or continued last. Who names none goes on with it. */
  current: number;
}

export interface ForkOptions {
  branch?: number | undefined;
  /** Is the folder of the new conversation. */
  folder?: string | undefined;
}

/**
 * Keeps what was said before a person went back to an earlier question. Each reader of a conversation names the branch it is on, so
 * that two of them can go separate ways, or share one.
 */
export interface ConversationBranches {
  /** Returns undefined when the owner has no such conversation. */
  read(id: string): Promise<TurnTree | undefined>;
  /**
   * Begins a branch behind this turn, or before the first one with 0, and makes it the current one. Returns its number, and
   * undefined when there is no such turn.
   */
  begin(id: string, after: number): Promise<number | undefined>;
  /** Makes a branch the current one; false when there is no such branch. */
  select(id: string, branch: number): Promise<boolean>;
  /**
   * Begins a conversation with the turns of a branch, its summary, sources and results. Returns its ID, and undefined when there is
   * none to copy.
   */
  fork(id: string, options?: ForkOptions): Promise<string | undefined>;
}

/** Lists the numbers of the turns that lead to `tip`, the first one first. `parentOf` returns 0 for a first turn. */
export function listPath(tip: number, parentOf: (n: number) => number): number[] {
  const path: number[] = [];
  for (let n = tip; n > 0; n = parentOf(n)) path.unshift(n);
  return path;
}

/** Lists the turns of a branch, the first one first; of the current branch when none is named. */
export function listBranchTurns({ turns, branches, current }: TurnTree, branch = current): TurnNode[] {
  const byNumber = new Map(turns.map((turn) => [turn.n, turn]));
  const tip = branches.find((each) => each.branch === branch)?.tip ?? 0;
  const path = listPath(tip, (n) => byNumber.get(n)?.parent ?? 0);
  return path.flatMap((n) => byNumber.get(n) ?? []);
}

/** Returns the branch that ends with a turn: the current one before others. Undefined where none does. */
export function findBranchAt(
  { branches, current }: Pick<TurnTree, "branches" | "current">,
  tip: number,
): number | undefined {
  const ends = branches.filter((each) => each.tip === tip).map(({ branch }) => branch);
  return ends.includes(current) ? current : ends[0];
}

/** Describes a summary with the last turn that there was when it was made. */
export interface MadeSummary {
  tip: number;
  /** Is true where somebody asked for it; else the question behind `tip` made it necessary. */
  isWanted: boolean;
}

/**
 * Returns the last of these summaries, in the order in which they were made, that holds for a branch: it stands for turns of this
 * branch alone, and was made before the question that comes next.
 */
export function findBranchSummary<S extends MadeSummary>(made: readonly S[], path: readonly number[]): S | undefined {
  const isBehind = ({ tip, isWanted }: S): boolean => path.includes(tip) && (isWanted || tip !== path.at(-1));
  return made.findLast(isBehind);
}
