import type { AgentEvent } from "../../../../core/run/events.ts";
import type { Outcome } from "../../../../core/run/outcome.ts";
import { say, type Text } from "../../../../kit/locale.ts";
import {
  type NotificationWay,
  renderNotification,
  renderTitle,
  restoreTitle,
} from "../../../terminal/screen/notifications.ts";
import type { ChatHandler } from "../chat-interface.ts";

/** Without word of the focus, whoever has pressed no key for so long may be elsewhere, in milliseconds. */
const absenceMs = 10_000;

/** Tells somebody who looks elsewhere that a run has ended, or that a question waits. */
export interface Notifier {
  beginRun(): void;
  handle(event: AgentEvent): void;
  tellOfQuestion(): void;
  /** Takes word of a key: somebody is there. */
  noteKey(): void;
  /** Takes word of the focus from a terminal that has any. */
  setFocus(hasFocus: boolean): void;
  /** Gives the title of the window back. */
  close(): void;
}

export interface NotifierOptions {
  /** Is absent where nobody wants to be told. */
  way: NotificationWay | undefined;
  handler: Pick<ChatHandler, "locale">;
  /** Returns false where nothing was sent. */
  send(sequence: string): boolean;
  now?: () => number;
}

export function createNotifier({ way, handler, send, now = () => performance.now() }: NotifierOptions): Notifier {
  let focus: boolean | undefined;
  let seenAt = now();
  let hasTitle = false;

  function isAway(): boolean {
    return focus === undefined ? now() - seenAt >= absenceMs : !focus;
  }

  function sendNotification(text: Text): void {
    if (way === undefined || !isAway()) return;
    const shown = say(handler.locale, text);
    const before = hasTitle ? restoreTitle : "";
    const isSent = send(`${before}${renderTitle(`● Duet: ${shown}`)}${renderNotification(way, shown)}`);
    hasTitle ||= isSent;
  }

  function restoreWindowTitle(): void {
    if (hasTitle && send(restoreTitle)) hasTitle = false;
  }

  function noteKey(): void {
    seenAt = now();
    restoreWindowTitle();
  }

  return {
    beginRun() {
      seenAt = now();
    },
    handle(event) {
      const text = event.type === "run-end" ? endTexts[event.outcome.status] : undefined;
      if (text) sendNotification(text);
    },
    tellOfQuestion: () => sendNotification(questionText),
    noteKey,
    setFocus(hasFocus) {
      focus = hasFocus;
      if (hasFocus) noteKey();
    },
    close: restoreWindowTitle,
  };
}

const endTexts: Partial<Record<Outcome["status"], Text>> = {
  complete: { zh: "回答完成", en: "the answer is ready" },
  partial: { zh: "回答不完整", en: "the answer is partial" },
  failed: { zh: "运行失败", en: "the run failed" },
};
const questionText: Text = { zh: "有问题等你回答", en: "a question waits for you" };
