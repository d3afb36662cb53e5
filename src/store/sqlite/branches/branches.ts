import { findBranchAt, findBranchSummary, firstBranch, listPath } from "../../../core/store/branches.ts";
import type { Summary } from "../../../core/store/store.ts";
import { toText } from "../../../kit/json.ts";
import type { Owner, Statements } from "../statements.ts";

/** Returns the branch that a row names. A conversation with one line of turns names none. */
export function toBranch(value: unknown): number {
  return typeof value === "number" ? value : firstBranch;
}

export interface Place {
  branch: number;
  tip: number;
}

/**
 * Returns a branch, or the current one where there is none of that number. Undefined for a conversation with one line of turns. The
 * conversation is the row that was found by its owner.
 */
export function findBranch(
  { branches }: Statements,
  { id, row, branch }: { id: string; row: Record<string, unknown>; branch: number | undefined },
): Place | undefined {
  const all = branches.all(id).map((each) => ({ branch: Number(each.branch), tip: Number(each.tip) }));
  const find = (wanted: number): Place | undefined => all.find((each) => each.branch === wanted);
  return find(branch ?? toBranch(row.branch)) ?? find(toBranch(row.branch));
}

interface WantedPlace {
  id: string;
  row: Record<string, unknown>;
  branch: number | undefined;
  after: number | undefined;
}

/** Is the number of a branch that does not exist yet. */
export const newBranch = 0;

/**
 * Returns the place behind the turn `after`: a branch that ends with it, or a new one. Without that turn it is the end of a branch, as
 * `findBranch` returns it.
 */
export function findPlace(statements: Statements, { id, row, branch, after }: WantedPlace): Place | undefined {
  if (after === undefined || (after > 0 && statements.turn.get(id, after) === undefined))
    return findBranch(statements, { id, row, branch });
  const branches = statements.branches.all(id).map((each) => ({ branch: Number(each.branch), tip: Number(each.tip) }));
  if (branches.length === 0 && after === Number(row.turns)) return undefined;
  return { branch: findBranchAt({ branches, current: toBranch(row.branch) }, after) ?? newBranch, tip: after };
}

/** Begins a branch behind a turn, makes it the current one, and returns its number. `last` is the number of the last turn of all. */
export function insertBranch(
  statements: Statements,
  id: string,
  { after, last }: { after: number; last: number },
): number {
  if (statements.branches.all(id).length === 0)
    statements.addBranch.run(id, firstBranch, last, listTurnPath(statements, id, last).length);
  const branch = Number(statements.branches.all(id).at(-1)?.branch) + 1;
  statements.addBranch.run(id, branch, after, listTurnPath(statements, id, after).length);
  statements.setBranch.run(branch, id);
  return branch;
}

/** Lists the numbers of the turns that lead to `tip`, the first one first. */
export function listTurnPath({ turnParents }: Statements, id: string, tip: number): number[] {
  const parents = new Map(turnParents.all(id).map(({ n, parent }) => [Number(n), Number(parent)]));
  return listPath(tip, (n) => parents.get(n) ?? 0);
}

/**
 * Adds the turn `n` to a branch, makes that the current one, and returns the turn that it follows: null in a conversation with one line
 * of turns. Must run inside a transaction.
 */
export function extendBranch(statements: Statements, id: string, place: Place | undefined, n: number): number | null {
  if (place === undefined) return null;
  statements.extendBranch.run({ id, branch: place.branch, tip: n });
  statements.setBranch.run(place.branch, id);
  return place.tip;
}

/** Returns a summary as its row holds it. */
export function toStoredSummary({ text, turns, wanted, facts }: Record<string, unknown>): Summary {
  const lines = toText(facts).split("\n").filter(Boolean);
  return {
    text: toText(text),
    turns: Number(turns),
    ...(wanted ? { isWanted: true } : {}),
    ...(lines.length > 0 && { facts: lines }),
  };
}

/** Returns the summary that holds for a branch with these turns. */
export function loadBranchSummary(statements: Statements, id: string, turns: readonly number[]): Summary | undefined {
  const made = statements.madeSummaries.all(id).map((row) => {
    return { tip: Number(row.tip), isWanted: row.wanted === 1, summary: toStoredSummary(row) };
  });
  const found = findBranchSummary(made, turns)?.summary;
  if (found || made.length > 0) return found;
  // Before summaries were listed, a conversation had one line of turns: it holds for whoever has all its turns.
  const line = statements.lineSummary.get(id);
  return line && turns.includes(Number(line.turns)) ? toStoredSummary(line) : undefined;
}

export interface StoredSummary {
  id: string;
  owner: Owner;
  text: string;
  facts: string | null;
  turns: number;
  isWanted: boolean;
  branch: number | undefined;
  after: number | undefined;
}

/** Stores a summary for the branch it was made of. Must run inside a transaction. */
export function insertSummary(statements: Statements, { branch, after, isWanted, ...made }: StoredSummary): void {
  const { id, owner, text, facts, turns } = made;
  const row = statements.conversation.get({ id, owner });
  if (row === undefined) return;
  const place = findPlace(statements, { id, row, branch, after });
  const wanted = Number(isWanted);
  if (place === undefined) {
    const { changes } = statements.summarise.run({ ...made, wanted });
    if (changes === 0) return;
    if (isWanted) statements.wantSummary.run(id);
    statements.addMadeSummary.run({ id, text, facts, turns, wanted, tip: Number(row.turns) });
    return;
  }
  const steps = listTurnPath(statements, id, place.tip);
  const known = loadBranchSummary(statements, id, steps)?.turns ?? 0;
  if (turns > steps.length || turns < known || (turns === known && !isWanted)) return;
  statements.addMadeSummary.run({ id, text, facts, turns, wanted, tip: place.tip });
}
