import type { Conversation } from "../api/conversation.ts";
import { type ChatState, findActiveTurn, type TalkTree, type Turn } from "./chat-state.ts";
import { toTree } from "./to-turns.ts";

/** Holds the other versions of a question, or the other answers to it, by the numbers of their turns. */
export interface Versions {
  readonly all: readonly number[];
  /** Is the place of the shown one in `all`. */
  readonly at: number;
}

type Place = NonNullable<Turn["node"]>;

/** Lists the questions that were asked in the place of this one: each other wording once, by its newest answer. */
export function listEdits({ nodes }: TalkTree, { n, parent }: Place): Versions {
  const siblings = nodes.filter((node) => node.parent === parent);
  const own = siblings.find((node) => node.n === n)?.question;
  const questions = [...new Set(siblings.map(({ question }) => question))];
  const all = questions.map((question) =>
    question === own ? n : Math.max(...siblings.filter((node) => node.question === question).map((node) => node.n)),
  );
  return { all, at: all.indexOf(n) };
}

/** Lists the answers that the same question has in this place. */
export function listAnswers({ nodes }: TalkTree, { n, parent }: Place): Versions {
  const siblings = nodes.filter((node) => node.parent === parent);
  const own = siblings.find((node) => node.n === n)?.question;
  const all = siblings.filter(({ question }) => question === own).map((node) => node.n);
  return { all, at: all.indexOf(n) };
}

/** Returns the branch that has the turn and was written to last. */
export function findBranch({ nodes, branches }: TalkTree, n: number): number | undefined {
  const parents = new Map(nodes.map((node) => [node.n, node.parent]));
  const hasTurn = (tip: number): boolean => {
    for (let at: number | undefined = tip; at !== undefined && at > 0; at = parents.get(at)) if (at === n) return true;
    return false;
  };
  const own = branches.filter(({ tip }) => hasTurn(tip));
  return own.toSorted((one, other) => other.tip - one.tip)[0]?.branch;
}

/**
 * Returns the number of the turn that the next question follows: the last one in sight that has an answer, and 0 where none has
 * one but other branches do. It is undefined where the server has not said the number yet, and appends to the newest branch then.
 */
export function findParent({ items, turns, tree }: Pick<ChatState, "items" | "turns" | "tree">): number | undefined {
  const last = items.findLast(({ kind, key }) => kind === "turn" && !isUnanswered(turns[key]));
  if (last !== undefined) return turns[last.key]?.node?.n;
  // A conversation without any answer is not kept yet, and has no turns that could be named.
  return items.length > 0 && tree.nodes.length > 0 ? 0 : undefined;
}

/** Leaves what stands in the conversation from this turn on. */
export function cutAt<Chat extends Pick<ChatState, "items">>(chat: Chat, key: string | undefined): Chat {
  const at = chat.items.findIndex((item) => item.key === key);
  return at < 0 ? chat : { ...chat, items: chat.items.slice(0, at) };
}

/** Returns the number of the turn that a question follows which is asked in the place of this one. */
export function findParentOf(
  chat: Pick<ChatState, "items" | "turns" | "tree">,
  { key, node }: Turn,
): number | undefined {
  if (node !== undefined) return node.parent;
  const cut = cutAt(chat, key);
  if (cut.items.some((item) => item.kind === "turn" && !isUnanswered(cut.turns[item.key]))) return findParent(cut);
  return chat.tree.nodes.length > 0 ? 0 : undefined;
}

/** Returns true where it is known what a question in the place of this one follows. */
export function isPlaced(turn: Turn): boolean {
  return turn.node !== undefined || isUnanswered(turn);
}

function isUnanswered(turn: Turn | undefined): boolean {
  if (turn === undefined) return true;
  const { outcome, plain } = turn.run;
  const status = outcome?.status ?? plain?.status ?? (plain?.isFailed ? "failed" : undefined);
  return turn.node === undefined && (status === "failed" || status === "cancelled");
}

/** Takes over what the server says of the places of the turns in sight. */
export function placeTurns(chat: ChatState, conversation: Conversation): ChatState {
  const tree = toTree(conversation);
  const byRun = new Map(tree.nodes.map((node) => [node.runId, node]));
  const turns = Object.entries(chat.turns).map(([key, turn]) => {
    const node = byRun.get(turn.run.runId ?? "");
    return [key, node === undefined || turn.node?.n === node.n ? turn : { ...turn, node }] as const;
  });
  return { ...chat, tree, turns: Object.fromEntries(turns) };
}

/**
 * Lists the turns of a branch that come after what is in sight. There are none where another branch is in sight, or where a
 * question of this page is being answered: what was asked elsewhere meanwhile is on a branch of its own.
 */
export function listNextTurns(chat: ChatState, branch: readonly Turn[]): readonly Turn[] {
  if (findActiveTurn(chat) !== undefined) return [];
  const tip = findParent(chat);
  if (tip === undefined) return chat.items.some(({ kind }) => kind === "turn") ? [] : branch;
  const at = branch.findIndex(({ node }) => node?.n === tip);
  return at < 0 ? [] : branch.slice(at + 1);
}
