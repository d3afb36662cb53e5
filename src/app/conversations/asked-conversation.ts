import { operator } from "../../core/caller.ts";
import type { Conversation } from "../../core/store/conversations/conversation.ts";
import type { Journal, TakenRun } from "../../core/store/journal.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import type { ActiveRun } from "../ask/active-runs.ts";
import type { AskRequest } from "../ask/ask-request.ts";
import type { ConversationParts } from "../duet-parts.ts";
import { checkGoOn } from "./check-go-on.ts";
import type { AskedTurn } from "./given-history.ts";
import type { RunPlace } from "./place-runs.ts";
import { loadConversation, type Session, toConversationKey } from "./sessions.ts";
import { settleInterrupted } from "./settle-interrupted.ts";
import { createSharedApprovals, type SharedApprovals } from "./shared-approvals.ts";

/** Holds the conversation in which a question is asked, and what the process remembers of it. */
export interface AskedConversation {
  conversation: Conversation;
  session: Session;
  /** Is undefined where the answers of a person hold on this machine alone. */
  approvals: SharedApprovals | undefined;
  place: RunPlace;
  /** Takes what the run writes where the asker keeps the conversation. */
  givenStore: ConversationStore | undefined;
  /** Is the ID that was asked for where no such conversation is there, and this is a new one. */
  lostId: string | undefined;
  /** Is how long other replies to the same plan were waited for, in milliseconds. */
  waitedMs: number;
}

export interface AskedConversationOptions {
  /** Is the store of the caller. */
  store: ConversationStore;
  journal: Journal | undefined;
  /** Holds the turns that the asker keeps, with their files prepared. */
  history: readonly AskedTurn[] | undefined;
  going: ActiveRun;
}

/**
 * Opens the conversation of a question: the one that the asker keeps, the stored one with the runs that were interrupted in it, or a new
 * one. Rejects when the store cannot be read or written.
 */
export async function openAskedConversation(
  conversations: ConversationParts,
  request: AskRequest,
  { store, journal, history, going }: AskedConversationOptions,
): Promise<AskedConversation> {
  const { caller = operator, conversationId, documents, resumed } = request;
  const { findRecords } = conversations;
  const isKeptByAsker = request.history !== undefined;
  if (conversationId !== undefined && !isKeptByAsker && journal && !resumed)
    await settleInterrupted(journal, store, { conversationId, owner: caller.owner });
  const given = history && (await conversations.given.get()).open(history, { caller, kept: store, documents });
  const after = request.after ?? resumed?.header.after;
  const branch = request.branch ?? resumed?.header.branch;
  const { known, waitedMs } =
    given ??
    (await loadConversation(store, conversationId, {
      ...{ caller, going, mutex: conversations.planTurns, findRecords, branch, after },
    }));
  if (request.goesOn === true && resumed === undefined)
    await checkGoOn(known, { store: given?.store ?? store, conversationId, after });
  // Duet itself has given the ID of a run that goes on, and of a conversation whose first question this is.
  const isGiven = resumed !== undefined || request.isFirst === true;
  const lostId = known === undefined && !isGiven ? conversationId : undefined;
  const found = known ?? (await store.create(conversationId, { isGiven }));
  const atStart = resumed ? toConversationAtStart(found, resumed) : found;
  const conversation = request.sources ? { ...atStart, sources: request.sources } : atStart;
  const place = { branch: conversation.branch, after, folder: request.folder ?? resumed?.header.folder };
  const session = conversations.sessions.of(toConversationKey(caller, conversation.id), known === undefined);
  const approvals = createSharedApprovals(isKeptByAsker ? undefined : findRecords, caller, conversation.id);
  await approvals?.load(session);
  // What an earlier process loaded for the conversation comes first, so that the offer stays the same.
  if (session.loaded.size === 0) for (const name of conversation.loadedTools ?? []) session.loaded.add(name);
  return { conversation, session, approvals, place, givenStore: given?.store, lostId, waitedMs };
}

/** Leaves out what was added to a conversation after the run had begun. */
function toConversationAtStart(known: Conversation, { header: { turns, summary } }: TakenRun): Conversation {
  // A list of sources is an object of its own, which a copy shares.
  return { ...known, turns: known.turns.slice(0, turns), summary };
}
