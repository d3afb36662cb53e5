import type { Mode } from "../../../../core/outcome.ts";
import type { Text } from "../../../../kit/errors.ts";
import { createRunState, type RunChange, type RunState, reduceRunState } from "../../run/run-state.ts";
import type { ConversationEntry, RunEntry } from "../api/conversation.ts";
import type { OpenQuestion } from "../api/question.ts";
import type { Parameters, Role, ServerSettings } from "../api/server-settings.ts";

/** What a person has chosen, over what the server is set to. */
export interface Choices {
  readonly mode: Mode;
  /** The switch of web search: it counts in chat mode, and other modes leave it as it is. */
  readonly search: boolean;
  readonly models: Readonly<Partial<Record<Role, string>>>;
  readonly parameters: Readonly<Partial<Record<Role, Parameters>>>;
}

/** A question and the run that answers it. */
export interface Turn {
  readonly key: string;
  /** Undefined until the run of a new conversation has begun. */
  readonly conversationId: string | undefined;
  readonly run: RunState;
  readonly question: OpenQuestion | undefined;
  /** Whether its events are being read. */
  readonly isFollowed: boolean;
  /** An older run, of which the answer alone is known so far. */
  readonly keptRunId: string | undefined;
  /** The server does not know its run any more: it can be asked again. */
  readonly isGone: boolean;
}

/** What stands in the talk: turns by their keys, and words between them. */
export type TalkItem =
  | { readonly kind: "turn"; readonly key: string }
  | { readonly kind: "note"; readonly key: string; readonly text: Text };

/** All that the page shows. */
export interface ChatState {
  /** Undefined until the server has told. */
  readonly settings: ServerSettings | undefined;
  readonly choices: Choices;
  readonly conversations: readonly ConversationEntry[];
  /** Where more of them begin. */
  readonly moreAt: number | undefined;
  /** Runs that go on, as the server last listed them. */
  readonly running: readonly RunEntry[];
  /** The one that is shown; undefined for a new one. */
  readonly conversationId: string | undefined;
  readonly items: readonly TalkItem[];
  /** Also those of other conversations whose runs go on. */
  readonly turns: Readonly<Record<string, Turn>>;
  /** Whether the server cannot be reached. */
  readonly isLost: boolean;
  /** What went wrong outside of runs. */
  readonly problem: string;
}

export function createChat(choices: Choices): ChatState {
  return {
    settings: undefined,
    choices,
    conversations: [],
    moreAt: undefined,
    running: [],
    conversationId: undefined,
    items: [],
    turns: {},
    isLost: false,
    problem: "",
  };
}

export function createTurn(key: string, question: string): Turn {
  const run = createRunState(question);
  const unknown = { conversationId: undefined, question: undefined, keptRunId: undefined };
  return { ...unknown, key, run, isFollowed: true, isGone: false };
}

/** The chat with a turn at its end. */
export function addTurn(chat: ChatState, turn: Turn): ChatState {
  return {
    ...chat,
    items: [...chat.items, { kind: "turn", key: turn.key }],
    turns: { ...chat.turns, [turn.key]: turn },
  };
}

/** The chat without the turns in sight that asked this and whose runs are gone. */
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

/** The chat with a line at its end. */
export function addNote(chat: ChatState, text: Text): ChatState {
  const key = `note-${chat.items.length}-${text.en}`;
  return { ...chat, items: [...chat.items, { kind: "note", key, text }] };
}

/** The chat with this turn changed; one that is gone stays so. */
export function changeTurn(chat: ChatState, key: string, change: (turn: Turn) => Turn): ChatState {
  const turn = chat.turns[key];
  return turn === undefined ? chat : { ...chat, turns: { ...chat.turns, [key]: change(turn) } };
}

export function changeRun(chat: ChatState, key: string, change: RunChange): ChatState {
  return changeTurn(chat, key, (turn) => ({ ...turn, run: reduceRunState(turn.run, change) }));
}

/** The chat with another conversation in sight: these items and turns, and of the others what is not settled. */
export function showTalk(
  chat: ChatState,
  conversationId: string | undefined,
  items: readonly TalkItem[],
  turns: readonly Turn[],
): ChatState {
  const going = Object.entries(chat.turns).filter(([, turn]) => isUnsettled(turn));
  const shown = turns.map((turn) => [turn.key, turn] as const);
  return {
    ...chat,
    conversationId,
    items,
    turns: { ...Object.fromEntries(going), ...Object.fromEntries(shown) },
    problem: "",
  };
}

export function isFinished({ outcome, plain }: RunState): boolean {
  return outcome !== undefined || plain !== undefined;
}

/** What this page alone knows all about: a run that it follows, or a question whose run is gone. */
export function isUnsettled({ isFollowed, isGone, run }: Turn): boolean {
  return isGone || (isFollowed && !isFinished(run));
}

/** The turn in sight whose run goes on. */
export function findActiveTurn({ items, turns }: ChatState): Turn | undefined {
  const shown = items.flatMap((item) => (item.kind === "turn" ? (turns[item.key] ?? []) : []));
  return shown.findLast(({ isFollowed, run }) => isFollowed && !isFinished(run));
}

/** The one place that holds what the page shows. */
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
