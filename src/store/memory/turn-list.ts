import {
  type BranchTip,
  findBranchSummary,
  firstBranch,
  listPath,
  type MadeSummary,
  type TurnTree,
} from "../../core/store/branches.ts";
import type { ConversationTurn, Summary } from "../../core/store/store.ts";

/** Holds the turns of one conversation with their branches and summaries. */
export interface MemoryTurns {
  /** Counts the turns of all branches. */
  readonly count: number;
  /** Returns the turns of a branch, or of the current one where there is none of that number. */
  read(branch?: number): BranchTurns;
  add(turn: ConversationTurn, runId: string, branch: number | undefined): void;
  summarise(summary: Summary, branch: number | undefined): void;
  tree(): TurnTree;
  begin(after: number): number | undefined;
}

export interface BranchTurns {
  branch: number;
  turns: readonly ConversationTurn[];
  summary: Summary | undefined;
}

interface StoredTurn {
  parent: number;
  turn: ConversationTurn;
  runId: string;
}

export function createMemoryTurns(): MemoryTurns {
  const stored: StoredTurn[] = [];
  const tips: BranchTip[] = [{ branch: firstBranch, tip: 0 }];
  const summaries: (MadeSummary & { summary: Summary })[] = [];
  let current = firstBranch;

  const getParent = (n: number): number => stored[n - 1]?.parent ?? 0;
  const find = (branch = current): BranchTip => tips.find((each) => each.branch === branch) ?? find(current);

  /** With one line of turns, the newest summary holds; else the last one that was made on this branch. */
  function findSummary(path: readonly number[]): Summary | undefined {
    return tips.length === 1 ? summaries.at(-1)?.summary : findBranchSummary(summaries, path)?.summary;
  }

  function read(wanted?: number): BranchTurns {
    const { branch, tip } = find(wanted);
    const path = listPath(tip, getParent);
    return { branch, turns: path.flatMap((n) => stored[n - 1]?.turn ?? []), summary: findSummary(path) };
  }

  return {
    get count() {
      return stored.length;
    },
    read,
    add(turn, runId, wanted) {
      const place = find(wanted);
      stored.push({ parent: place.tip, turn, runId });
      place.tip = stored.length;
      current = place.branch;
    },
    summarise(summary, wanted) {
      const { turns, summary: before } = read(wanted);
      const known = before?.turns ?? 0;
      if (summary.turns > turns.length || summary.turns < known) return;
      if (summary.turns === known && !summary.isWanted) return;
      // In a conversation with one line of turns, what was once wanted stays so.
      const isWanted = summary.isWanted || (tips.length === 1 && before?.isWanted === true);
      const kept = isWanted ? { ...summary, isWanted } : summary;
      summaries.push({ tip: find(wanted).tip, isWanted: summary.isWanted === true, summary: kept });
    },
    tree: () => ({
      turns: stored.map(({ parent, turn: { question }, runId }, index) => ({ n: index + 1, parent, question, runId })),
      branches: tips.map((each) => ({ ...each })),
      current,
    }),
    begin(after) {
      if (after !== 0 && stored[after - 1] === undefined) return undefined;
      current = tips.length + 1;
      tips.push({ branch: current, tip: after });
      return current;
    },
  };
}
