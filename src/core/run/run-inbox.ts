import { createRandomHex } from "../../kit/random.ts";
import { longestMessage, mostMessages } from "./message-limits.ts";

/** Holds what a person says to a run while it works. */
export interface RunMessage {
  id: string;
  text: string;
}

/**
 * Says what becomes of a message: the models read it before their next turn; it is left for after the run, because the answer is
 * being written or the run is over; or it is not taken, because there are too many.
 */
export type Delivery = "next_step" | "after_run" | "refused";

/** Takes messages for one run, from any interface, until the run writes its answer. */
export interface RunInbox {
  send(text: string): Delivery;
  /** Is true where the interface itself asks what was not read once the run is over. */
  readonly isAskedLater: boolean;
  /** Lists the messages that no model has read yet, oldest first. */
  readonly waiting: readonly RunMessage[];
  /** Takes no more messages. Returns those that no model has read, and forgets them. */
  close(): RunMessage[];
  /** Is for the run: it takes the messages, and says when it can take none any more. */
  attach(reader: InboxReader): void;
  /** Is for the run: returns the messages that wait, and forgets them. */
  takeAll(): RunMessage[];
  /** Is for the run: puts back messages that an earlier process had received. */
  restore(messages: readonly RunMessage[]): void;
}

export interface InboxReader {
  /** Returns true from the moment at which the answer is written. */
  isAnswering(): boolean;
  onArrive(message: RunMessage): void;
}

export function createRunInbox({ isAskedLater = false } = {}): RunInbox {
  const waiting: RunMessage[] = [];
  let reader: InboxReader | undefined;
  let isClosed = false;
  let count = 0;
  return {
    waiting,
    isAskedLater,
    send(text) {
      // A run that has not begun yet reads it in its first turn.
      if (isClosed || reader?.isAnswering()) return "after_run";
      if (count >= mostMessages || text.length > longestMessage) return "refused";
      count += 1;
      const message = { id: createRandomHex().slice(0, 8), text };
      waiting.push(message);
      reader?.onArrive(message);
      return "next_step";
    },
    close() {
      isClosed = true;
      // Whoever keeps the inbox of a run that is over must not keep all that the run had.
      reader = undefined;
      return waiting.splice(0);
    },
    attach(next) {
      if (!isClosed) reader = next;
      for (const message of waiting) next.onArrive(message);
    },
    takeAll: () => waiting.splice(0),
    restore(messages) {
      count += messages.length;
      waiting.unshift(...messages);
    },
  };
}
