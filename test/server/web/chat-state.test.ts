import { expect, test } from "vitest";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import { readConversation } from "../../../src/server/web/chat/api/conversation.ts";
import { readQuestion } from "../../../src/server/web/chat/api/question.ts";
import { readSettings } from "../../../src/server/web/chat/api/server-settings.ts";
import { applyEvents, closeQuestion } from "../../../src/server/web/chat/chat-runs.ts";
import {
  chooseMode,
  chooseModel,
  chooseParameter,
  restoreChoices,
} from "../../../src/server/web/chat/state/chat-choices.ts";
import {
  addTurn,
  type ChatState,
  changeRun,
  createChat,
  createTurn,
  findActiveTurn,
} from "../../../src/server/web/chat/state/chat-state.ts";
import { findEnterEffect } from "../../../src/server/web/chat/state/enter-effect.ts";
import { findParent, findParentOf } from "../../../src/server/web/chat/state/talk-tree.ts";
import { toTurns } from "../../../src/server/web/chat/state/to-turns.ts";
import { takeToken } from "../../../src/server/web/chat/storage/link-token.ts";
import { createTabStorage } from "../../../src/server/web/chat/storage/tab-storage.ts";
import { createPageRunState } from "../../../src/server/web/run/page-run-state.ts";
import { toView } from "../../../src/server/web/run/to-view.ts";

test("another mode clears the history and says so in both languages; the search switch is left as it is", () => {
  const chat = chooseMode(chatWithTurn(), "chat");
  expect(chat).toMatchObject({ conversationId: undefined, turns: {}, choices: { mode: "chat", search: true } });
  expect(chat.items).toMatchObject([{ kind: "note", text: { zh: "已切换到 Chat 模式，对话历史已清除。" } }]);
  const again = chooseMode(chat, "chat");
  expect(again).toEqual(chat);
  // It is a choice all the same, which what the server says later must not take back.
  expect(again.choices).not.toBe(chat.choices);
});

test("a turn without a place is replaced by a question that follows what stands before it, and nothing where no answer does", () => {
  const node = { n: 7, parent: 3, runId: "run-7" };
  const answer = { type: "plain", text: "A.", isFailed: false } as const;
  const tree = { nodes: [{ ...node, question: "One?" }], branches: [] };
  const asked = addTurn(createChat({ mode: "agent", search: false, models: {}, parameters: {} }), {
    ...createTurn("one", "One?"),
    node,
  });
  const failed = createTurn("two", "Two?");
  const chat = changeRun(addTurn({ ...changeRun(asked, "one", answer), tree }, failed), "two", {
    ...answer,
    isFailed: true,
  });
  expect(findParentOf(chat, failed)).toBe(7);
  expect(findParentOf(chat, { ...failed, key: "one", node })).toBe(3);
  expect(findParent(chat)).toBe(7);
  // The branch with an answer is out of sight.
  const alone = { ...chat, items: chat.items.slice(1) };
  expect(findParentOf(alone, failed)).toBe(0);
  expect(findParent(alone)).toBe(0);
  // Where nothing is kept, there is no number.
  expect(findParentOf({ ...alone, tree: { nodes: [], branches: [] } }, failed)).toBeUndefined();
});

test("another model clears the history, and the server's own is chosen by choosing none", () => {
  const chat = chooseModel(chatWithTurn(), "answer", "b/two");
  expect(chat.choices.models).toEqual({ answer: "b/two" });
  expect(chat.items).toMatchObject([{ text: { zh: "回答模型：已切换到模型 b/two，对话历史已清除。" } }]);
  expect(chooseModel(chat, "answer", "a/one").choices.models).toEqual({});
});

test("a parameter that changes is told with what it was, and the history stays", () => {
  const chat = chooseParameter(chatWithTurn(), "answer", "temperature", 0.3);
  expect(chat.choices.parameters).toEqual({ answer: { temperature: 0.3 } });
  expect(chat.items.at(-1)).toMatchObject({ text: { en: "answer.temperature: 0.7 → 0.3" } });
  expect(chat.items[0]).toMatchObject({ kind: "turn" });
  expect(chooseParameter(chat, "answer", "temperature", undefined).choices.parameters).toEqual({ answer: {} });
});

test("a run that goes on in another conversation is kept, one that is over is not", () => {
  const chat = addTurn(chatWithTurn(), createTurn("two", "And?"));
  const over = changeRun(chat, "one", { type: "plain", text: "Yes.", isFailed: false });
  const away = chooseMode(over, "plan");
  expect(Object.keys(away.turns)).toEqual(["two"]);
  expect(findActiveTurn(away)).toBeUndefined();
});

test("a kept conversation is shown turn by turn: failed runs too, answers whose runs are gone too, none twice", () => {
  const conversation = readConversation({
    turns: [
      { question: "Old?", answer: "Old." },
      { question: "Why?", answer: "Because [2]." },
    ],
    sources: [
      { n: 1, title: "One", url: "https://example.com/1" },
      { n: 2, title: "Two", url: "https://example.com/2" },
    ],
    runs: [
      { run_id: "run-1", question: "Why?", status: "failed" },
      { run_id: "run-2", question: "Why?", status: "complete" },
      { run_id: "run-3", question: "Next?", status: "running" },
    ],
  });
  const views = toTurns(conversation, "conv-1").map(({ run }) => toView(run));
  expect(views.map(({ question, status, answer }) => [question, status, answer])).toEqual([
    ["Why?", "failed", ""],
    ["Old?", "ended", "Old."],
    ["Why?", "ended", "Because [2]."],
  ]);
  expect(views[2]?.sources).toMatchObject([{ n: 2, title: "Two" }]);
});

