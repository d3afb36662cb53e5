import { findBranchAt, findBranchSummary, firstBranch, listPath } from "../../../core/store/conversations/branches.ts";
import type { Summary } from "../../../core/store/conversations/conversation.ts";
import { toText } from "../../../kit/json.ts";
import { statements } from "../statements/statements.ts";
import type { Row, Work } from "../work.ts";
import type { Owner } from "./update-conversation.ts";

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
export function* findBranch({ id, row, branch }: Omit<WantedPlace, "after">): Work<Place | undefined> {
  const all = yield* listBranches(id);
  const find = (wanted: number): Place | undefined => all.find((each) => each.branch === wanted);
  return find(branch ?? toBranch(row.branch)) ?? find(toBranch(row.branch));
}

function* listBranches(id: string): Work<Place[]> {
  const rows = yield* statements.branches.all({ id });
  return rows.map(({ branch, tip }) => ({ branch: Number(branch), tip: Number(tip) }));
}

interface WantedPlace {
  id: string;
  row: Row;
  branch: number | undefined;
  after: number | undefined;
}

/** Is the number of a branch that does not exist yet. */
export const newBranch = 0;

/**
 * Returns the place behind the turn `after`: a branch that ends with it, or a new one. Without that turn it is the end of a branch, as
 * `findBranch` returns it.
 */
export function* findPlace({ id, row, branch, after }: WantedPlace): Work<Place | undefined> {
  const isThere = after === 0 || (after !== undefined && (yield* statements.turn.get({ id, n: after })) !== undefined);
  if (after === undefined || !isThere) return yield* findBranch({ id, row, branch });
  const branches = yield* listBranches(id);
  if (branches.length === 0 && after === Number(row.turns)) return undefined;
  return { branch: findBranchAt({ branches, current: toBranch(row.branch) }, after) ?? newBranch, tip: after };
}

/** Begins a branch behind a turn, makes it the current one, and returns its number. `last` is the number of the last turn of all. */
export function* insertBranch(id: string, { after, last }: { after: number; last: number }): Work<number> {
  const there = yield* listBranches(id);
  if (there.length === 0) yield* addBranch(id, { branch: firstBranch, tip: last });
  const branch = (there.at(-1)?.branch ?? firstBranch) + 1;
  yield* addBranch(id, { branch, tip: after });
  yield* statements.setBranch.run({ id, branch });
  return branch;
}

function* addBranch(id: string, place: Place): Work<void> {
  const path = yield* listTurnPath(id, place.tip);
  yield* statements.addBranch.run({ id, ...place, turns: path.length });
}

/** Lists the numbers of the turns that lead to `tip`, the first one first. */
export function* listTurnPath(id: string, tip: number): Work<number[]> {
  const rows = yield* statements.turnParents.all({ id });
  const parents = new Map(rows.map(({ n, parent }) => [Number(n), Number(parent)]));
  return listPath(tip, (n) => parents.get(n) ?? 0);
}

/**
 * Adds the turn `n` to a branch, makes that the current one, and returns the turn that it follows: null in a conversation with one line
 * of turns.
 */
export function* extendBranch(id: string, place: Place | undefined, n: number): Work<number | null> {
  if (place === undefined) return null;
  yield* statements.extendBranch.run({ id, branch: place.branch, tip: n });
  yield* statements.setBranch.run({ id, branch: place.branch });
  return place.tip;
}

/** Returns a summary as its row holds it. */
export function toStoredSummary({ text, turns, wanted, facts }: Row): Summary {
  const lines = toText(facts).split("\n").filter(Boolean);
  return {
    text: toText(text),
    turns: Number(turns),
    ...(wanted ? { isWanted: true } : {}),
    ...(lines.length > 0 && { facts: lines }),
  };
}

/** Returns the summary that holds for a branch with these turns. */
export function* loadBranchSummary(id: string, turns: readonly number[]): Work<Summary | undefined> {
  const made = (yield* statements.madeSummaries.all({ id })).map((row) => {
    return { tip: Number(row.tip), isWanted: row.wanted === 1, summary: toStoredSummary(row) };
  });
  const found = findBranchSummary(made, turns)?.summary;
  if (found || made.length > 0) return found;
  // Before summaries were listed, a conversation had one line of turns: it holds for whoever has all its turns.
  const line = yield* statements.lineSummary.get({ id });
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

/** Stores a summary for the branch it was made of. */
export function* insertSummary({ branch, after, isWanted, ...made }: StoredSummary): Work<void> {
  const { id, owner, text, facts, turns } = made;
  const row = yield* statements.conversation.get({ id, owner });
  if (row === undefined) return;
  const place = yield* findPlace({ id, row, branch, after });
  const wanted = Number(isWanted);
  if (place === undefined) {
    const changes = yield* statements.summarise.run({ id, owner, text, facts, turns, wanted });
    if (changes === 0) return;
    if (isWanted) yield* statements.wantSummary.run({ id });
    yield* statements.addMadeSummary.run({ id, text, facts, turns, wanted, tip: Number(row.turns) });
    return;
  }
  const steps = yield* listTurnPath(id, place.tip);
  const known = (yield* loadBranchSummary(id, steps))?.turns ?? 0;
  if (turns > steps.length || turns < known || (turns === known && !isWanted)) return;
  yield* statements.addMadeSummary.run({ id, text, facts, turns, wanted, tip: place.tip });
}
