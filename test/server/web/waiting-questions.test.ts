import { expect, onTestFinished, test, vi } from "vitest";
import type { Api } from "../../../src/server/web/chat/api/api.ts";
import { ApiError } from "../../../src/server/web/chat/api/api-error.ts";
import type { WaitingQuestion } from "../../../src/server/web/chat/api/conversation.ts";
import { createChat, createStore } from "../../../src/server/web/chat/state/chat-state.ts";
import type { NewText } from "../../../src/server/web/chat/storage/kept-texts.ts";
import {
  createWaitingQuestions,
  type WaitingQuestionsOptions,
} from "../../../src/server/web/chat/waiting-questions.ts";

test("a question of a conversation that was deleted for good is forgotten at once", async () => {
  const { waiting, kept } = openQuestions();
  await waiting.add(toQuestion("conv-1"), undefined);
  await waiting.add(toQuestion("conv-2"), undefined);
  waiting.markRemoved("conv-1", false);
  expect([...kept.values()]).toMatchObject([{ conversationId: "conv-2", restorableUntil: undefined }]);
});

test("what waited in a deleted conversation is sent again only once the server has said who asks, and from no page out of sight", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const [owner, sight] = [Promise.withResolvers<void>(), { isSeen: false }];
  const confirmOwner = vi.fn(() => owner.promise);
  const { waiting, asked } = openQuestions({}, { confirmOwner, isSeen: () => sight.isSeen });
  await waiting.add(toQuestion("conv-1"), undefined);
  asked.splice(0);
  waiting.markRemoved("conv-1", true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([confirmOwner.mock.calls, asked]).toEqual([[], []]);

  sight.isSeen = true;
  waiting.markRemoved("conv-1", true);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([confirmOwner.mock.calls.length, asked]).toEqual([1, []]);
  waiting.restoreConversation("conv-1");
  await vi.advanceTimersByTimeAsync(0);
  expect([confirmOwner.mock.calls.length, asked]).toEqual([2, []]);
  owner.resolve();
  await waiting.sendLost();
  expect(asked.slice(0, 2)).toEqual(["waiting", "queue"]);
});

test("a question whose conversation is deleted while it is given to the server again is kept for its restoration, and offered nowhere else", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let isThere = true;
  const { waiting, kept, store } = openQuestions({
    async queue(id, _, key) {
      if (isThere) return toWaiting(key);
      waiting.markRemoved(id, true);
      throw new ApiError(404, "no such conversation", null);
    },
  });
  await waiting.add(toQuestion("conv-1"), undefined);
  isThere = false;
  await waiting.sendLost();
  expect([...kept.values()]).toMatchObject([{ conversationId: "conv-1", restorableUntil: expect.any(Number) }]);
  expect(store.state.unsent).toEqual([]);
});

test("the questions of a deleted conversation are looked for once when it can be restored no more, and never once it is restored or gone for good", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { waiting, asked } = openQuestions();
  for (const _ of ["first", "second"]) await waiting.add(toQuestion("conv-1"), undefined);
  waiting.markRemoved("conv-1", true);
  asked.splice(0);
  await vi.advanceTimersByTimeAsync(29_999);
  expect(asked).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toEqual(["waiting", "queue", "queue"]);
  waiting.markRemoved("conv-1", true);
  waiting.restoreConversation("conv-1");
  expect(vi.getTimerCount()).toBe(0);
  waiting.markRemoved("conv-1", true);
  waiting.markRemoved("conv-1", false);
  expect(vi.getTimerCount()).toBe(0);
});

test.each<[string, (open: ReturnType<typeof openQuestions>) => Promise<void>]>([
  ["first given to the server", ({ waiting }) => waiting.add(toQuestion("conv-2"), undefined)],
  ["looked for on the server", ({ waiting }) => waiting.sendLost()],
])("a deletion that is heard of while a question is %s is not forgotten by the answer to that", async (_, ask) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let isWatching = false;
  const hear = (id: string) => isWatching && opened.waiting.markRemoved(id, true);
  const opened = openQuestions({
    async queue(id, _, key) {
      hear(id);
      return toWaiting(key);
    },
    async waiting(id) {
      hear(id);
      return [...opened.kept.keys()].map(toWaiting);
    },
  });
  await opened.waiting.add(toQuestion("conv-1"), undefined);
  isWatching = true;
  await ask(opened);
  expect([...opened.kept.values()].at(-1)).toMatchObject({ restorableUntil: expect.any(Number) });
});

test("what the server says of a queue while it is asked who asks does not take away what a restart has lost", async () => {
  const owner = Promise.withResolvers<void>();
  const { waiting, kept, asked } = openQuestions({}, { confirmOwner: () => owner.promise });
  await waiting.add(toQuestion("conv-1"), undefined);
  asked.splice(0);
  const sent = waiting.sendLost();
  waiting.settle("conv-1", [toWaiting("key-of-another-tab")]);
  owner.resolve();
  await sent;
  expect(asked).toEqual(["waiting", "queue"]);
  expect([...kept.values()]).toMatchObject([{ conversationId: "conv-1" }]);
});

function toQuestion(conversationId: string) {
  return { conversationId, files: [], request: { message: "Second?", mode: undefined, locale: "en" } } as const;
}

/** Opens the questions of a page whose server takes each of them. */
function openQuestions(
  api: Partial<WaitingQuestionsOptions["api"]> = {},
  page: Partial<Pick<WaitingQuestionsOptions, "confirmOwner" | "isSeen">> = {},
) {
  const kept = new Map<string, NewText>();
  const asked: string[] = [];
  const store = createStore(createChat({ mode: "agent", search: false, models: {}, parameters: {} }), () => {});
  const server: Pick<Api, "queue" | "waiting" | "withdraw" | "outcome"> = {
    queue: async (_, __, key) => toWaiting(key),
    waiting: async () => [],
    withdraw: async () => {},
    outcome: () => Promise.reject(new ApiError(404, "no such run", null)),
    ...api,
  };
  const waiting = createWaitingQuestions({
    confirmOwner: async () => {},
    isSeen: () => true,
    ...page,
    api: {
      ...server,
      async queue(...of) {
        asked.push("queue");
        return server.queue(...of);
      },
      async waiting(id) {
        asked.push("waiting");
        return server.waiting(id);
      },
    },
    store,
    kept: { put: (text) => void kept.set(text.key, text), remove: (key) => void kept.delete(key) },
  });
  return { waiting, kept, asked, store };
}

function toWaiting(key: string): WaitingQuestion {
  const facts = { message: "Second?", runId: "", afterRun: undefined, problem: "", files: [] };
  return { ...facts, id: `queue-${key}`, reservedRunId: `run-${key}` };
}