test("the list of sources at an answer's end is cut off where it is one, and what looks like many costs nothing", () => {
  const cited = [{ n: 1, title: "One", url: "https://example.com/1" }];
  const answerOf = (text: string): string =>
    toView({ ...createPageRunState(), cited, plain: { text, isFailed: false } }).answer;
  const list = "\n\nReferences\n\n- [1] One https://example.com/1";
  expect(answerOf(`Yes [1].${list}`)).toBe("Yes [1].");
  expect(answerOf(`Yes [1].${list}\n`)).toBe("Yes [1].");
  for (const text of [`${list} and\n\nmore`, "\n\nReferences\n\n- [2] Two", "\n\nReferences\n\n"])
    expect(answerOf(text)).toBe(text);
  const hostile = `\n\nReferences\n\n${"- [1] ".repeat(1000)}\n\nend`;
  expect(answerOf(hostile)).toBe(hostile);
});

test("a run that could not be followed asks nothing any more", () => {
  const question = readQuestion({ question_id: "q-1", message: "", kind: "plan" });
  const asked = applyEvents(chatWithTurn(), "one", { events: [], question });
  expect(asked.turns.one?.question).toEqual(question);
  const closed = closeQuestion(asked, "one");
  expect(closed.turns.one?.question).toBeUndefined();
  expect(closeQuestion(closed, "one")).toBe(closed);
});

test("a run listens until the first word of its answer, in whatever turn that was written", () => {
  const decide = { type: "phase-start", phase: "decide", step: 1, model: "a/one", reason: "" } as const;
  const tell = (chat: ChatState, ...events: AgentEvent[]) => applyEvents(chat, "one", { events, question: undefined });
  const blank = tell(chatWithTurn(), decide, { type: "answer-delta", text: " \n" });
  expect(findEnterEffect(blank)).toBe("tell");
  const answering = tell(blank, { type: "answer-delta", text: "So far." }, decide);
  expect(findEnterEffect(answering)).toBe("wait");
  expect(findEnterEffect(tell(chatWithTurn(), { ...decide, phase: "answer" }))).toBe("wait");
});

test("what comes from outside and is no question, conversation or setting is passed over", () => {
  for (const value of [undefined, null, 1, "x", [], {}, { question_id: "q" }, { question_id: "q", kind: "form" }])
    expect(readQuestion(value)).toBeUndefined();
  expect(readConversation({ turns: "x", runs: [1], sources: [null] })).toEqual({
    turns: [],
    runs: [],
    sources: [],
    tree: [],
    branches: [],
  });
  expect(
    readSettings({ start_mode: "x", choices: [1, "a/b"], parameters: { answer: { temperature: "1" } } }),
  ).toMatchObject({
    mode: "chat",
    choices: ["a/b"],
    parameters: { answer: {} },
  });
});

test("a token in the address is taken off it, and kept where a browser keeps nothing", () => {
  const places: unknown[] = [];
  const history = { replaceState: (_: unknown, __: string, place: string) => void places.push(place) };
  const location = { hash: "#token=s%20ecret&x=1", pathname: "/", search: "?q=1" };
  expect(takeToken({ location, history })).toBe("s ecret");
  expect(places).toEqual(["/?q=1"]);
  const keeper = createTabStorage(() => {
    throw new Error("SecurityError");
  });
  keeper.keepToken("s ecret");
  expect(keeper.token()).toBe("s ecret");
  expect(keeper.chat()).toMatchObject({ conversationId: undefined, choices: {} });
});

function chatWithTurn(): ChatState {
  const settings = readSettings({
    start_mode: "agent",
    limits: { max_iterations: 5, max_tool_calls: 6, timeout_s: 60 },
    models: { function_call: "a/one", answer: "a/one" },
    choices: ["a/one", "b/two"],
    parameters: { function_call: {}, answer: { temperature: 0.7 } },
  });
  const chat = createChat({ mode: "agent", search: true, models: {}, parameters: {} });
  return addTurn({ ...chat, settings, conversationId: "conv-1" }, createTurn("one", "Well?"));
}

test("a switch offers the conversation that it leaves, and an opened one brings its mode and the models that can be chosen", () => {
  const chat = { ...chatWithTurn(), conversationId: "conv-1" };
  const left = chooseMode(chat, chat.choices.mode === "plan" ? "agent" : "plan");
  expect(left.conversationId).toBeUndefined();
  expect(left.items.at(-1)).toMatchObject({ kind: "note", left: "conv-1" });
  const models = { function_call: "gone/model", answer: "b/two" };
  const opened = restoreChoices(chat, {
    mode: "agent",
    models,
    turns: [],
    sources: [],
    tree: [],
    branches: [],
    runs: [],
  });
  expect(opened.choices).toMatchObject({ mode: "agent", models: { answer: "b/two" } });
});
