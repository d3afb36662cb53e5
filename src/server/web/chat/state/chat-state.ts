import type { Mode } from "../../../../core/run/outcome.ts";
import type { Text } from "../../../../kit/locale.ts";
import { createPageRunState, type PageRunState, type RunChange, reducePageRun } from "../../run/page-run-state.ts";
import type { Account } from "../api/account.ts";
import type { AttachedFile, QuestionRequest } from "../api/api.ts";
import type { Branch, ConversationEntry, Feedback, RunEntry, TreeNode, WaitingQuestion } from "../api/conversation.ts";
import type { OpenQuestion } from "../api/question.ts";
import { type ModelKey, type Parameters, type ServerSettings, usualUndoMs } from "../api/server-settings.ts";

/** Holds the user's choices, which override the server settings. */
export interface Choices {
  readonly mode: Mode;
  /** Names the agent that answers, with a mode of its own. It is the main one when absent. */
  readonly agent?: string | undefined;
  /** Turns web search on or off. It applies to chat mode, and other modes leave it unchanged. */
  readonly search: boolean;
  readonly models: Readonly<Partial<Record<ModelKey, string>>>;
  readonly parameters: Readonly<Partial<Record<ModelKey, Parameters>>>;
}

/** A turn is a question and the run that answers it. */
export interface Turn {
  readonly key: string;
  /** Is undefined until the run of a new conversation has begun. */
  readonly conversationId: string | undefined;
  readonly run: PageRunState;
  readonly question: OpenQuestion | undefined;
  /** Is true while the page reads the run's events. */
  readonly isFollowed: boolean;
  /** Is the ID of an older run of which only the answer has been loaded. */
  readonly keptRunId: string | undefined;
  /** Is true from when the person stops the run, unless the server could not be told to. */
  readonly isStopping?: boolean | undefined;
  /** Is true when the server no longer knows the run, so the question can be asked again. */
  readonly isGone: boolean;
  /** Is the place of the turn in the tree of its conversation, as soon as the server has said it. */
  readonly node?: Pick<TreeNode, "n" | "parent"> | undefined;
  /** Holds the files that came with the question. */
  readonly files: readonly ShownFile[];
  /** Holds the files that this page sent, so that the question can be asked again with them. */
  readonly attached?: readonly AttachedFile[] | undefined;
  /** Is the number of the turn whose files came with the question. */
  readonly filesOf?: number | undefined;
  /** Is what the server is asked for, without the files, as soon as that is known. */
  readonly request?: QuestionRequest | undefined;
  /** Is true where the server did not take the question. */
  readonly isRefused?: boolean | undefined;
  readonly rating?: Feedback | undefined;
  /** Lists what the conversation keeps of what was said to the run. The events of a followed run tell it themselves. */
  readonly said?: readonly string[] | undefined;
}

/** Holds what was sent and not taken, until it is sent again or taken back. */
export interface Unsent {
  readonly key: string;
  /** Is undefined where it would begin a conversation. */
  readonly conversationId: string | undefined;
  readonly text: string;
  readonly files: readonly AttachedFile[];
  /** Is true where it was to wait for the end of a run. */
  readonly isQueued: boolean;
  /** Is the run to which it was said, as long as nobody knows whether its models read it. It is shown with that run then. */
  readonly saidTo?: string | undefined;
  /** Is true while the server is asked to let it wait: sent once more, it would be asked twice. */
  readonly isBeingQueued?: boolean | undefined;
  /**
   * Is what the server was asked for where nobody knows whether it has taken it. Asked for again with the same key, it is asked once.
   */
  readonly request?: QuestionRequest | undefined;
}

/** Describes a file beside a question. */
export interface ShownFile {
  readonly name: string;
  readonly mediaType: string;
  /** Is in bytes. */
  readonly size: number;
  /** Is undefined until the server keeps it. */
  readonly id?: string | undefined;
}

