import {
  type BranchTip,
  findBranchAt,
  findBranchSummary,
  firstBranch,
  listPath,
  type MadeSummary,
  type TurnTree,
} from "../../core/store/conversations/branches.ts";
import type { ConversationTurn, Summary } from "../../core/store/conversations/conversation.ts";
import type { SearchedTurn } from "../../core/store/conversations/text-search.ts";
import type { Mutable } from "../../kit/mutable.ts";

/** Holds the turns of one conversation with their branches and summaries. */
export interface MemoryTurns {
  /** Counts the turns of all branches. */
  readonly count: number;
  /** Returns the turns of a branch, or of the current one where there is none of that number; with `after`, those up to that turn. */
  read(branch?: number, after?: number): BranchTurns;
  /** Adds a turn behind the last one of a branch, or behind the turn `after`. */
  add(turn: ConversationTurn, runId: string, branch: number | undefined, after?: number): void;
  summarise(summary: Summary, branch: number | undefined, after?: number): void;
  /** Lists the turns of all branches. */
  list(): SearchedTurn[];
  /** Makes a branch the current one; false when there is none of that number. */
  select(branch: number): boolean;
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

  /** Returns the place behind the turn `after`, which may be no branch yet: its number is 0 then. */
  function findPlace(branch: number | undefined, after: number | undefined): BranchTip {
    if (after === undefined || (after > 0 && stored[after - 1] === undefined)) return find(branch);
    return { branch: findBranchAt({ branches: tips, current }, after) ?? 0, tip: after };
  }

  /** With one line of turns, the newest summary holds; else the last one that was made on this branch. */
  function findSummary(path: readonly number[]): Summary | undefined {
    return tips.length === 1 ? summaries.at(-1)?.summary : findBranchSummary(summaries, path)?.summary;
  }

  function begin(after: number): BranchTip {
    const branch = { branch: tips.length + 1, tip: after };
    current = branch.branch;
    tips.push(branch);
    return branch;
  }

  function read(wanted?: number, after?: number): BranchTurns {
    const { branch, tip } = findPlace(wanted, after);
    const path = listPath(tip, getParent);
    return { branch, turns: path.flatMap((n) => stored[n - 1]?.turn ?? []), summary: findSummary(path) };
  }

  const list: Mutable<MemoryTurns> = {
    count: 0,
    read,
    add(turn, runId, wanted, after) {
      const found = findPlace(wanted, after);
      const place = tips.find(({ branch }) => branch === found.branch) ?? begin(found.tip);
      stored.push({ parent: place.tip, turn, runId });
      place.tip = stored.length;
      list.count = stored.length;
      current = place.branch;
    },
    list: () => stored.map(({ turn: { question, answer } }, index) => ({ n: index + 1, question, answer })),
    select(branch) {
      if (!tips.some((each) => each.branch === branch)) return false;
      current = branch;
      return true;
    },
    summarise(summary, wanted, after) {
      const { turns, summary: before } = read(wanted, after);
      const known = before?.turns ?? 0;
      if (summary.turns > turns.length || summary.turns < known) return;
      if (summary.turns === known && !summary.isWanted) return;
      // In a conversation with one line of turns, what was once wanted stays so.
      const isWanted = summary.isWanted || (tips.length === 1 && before?.isWanted === true);
      const kept = isWanted ? { ...summary, isWanted } : summary;
      summaries.push({ tip: findPlace(wanted, after).tip, isWanted: summary.isWanted === true, summary: kept });
    },
    tree: () => ({
      turns: stored.map(({ parent, turn: { question }, runId }, index) => ({ n: index + 1, parent, question, runId })),
      branches: tips.map((each) => ({ ...each })),
      current,
    }),
    begin(after) {
      if (after !== 0 && stored[after - 1] === undefined) return undefined;
      return begin(after).branch;
    },
  };
  return list;
}
