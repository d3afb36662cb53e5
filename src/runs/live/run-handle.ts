import type { Chain } from "../../core/chain.ts";
import type { Mode, Outcome } from "../../core/run/outcome.ts";
import type { Delivery } from "../../core/run/run-inbox.ts";
import type { AskedQuestion } from "../../core/store/run-mailbox.ts";
import type { ErrorReport } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";
import type { AskInput } from "../ask-schema.ts";
import type { ClientCalls } from "../client-calls.ts";
import type { OpenQuestion } from "../questions/open-question.ts";
import type { EventListener } from "./event-log.ts";
import type { LiveRun } from "./live-run.ts";
import type { WaitingSession } from "./run-waiters.ts";

/** Extends a live run with what the requests attached to it use. */
export interface RunHandle extends LiveRun {
  readonly locale: Locale;
  /**
   * Is the id of the question's conversation, or of the one that the run began. Is empty until it is known, and when the caller
   * keeps the conversation itself.
   */
  readonly conversationId: string;
  /** Is the conversation that was requested, or undefined when the run begins a new one. */
  readonly wantedConversationId: string | undefined;
  /** Is true for a run that appears in no list, because nobody asked it as a question. */
  readonly isAside: boolean;
  /** Names what was asked for: two requests with one key ask for the same. */
  readonly key: string;
  /** Is when something last happened, in milliseconds since 1970. */
  readonly changedAt: number;
  /** Holds the cause of a failure that was a fault of the program. It is for the operator only; `outcome` does not contain it. */
  readonly fault: ErrorReport | undefined;
  /** Is the draft that is being written, which stands in no event. It grows in place, and is another object for another draft. */
  readonly draft: LiveDraft | undefined;
  readonly isStopping: boolean;
  /** Is true for a run of another process, which this one follows. */
  readonly isElsewhere: boolean;
  /** Is true once the run goes on in another process. Its outcome here only says so, and its end is told there. */
  readonly isMoved: boolean;
  readonly mode: Mode;
  /** Is the turn that the question follows, where it names one. */
  readonly after: number | undefined;
  /** Says what becomes of it when everybody who waits for it has left. The configuration does when it is absent. */
  readonly onDisconnect: "cancel" | "finish" | undefined;
  /** Is the ID of the run with which this one goes on, where the answer is that of both. */
  readonly goesOnWith: string | undefined;
  /** Is true once somebody has received the run's outcome. */
  isDelivered: boolean;
  /**
   * Resolves once the user of a host who is asked whether to go on with it has replied: to the ID of the run that goes on, or to undefined
   * where none does. Is absent where nobody was asked, or could reply. Never rejects.
   */
  goOnOffer?: Promise<string | undefined> | undefined;
  /**
   * Is how it was asked for, where another run may go on with it. A run taken over from another process has it only after the same
   * question was asked here again.
   */
  asked?: AskedRun;
  /** Is what the runs came to with which this one goes on. What a request learns of this run has it, too. */
  earlier?: Outcome;
  /** Takes what a person says while the run works. Resolves to undefined where another process carries it out, and does not answer. */
  readonly inbox: { send(text: string): Delivery | Promise<Delivery | undefined> };
  /**
   * Lets the run go on in another process of this server, which begins as soon as the calls under way have ended. Returns false where
   * no other process could.
   */
  leave(): boolean;
  /** Lets it go at once, with calls under way of which nobody will know what they came to. Rejects where that could not be stored. */
  letGo(): Promise<void>;
  /** Is the question that waits for a person. */
  readonly open: OpenQuestion | undefined;
  /** Lists the questions that were answered while they were open in this process, which carries out the run. */
  readonly answered: readonly AskedQuestion[];
  /** Holds the calls of the asking program's tools. */
  readonly clientCalls: ClientCalls;
  /** Calls the listener for each event from now on, drafts included. */
  follow(listener: EventListener): () => void;
  /**
   * Adds who waits for the run: a request, or a caller that knows that it continues. `session` is
   * whose it is; without one, anybody who asks the same may have the run.
   */
  addWaiter(waiter: object, session?: WaitingSession): void;
  /** Returns true when another session than this one waits for the run. */
  isAwaitedByOthers(session: WaitingSession): boolean;
  /** Returns true when the waiter was the last one. */
  removeWaiter(waiter: object): boolean;
  /** Removes every waiter of a session that has ended. Returns true when nobody else waits for the run. */
  removeWaitersOf(session: object): boolean;
  /** Is the memory that the run's events take, in UTF-16 units. */
  readonly eventWeight: number;
  /** Changes the outcome of a run that could not be saved when it ended, and has been saved now. */
  markSaved(): void;
  /** Discards the run's events. */
  dropEvents(): void;
  /** Resolves at the next event, when a question comes or goes, at the end, or when the signal aborts. Never rejects. */
  waitForEvent(signal: AbortSignal): Promise<void>;
  /** Reads what another process has told of the run meanwhile. Never rejects. Absent for a run of this process. */
  readNews?(): Promise<void>;
  /** Waits like `waitForEvent`, but is not woken by events, which are frequent. */
  waitForChange(signal: AbortSignal): Promise<void>;
}

/** Holds what a run that goes on with another one takes over from its request. */
export interface AskedRun {
  input: AskInput;
  chain: Chain;
}

/** Returns true for a run of this conversation. Until a run has begun, that is known only from its request. */
export function isInConversation(
  { wantedConversationId, conversationId }: Partial<Pick<RunHandle, "wantedConversationId" | "conversationId">>,
  wanted: string | undefined,
): boolean {
  return wanted === wantedConversationId || wanted === conversationId;
}

/** Holds text of which it is not known yet whether it is a thought or the answer. */
export interface LiveDraft {
  readonly draft: number;
  readonly step: number;
  text: string;
  /** Says what it was, once it has ended. */
  kept?: "answer" | "thought";
}