/** Holds the tree of a conversation: all turns of all branches, each with its question. */
export interface TalkTree {
  readonly nodes: readonly (TreeNode & { readonly question: string })[];
  readonly branches: readonly Branch[];
}

/** Holds what was searched for in the conversations, and what was found. */
export interface Search {
  readonly text: string;
  /** Is undefined until the server has answered. */
  readonly entries: readonly ConversationEntry[] | undefined;
  /** Is the start of the next page of what was found. */
  readonly moreAt?: number | undefined;
}

/** Lists the contents of a conversation: turns, by their keys, and notes between them. */
export type TalkItem =
  | { readonly kind: "turn"; readonly key: string }
  | { readonly kind: "note"; readonly key: string; readonly text: Text; readonly left?: string | undefined };

/** Describes an error that does not belong to a run. One of an unreached server is over as soon as the server is reached. */
export interface Problem {
  readonly kind: "unreached" | "other";
  readonly text: string;
  /** Is the turn whose run could not be stopped. The end of that run settles the problem. */
  readonly turnKey?: string | undefined;
}

/** Holds everything that the page shows. */
export interface ChatState {
  /** Is undefined until the server has sent its settings. */
  readonly settings: ServerSettings | undefined;
  /** Is undefined until the server has said it. */
  readonly account?: Account | undefined;
  readonly choices: Choices;
  readonly conversations: readonly ConversationEntry[];
  readonly search: Search | undefined;
  /** Holds the conversations that were deleted here, as long as they can be restored. */
  readonly removed: readonly ConversationEntry[];
  /** Is the start of the next page of conversations. */
  readonly moreAt: number | undefined;
  /** Holds the active runs that the server last listed. */
  readonly running: readonly RunEntry[];
  /** Is the conversation that is shown, and undefined for a new one. */
  readonly conversationId: string | undefined;
  readonly items: readonly TalkItem[];
  /** Includes turns of other conversations whose runs are still active. */
  readonly turns: Readonly<Record<string, Turn>>;
  readonly tree: TalkTree;
  /** Holds the questions of the shown conversation that are asked when its run has ended. */
  readonly queue: readonly WaitingQuestion[];
  /** Holds what was sent and not taken, in all conversations. */
  readonly unsent: readonly Unsent[];
  readonly isLost: boolean;
  readonly problem: Problem | undefined;
}

export function createChat(choices: Choices): ChatState {
  return {
    settings: undefined,
    choices,
    conversations: [],
    search: undefined,
    removed: [],
    moreAt: undefined,
    running: [],
    conversationId: undefined,
    items: [],
    turns: {},
    tree: noTree,
    queue: [],
    unsent: [],
    isLost: false,
    problem: undefined,
  };
}

export const noTree: TalkTree = { nodes: [], branches: [] };

export function createTurn(key: string, question: string, files: readonly ShownFile[] = []): Turn {
  const run = createPageRunState(question);
  const unknown = { conversationId: undefined, question: undefined, keptRunId: undefined };
  return { ...unknown, key, run, files, isFollowed: true, isGone: false };
}

export function addTurn(chat: ChatState, turn: Turn): ChatState {
  return {
    ...chat,
    items: [...chat.items, { kind: "turn", key: turn.key }],
    turns: { ...chat.turns, [turn.key]: turn },
  };
}

/** Removes the shown turns that asked this question and whose runs are gone. */
export function removeGoneTurns(chat: ChatState, question: string): ChatState {
  const gone = chat.items.filter(({ key }) => chat.turns[key]?.isGone && chat.turns[key].run.question === question);
  if (gone.length === 0) return chat;
  const keys = new Set(gone.map(({ key }) => key));
  return {
    ...chat,
    items: chat.items.filter(({ key }) => !keys.has(key)),
    turns: Object.fromEntries(Object.entries(chat.turns).filter(([key]) => !keys.has(key))),
  };
}

