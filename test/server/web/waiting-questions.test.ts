import { expect, test } from "vitest";
import type { Api } from "../../../src/server/web/chat/api/api.ts";
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

function toQuestion(conversationId: string) {
  return { conversationId, files: [], request: { message: "Second?", mode: undefined, locale: "en" } } as const;
}

/** Opens the questions of a page whose server takes each of them. */
function openQuestions(api: Partial<WaitingQuestionsOptions["api"]> = {}) {
  const kept = new Map<string, NewText>();
  const asked: string[] = [];
  const store = createStore(createChat({ mode: "agent", search: false, models: {}, parameters: {} }), () => {});
  const server: Pick<Api, "queue" | "waiting" | "withdraw" | "outcome"> = {
    queue: async (_, __, key) => toWaiting(key),
    waiting: async () => [],
    withdraw: async () => {},
    outcome: async () => undefined,
    ...api,
  };
  const waiting = createWaitingQuestions({
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
