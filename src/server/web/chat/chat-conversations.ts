import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { joinCalls } from "../../../kit/async/join-calls.ts";
import type { Api } from "./api/api.ts";
import { ignoreMissing } from "./api/api-error.ts";
import type { Conversation, ConversationEntry, RunEntry } from "./api/conversation.ts";
import type { ChatRuns } from "./chat-runs.ts";
import { restoreChoices, startConversation } from "./state/chat-choices.ts";
import {
  addNote,
  type ChatState,
  changeTurn,
  findActiveTurn,
  isUnsettled,
  type Store,
  showTalk,
  type TalkItem,
  type Turn,
} from "./state/chat-state.ts";
import { sideTexts } from "./state/chat-texts.ts";
import { findParent, listNextTurns, placeTurns } from "./state/talk-tree.ts";
import { toTurns } from "./state/to-turns.ts";

export interface ChatConversations {
  /**
   * Shows a conversation, in its mode and with its models unless those of the page stay, and follows what goes on in it; of one
   * that is not there any more it says so. Without a branch, it is the current one.
   */
  open(id: string, keepsChoices?: boolean, branch?: number): Promise<void>;
  /** Adds to the conversation in sight what was asked elsewhere. */
  catchUp(): Promise<void>;
  remove(entry: ConversationEntry): Promise<void>;
  /** Takes a conversation off the page that the server says is deleted; of the one in sight it says so. */
  handleRemoval(id: string): void;
  /** Restores a deleted conversation, and shows it where it was in sight when it was deleted. */
  restore(entry: ConversationEntry): Promise<void>;
}

export function createConversations(api: Api, store: Store, runs: ChatRuns): ChatConversations {
  /** When several conversations are opened, only the last one counts, and none counts after something else has been started. */
  let wanted = "";
  /** Holds the conversations that this page is deleting: it says itself that they are gone. */
  const leaving = new Set<string>();
  /** Is the conversation that was in sight when it was deleted here last. */
  let left: string | undefined;

  /** Returns the turns of a conversation that only this page knows. */
  function listOwnTurns(id: string): Turn[] {
    return Object.values(store.state.turns).filter((turn) => turn.conversationId === id && isUnsettled(turn));
  }

  function followAll(conversation: Conversation, id: string): void {
    // What begins elsewhere while a run of this page goes on is on another branch.
    const isBusy = findActiveTurn(store.state) !== undefined;
    const tip = findParent(store.state) ?? 0;
    const going = isBusy
      ? []
      : conversation.runs.filter((run) => run.status === "running" && (run.parent ?? tip) === tip);
    for (const run of going.slice(-1)) runs.resume(run.id, run.question, id);
    void loadReasons(api, store);
  }

  async function readQueue(id: string): Promise<void> {
    const queue = await ignoreRejection(api.waiting(id), "the next change of the queue tells it again");
    if (queue !== undefined) store.change((chat) => (chat.conversationId === id ? { ...chat, queue } : chat));
  }

  async function open(id: string, keepsChoices?: boolean, branch?: number): Promise<void> {
    wanted = id;
    const before = store.state.items;
    const conversation = await api.conversation(id, branch).catch(ignoreMissing);
    if (wanted !== id || store.state.items !== before) return;
    const own = listOwnTurns(id);
    if (conversation === undefined && own.length === 0) {
      store.change((chat) => leaveGone(dropEntry(chat, id), id));
      return;
    }
    const found = conversation ?? nothing;
    // What is followed here is known better than what is kept.
    const kept = toTurns(found, id);
    const isOwn = ({ keptRunId }: Turn): boolean => own.some(({ run }) => run.runId === keptRunId);
    const foreign = kept.filter((turn) => !isOwn(turn));
    const turns = [...cutAtRun(foreign, branch === undefined ? findGoingRun(found) : undefined), ...own];
    const items = turns.map(({ key }) => ({ kind: "turn" as const, key }));
    store.change((chat) =>
      placeTurns(showTalk(keepsChoices ? chat : restoreChoices(chat, found), id, items, turns), found),
    );
    followAll(found, id);
    void readQueue(id);
  }

  return {
    open,
    // A run that begins and ends is told by its stream and by the stream of changes, nearly at once.
    catchUp: joinCalls(async () => {
      const { conversationId: id, items } = store.state;
      if (id === undefined) return;
      const conversation = await api.conversation(id).catch(ignoreMissing);
      if (store.state.conversationId !== id) return;
      if (conversation !== undefined) {
        const kept = toTurns(conversation, id);
        store.change((chat) => {
          const placed = placeTurns(chat, conversation);
          return mergeTurns(placed, listNextTurns(placed, kept));
        });
        followAll(conversation, id);
      } else if (store.state.items === items && listOwnTurns(id).length === 0)
        store.change((chat) => leaveGone(chat, id));
    }),
    async remove(entry) {
      const { id } = entry;
      leaving.add(id);
      await api
        .deleteConversation(id)
        .catch(ignoreMissing)
        .finally(() => leaving.delete(id));
      if (store.state.conversationId === id) left = id;
      store.change((chat) => {
        const conversations = chat.conversations.filter((entry) => entry.id !== id);
        const gone = chat.conversations.length - conversations.length;
        const running = chat.running.filter((run) => run.conversationId !== id);
        const others = Object.entries(chat.turns).filter(([, turn]) => turn.conversationId !== id);
        const moreAt = chat.moreAt && chat.moreAt - gone;
        const removed = [...chat.removed.filter((each) => each.id !== id), entry];
        const rest = { ...chat, conversations, running, moreAt, removed };
        if (chat.conversationId !== id) return { ...rest, turns: Object.fromEntries(others) };
        return showTalk({ ...rest, turns: Object.fromEntries(others) }, undefined, [], []);
      });
    },
    handleRemoval(id) {
      store.change((chat) => dropEntry(chat, id));
      const isLeft = leaving.has(id) || store.state.conversationId !== id || listOwnTurns(id).length > 0;
      if (!isLeft) store.change((chat) => leaveGone(chat, id));
    },
    async restore(entry) {
      const restored = await api.restoreConversation(entry.id);
      store.change((chat) => insertEntry(forgetRemoved(chat, entry.id), restored));
      const { conversationId, items } = store.state;
      // Whoever has gone elsewhere meanwhile is left there.
      if (left === entry.id && conversationId === undefined && items.length === 0) await open(entry.id);
    },
  };
}

