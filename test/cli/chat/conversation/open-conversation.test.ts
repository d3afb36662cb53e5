import { expect, test } from "vitest";
import type { Chat } from "../../../../src/cli/chat/chat.ts";
import { openConversation, restoreChoices, showEnd } from "../../../../src/cli/chat/conversation/open-conversation.ts";
import type { ChatInterface } from "../../../../src/cli/chat/interface/chat-interface.ts";
import { createStepLog } from "../../../../src/cli/chat/steps/step-log.ts";

/** Everything that opening a conversation waits for. `models` is asked for those in force, and then for those of the conversation. */
type Wait = "store" | "load" | "interrupted runs" | "runs" | "trace" | "models" | "models of the conversation";

/** A chat whose Duet answers everything but one wait, which never ends, or everything. */
function openStuckChat(stuck: Wait | "none") {
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
    storedRuns: { listInterrupted: () => answer("interrupted runs", []) },
    models: {
      open: (changes: object) =>
        answer("answer" in changes ? "models of the conversation" : "models", {
          functionCall: inForce,
          answer: inForce,
        }),
    },
  } as unknown as Chat["duet"];
  const written: unknown[] = [];
  const chatInterface = {
    write: (...lines: unknown[]) => written.push(...lines),
    writeTurn: async (turn: unknown) => written.push(turn),
  } as unknown as ChatInterface;
  return {
    chat: { duet, settings, steps: createStepLog(), offers: { make: () => {} } },
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

test.each<Wait>(["store", "load", "runs", "trace", "interrupted runs", "models", "models of the conversation"])(
  "a stop ends the opening of a conversation where it waits for the %s: nothing is shown, and the chat stays as it was",
  async (wait) => {
    const { chat, settings, chatInterface, written, reached } = openStuckChat(wait);
    const { signal, abort } = createStop();
    const entered: number[] = [];
    async function enter(branch: number): Promise<string[]> {
      const lines = await restoreChoices(chat, { conversationId: "conv-1", branch }, { signal });
      entered.push(branch);
      return lines;
    }
    const end = openConversation(chat, chatInterface, "conv-1", { enter, signal });
    await reached;
    abort();
    await expect(withoutWaiting(end)).rejects.toThrow("stopped");
    expect(written).toEqual([]);
    expect(entered).toEqual([]);
    expect(settings).toMatchObject({ mode: "chat", models: {} });
    expect(chat.steps.listRunSteps()).toEqual([]);
  },
);

test("an error of the store in the choices of a conversation shows nothing of it", async () => {
  const { chat, chatInterface, written } = openStuckChat("none");
  const enter = () => Promise.reject(new Error("the disk is full"));
  const end = openConversation(chat, chatInterface, "conv-1", { enter, signal: AbortSignal.timeout(5_000) });
  await expect(end).rejects.toThrow("the disk is full");
  expect(written).toEqual([]);
});

test.each([
  ["is of another conversation", async (id?: string) => (id === undefined ? [interrupted] : []), 1],
  ["cannot be read", () => Promise.reject(new Error("the disk is full")), 1],
  ["is of this conversation", async () => [interrupted], 0],
])(
  "a run that reached a limit is offered to go on with as it should where an interrupted run %s",
  async (_, list, offered) => {
    const { chat, chatInterface, written } = openStuckChat("none");
    Object.assign(chat.duet.storedRuns, { listInterrupted: list });
    const store = await chat.duet.store();
    const trace = { ...(await store.trace("run-1")), limit: { setting: "agent.maxToolCalls", value: 5 } };
    Object.assign(store, { trace: async () => trace });
    const made: unknown[] = [];
    const shownIn = { ...chat, offers: { make: (offer: unknown) => void made.push(offer) } };
    const signal = AbortSignal.timeout(5_000);
    expect(await showEnd(shownIn, chatInterface, "conv-1", { enter: async () => [], signal })).toBe(1);
    expect(written).not.toEqual([]);
    expect(made).toHaveLength(offered);
  },
);

const interrupted = { owner: undefined, header: { entrance: "terminal" } };

function createStop() {
  const stop = new AbortController();
  return { signal: stop.signal, abort: () => stop.abort(new Error("stopped")) };
}

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