/** Removes a refused turn that is asked anew. */
export function removeRefused(chat: ChatState, key: string | undefined): ChatState {
  return key !== undefined && chat.turns[key]?.isRefused === true ? removeTurn(chat, key) : chat;
}

export function removeTurn(chat: ChatState, key: string): ChatState {
  return {
    ...chat,
    items: chat.items.filter((item) => item.key !== key),
    turns: Object.fromEntries(Object.entries(chat.turns).filter(([each]) => each !== key)),
  };
}

/** Returns how long a deleted conversation can be restored, in milliseconds. */
export function getUndoMs({ settings }: ChatState): number {
  return settings?.undoMs ?? usualUndoMs;
}

/** Adds a note. `left` is the conversation that a switch has left, which can be taken up again. */
export function addNote(chat: ChatState, text: Text, left?: string): ChatState {
  const key = `note-${chat.items.length}-${text.en}`;
  return { ...chat, items: [...chat.items, { kind: "note", key, text, left }] };
}

/** Changes this turn. A turn that has been removed stays removed. */
export function changeTurn(chat: ChatState, key: string, change: (turn: Turn) => Turn): ChatState {
  const turn = chat.turns[key];
  return turn === undefined ? chat : { ...chat, turns: { ...chat.turns, [key]: change(turn) } };
}

export function changeRun(chat: ChatState, key: string, change: RunChange): ChatState {
  return changeTurn(chat, key, (turn) => ({ ...turn, run: reducePageRun(turn.run, change) }));
}

/** Shows another conversation with these items and turns, and keeps the unsettled turns of the others, and what was refused. */
export function showTalk(
  chat: ChatState,
  conversationId: string | undefined,
  items: readonly TalkItem[],
  turns: readonly Turn[],
): ChatState {
  const going = Object.entries(chat.turns).filter(([, turn]) => isUnsettled(turn));
  const shown = turns.map((turn) => [turn.key, turn] as const);
  const refused = Object.values(chat.turns).filter(
    (turn) => turn.isRefused && !turns.some(({ key }) => key === turn.key),
  );
  return {
    ...chat,
    conversationId,
    items,
    turns: { ...Object.fromEntries(going), ...Object.fromEntries(shown) },
    tree: noTree,
    queue: conversationId === chat.conversationId ? chat.queue : [],
    unsent: [...chat.unsent, ...refused.map(toUnsent)],
    problem: undefined,
  };
}

/** Is always the same list, so that a question without files is not kept again with each change. */
const noFiles: readonly AttachedFile[] = [];

/** Makes an entry of a question that was not taken, which goes out of sight with its turn. */
export function toUnsent({ key, conversationId, run, attached = noFiles, request, isRefused }: Turn): Unsent {
  const asked = isRefused ? undefined : request;
  return { key, conversationId, text: run.question, files: attached, isQueued: false, request: asked };
}

export function isFinished({ outcome, plain }: PageRunState): boolean {
  return outcome !== undefined || plain !== undefined;
}

/** Returns true when only this page has the complete turn: it follows the run, or the run is gone. */
export function isUnsettled({ isFollowed, isGone, run }: Turn): boolean {
  return isGone || (isFollowed && !isFinished(run));
}

/** Returns the shown turn whose run is active. */
export function findActiveTurn({ items, turns }: ChatState): Turn | undefined {
  const shown = items.flatMap((item) => (item.kind === "turn" ? (turns[item.key] ?? []) : []));
  return shown.findLast(({ isFollowed, run }) => isFollowed && !isFinished(run));
}

/** The store is the only place that holds what the page shows. */
export interface Store {
  readonly state: ChatState;
  change(change: (state: ChatState) => ChatState): void;
}

export function createStore(first: ChatState, onChange: (state: ChatState, before: ChatState) => void): Store {
  let state = first;
  return {
    get state() {
      return state;
    },
    change(change) {
      const next = change(state);
      if (next === state) return;
      const before = state;
      state = next;
      onChange(state, before);
    },
  };
}