/** Offers no longer that a deleted conversation can be restored. */
export function forgetRemoved(chat: ChatState, id: string): ChatState {
  return { ...chat, removed: chat.removed.filter((entry) => entry.id !== id) };
}

/** Leaves a conversation that is not there any more. What was not taken in it begins a new one, for nobody could find it there. */
function leaveGone(chat: ChatState, id: string): ChatState {
  const left = startConversation(chat);
  const unsent = left.unsent.map((entry) =>
    entry.conversationId === id ? { ...entry, conversationId: undefined, request: undefined } : entry,
  );
  return addNote({ ...left, unsent }, sideTexts.goneConversation);
}

/** Takes a conversation off the list; what is in sight of it stays until it is read again. */
export function dropEntry(chat: ChatState, id: string): ChatState {
  return { ...chat, conversations: chat.conversations.filter((entry) => entry.id !== id) };
}

/** Takes over what the server says of a run. */
export function updateRun(chat: ChatState, run: RunEntry): ChatState {
  const others = chat.running.filter(({ id }) => id !== run.id);
  return { ...chat, running: run.status === "running" ? [run, ...others] : others };
}

/** Shows an entry in its place of the list, which begins with what changed last. */
export function insertEntry(chat: ChatState, entry: ConversationEntry): ChatState {
  const others = chat.conversations.filter(({ id }) => id !== entry.id);
  const conversations = [...others, entry].toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt));
  return { ...chat, conversations };
}

const nothing: Conversation = { turns: [], sources: [], runs: [], tree: [], branches: [] };

/** Returns the run that goes on and was asked last. */
function findGoingRun({ runs }: Conversation): RunEntry | undefined {
  return runs.findLast(({ status }) => status === "running");
}

/** Leaves the turns that stand behind the one that the question of a run follows: they are on another branch than the run. */
function cutAtRun(turns: readonly Turn[], run: RunEntry | undefined): readonly Turn[] {
  if (run?.parent === undefined) return turns;
  return turns.slice(0, turns.findLastIndex(({ node }) => node?.n === run.parent) + 1);
}

