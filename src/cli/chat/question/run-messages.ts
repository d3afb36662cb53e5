import { createRunInbox, type Delivery, type RunInbox } from "../../../core/run/run-inbox.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";

/** Passes what a person says to the run that works. */
export interface RunMessages {
  /** Is true while a run works. */
  readonly isOpen: boolean;
  /** Lists what was said and no model has read yet. */
  readonly waiting: readonly string[];
  /** Begins with a run, and returns its inbox. */
  open(): RunInbox;
  /** Returns false where the text has to wait for the end of the run, and says why. Each reason is said once per run. */
  send(text: string): boolean;
  /** Returns what no model has read, and forgets it. */
  takeAll(): string[];
  /** Ends with the run. Returns what no model has read. */
  close(): string[];
}

export interface RunMessagesOptions {
  locale(): Locale;
  write(line: Line): void;
}

export function createRunMessages({ locale, write }: RunMessagesOptions): RunMessages {
  let inbox: RunInbox | undefined;
  let lastDelivery: Delivery | undefined;
  return {
    get isOpen() {
      return inbox !== undefined;
    },
    get waiting() {
      return inbox?.waiting.map(({ text }) => text) ?? [];
    },
    open() {
      inbox = createRunInbox({ isAskedLater: true });
      lastDelivery = undefined;
      return inbox;
    },
    send(text) {
      const delivery = inbox?.send(text);
      if (delivery === "next_step") return true;
      if (delivery && delivery !== lastDelivery) write(createLine(say(locale(), waitTexts[delivery]), "dim"));
      lastDelivery = delivery ?? lastDelivery;
      return false;
    },
    takeAll: () => inbox?.takeAll().map(({ text }) => text) ?? [],
    close() {
      const unread = inbox?.close() ?? [];
      inbox = undefined;
      return unread.map(({ text }) => text);
    },
  };
}

/** Says why a message waits for the end of the run. */
const waitTexts: Record<Exclude<Delivery, "next_step">, Text> = {
  after_run: {
    zh: "ℹ 回答正在书写：这句话在运行结束后提出。",
    en: "ℹ The answer is being written: this is asked when the run has ended.",
  },
  refused: {
    zh: "ℹ 这次运行收到的消息太多或太长：这句话在运行结束后提出。",
    en: "ℹ That is too many messages for one run, or too long a one: this is asked when the run has ended.",
  },
};
