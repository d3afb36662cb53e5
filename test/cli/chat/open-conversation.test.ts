import { expect, test } from "vitest";
import type { Chat } from "../../../src/cli/chat/chat.ts";
import type { ChatInterface } from "../../../src/cli/chat/chat-interface.ts";
import { restoreChoices, showEnd } from "../../../src/cli/chat/open-conversation.ts";
import { createStepLog } from "../../../src/cli/chat/steps/step-log.ts";

/** Everything that opening a conversation waits for. `models` is asked for those in force, and then for those of the conversation. */
type Wait = "store" | "load" | "interrupted runs" | "runs" | "trace" | "models" | "models of the conversation";

/** A chat whose Duet answers everything but one wait, which never ends. */
function openStuckChat(stuck: Wait) {
  const reached = Promise.withResolvers<void>();
  function answer<T>(wait: Wait, value: T): Promise<T> {
    if (wait !== stuck) return Promise.resolve(value);
    reached.resolve();
    return new Promise(() => {});
  }
  const bill = { provider: "acme", model: "old" };
  const store = {
    load: () => answer("load", { title: "Books", turns: [{ question: "Q?", answer: "A." }] }),
    runs: () => answer("runs", [{ id: "run-1" }]),
    trace: () => answer("trace", { mode: "agent", models: { function_call: bill, answer: bill }, steps: [] }),
  };
  const inForce = { provider: "acme", model: "new" };
  const settings = { locale: "en", mode: "chat", models: {} } as Chat["settings"];
  const duet = {
    store: () => answer("store", store),
    interruptedRuns: () => answer("interrupted runs", []),
    models: (changes: object) =>
      answer("answer" in changes ? "models of the conversation" : "models", {
        functionCall: inForce,
        answer: inForce,
      }),
  } as unknown as Chat["duet"];
  const written: unknown[] = [];
  const chatInterface = {
    write: (...lines: unknown[]) => written.push(...lines),
    writeTurn: async (turn: unknown) => written.push(turn),
  } as unknown as ChatInterface;
  return {
    chat: { duet, settings, steps: createStepLog() },
    settings,
    chatInterface,
    written,
    reached: reached.promise,
  };
}

/** Settles as the work does, and rejects where it goes on waiting. */
function withoutWaiting<T>(work: Promise<T>): Promise<T> {
  return Promise.race([work, new Promise<never>((_, reject) => setImmediate(reject, new Error("it still waits")))]);
}

const title = "Continuing: Books (1 turn)";

test.each<[Wait, string[]]>([
  ["store", []],
  ["load", []],
  ["runs", [title]],
  ["trace", [title]],
])("a stop ends the wait for a conversation whose %s hangs, and nothing more is shown", async (wait, shown) => {
  const { chat, chatInterface, written, reached } = openStuckChat(wait);
  const stop = new AbortController();
  const end = showEnd(chat, chatInterface, "conv-1", { signal: stop.signal });
  await reached;
  stop.abort(new Error("stopped"));
  await expect(withoutWaiting(end)).rejects.toThrow("stopped");
  expect(written).toEqual(shown);
});

test.each<Wait>(["store", "interrupted runs", "runs", "trace", "models", "models of the conversation"])(
  "a stop ends the wait for the choices of a conversation where it is for the %s, and nothing has changed",
  async (wait) => {
    const { chat, settings, reached } = openStuckChat(wait);
    const stop = new AbortController();
    const place = { conversationId: "conv-1", branch: undefined };
    const end = restoreChoices(chat, place, { signal: stop.signal });
    await reached;
    stop.abort(new Error("stopped"));
    await expect(withoutWaiting(end)).rejects.toThrow("stopped");
    expect(settings).toMatchObject({ mode: "chat", models: {} });
  },
);