/** Adds turns at the end, unless they are shown already. */
function mergeTurns(chat: ChatState, next: readonly Turn[]): ChatState {
  const seen = new Set(chat.items.map(({ key }) => chat.turns[key]?.run.runId));
  const added = next.filter(({ run }) => run.runId === undefined || !seen.has(run.runId));
  if (added.length === 0) return chat;
  const items = added.map(({ key }): TalkItem => ({ kind: "turn", key }));
  return {
    ...chat,
    items: [...chat.items, ...items],
    turns: { ...chat.turns, ...Object.fromEntries(added.map((turn) => [turn.key, turn])) },
  };
}

/** Limits how many runs without an answer load their details automatically when a conversation is opened. */
const mostTold = 10;

/**
 * Gives what an older run did and how it ended; what is known of it stays in sight until there is more. Rejects with `ApiError`
 * where it is not kept any more.
 */
export async function loadSteps(api: Api, store: Store, key: string): Promise<void> {
  const { keptRunId } = store.state.turns[key] ?? {};
  if (keptRunId === undefined) return;
  store.change((chat) => changeTurn(chat, key, (turn) => ({ ...turn, keptRunId: undefined })));
  // A run that never began has no trace.
  const [outcome, trace] = await Promise.all([api.outcome(keptRunId), api.trace(keptRunId).catch(ignoreMissing)]);
  store.change((chat) =>
    changeTurn(chat, key, (turn) => {
      const kept = trace ?? turn.run.storedSteps;
      if (outcome === undefined) return { ...turn, run: { ...turn.run, storedSteps: kept } };
      // An older run's sources are not kept with it but with its conversation.
      const citations = outcome.citations.length > 0 ? outcome.citations : [...turn.run.cited];
      return { ...turn, run: { ...turn.run, storedSteps: kept, outcome: { ...outcome, citations }, plain: undefined } };
    }),
  );
}

/** Runs in sight that failed, were stopped or gave half an answer tell what they came to. Never rejects. */
export async function loadReasons(api: Api, store: Store): Promise<void> {
  const keys = listUnexplainedTurns(store.state).slice(-mostTold);
  await Promise.all(
    keys.map((key) =>
      ignoreRejection(loadSteps(api, store, key), "a run whose steps cannot be loaded shows no reason"),
    ),
  );
}

function listUnexplainedTurns({ items, turns }: ChatState): string[] {
  return items.map(({ key }) => key).filter((key) => turns[key]?.keptRunId && turns[key].run.plain?.status);
}

/** Manages the list of conversations and of runs in progress. */
export interface ChatList {
  /** Shows it as it is now, as far as it was shown. */
  refresh(): Promise<void>;
  /** Shows more of it. */
  more(): Promise<void>;
}

export function createChatList(api: Api, store: Store): ChatList {
  return {
    refresh: joinCalls(async () => {
      const before = store.state.conversations;
      const [{ entries, next }, runs] = await Promise.all([api.conversations({}), api.runs()]);
      const running = runs.filter(({ status }) => status === "running");
      store.change((chat) => {
        const known = new Set(entries.map(({ id }) => id));
        const rest = chat.conversations.slice(entries.length).filter(({ id }) => !known.has(id));
        const isLonger = rest.length > 0 && next !== undefined;
        const read = isLonger ? [...entries, ...rest] : entries;
        // What was told of a conversation meanwhile may be newer than what was read.
        const told = chat.conversations.filter((entry) => !before.includes(entry));
        const left = new Set(chat.conversations.map(({ id }) => id));
        const gone = new Set(before.flatMap(({ id }) => (left.has(id) ? [] : [id])));
        const conversations = read.filter(({ id }) => !gone.has(id));
        return told.reduce(insertEntry, { ...chat, conversations, running, moreAt: isLonger ? chat.moreAt : next });
      });
    }),
    async more() {
      const { moreAt } = store.state;
      if (moreAt === undefined) return;
      const { entries, next } = await api.conversations({ offset: moreAt });
      store.change((chat) => {
        const known = new Set(chat.conversations.map(({ id }) => id));
        const others = entries.filter(({ id }) => !known.has(id));
        return { ...chat, conversations: [...chat.conversations, ...others], moreAt: next };
      });
    },
  };
}
