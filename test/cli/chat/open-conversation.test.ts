import { expect, test } from "vitest";
import type { Chat } from "../../../src/cli/chat/chat.ts";
import type { ChatInterface } from "../../../src/cli/chat/chat-interface.ts";
import { restoreChoices, showEnd } from "../../../src/cli/chat/open-conversation.ts";
import { createStepLog } from "../../../src/cli/chat/steps/step-log.ts";

/** A chat whose store never answers. */
function openStuckChat() {
  const settings = { locale: "en", mode: "chat", models: {} } as Chat["settings"];
  const duet = { store: () => new Promise(() => {}) } as unknown as Chat["duet"];
  const written: unknown[] = [];
  const chatInterface = { write: (...lines: unknown[]) => written.push(...lines) } as unknown as ChatInterface;
  return { chat: { duet, settings, steps: createStepLog() }, settings, chatInterface, written };
}

test("a stop ends the wait for a conversation that a store does not give, and nothing has changed", async () => {
  const { chat, settings, chatInterface, written } = openStuckChat();
  const stop = new AbortController();
  const { signal } = stop;
  const works = [
    showEnd(chat, chatInterface, "conv-1", signal),
    restoreChoices(chat, { conversationId: "conv-1", branch: undefined }, { signal }),
  ];
  stop.abort(new Error("stopped"));
  const ends = await Promise.allSettled(works);
  expect(ends.map((end) => end.status === "rejected" && String(end.reason))).toEqual([
    "Error: stopped",
    "Error: stopped",
  ]);
  expect(written).toEqual([]);
  expect(settings).toMatchObject({ mode: "chat", models: {} });
});
