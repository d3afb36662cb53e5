import { expect, test } from "vitest";
import { longestMessage, mostMessages } from "../../../src/core/run/message-limits.ts";
import { type Api, createApi } from "../../../src/server/web/chat/api/api.ts";
import { ApiError } from "../../../src/server/web/chat/api/api-error.ts";
import { createSender, UnreachedError } from "../../../src/server/web/chat/api/sender.ts";
import {
  createChatList,
  createConversations,
  dropEntry,
  insertEntry,
  loadSteps,
} from "../../../src/server/web/chat/chat-conversations.ts";
import { applyEvents, closeQuestion, createChatRuns } from "../../../src/server/web/chat/chat-runs.ts";
import { createSendActions, type WritingPlace } from "../../../src/server/web/chat/create-send-actions.ts";
import { createReportErrors } from "../../../src/server/web/chat/report-errors.ts";
import { restoreTexts } from "../../../src/server/web/chat/restore-texts.ts";
import { settleMessages } from "../../../src/server/web/chat/settle-messages.ts";
import { startConversation } from "../../../src/server/web/chat/state/chat-choices.ts";
import {
  addTurn,
  type ChatState,
  createChat,
  createStore,
  createTurn,
  type Store,
} from "../../../src/server/web/chat/state/chat-state.ts";
import { findEnterEffect } from "../../../src/server/web/chat/state/enter-effect.ts";
import { getTabTitle, toSideEntries } from "../../../src/server/web/chat/state/side-entries.ts";
import { addUnsent, listUnsent, offerAgain } from "../../../src/server/web/chat/state/unsent.ts";
import { createAddressHash } from "../../../src/server/web/chat/storage/address-hash.ts";
import { createUnsentKeeper } from "../../../src/server/web/chat/storage/keep-unsent.ts";
import type { KeptText } from "../../../src/server/web/chat/storage/kept-text.ts";
import type { KeptTexts, NewText } from "../../../src/server/web/chat/storage/kept-texts.ts";
import { createSaver, createTabStorage } from "../../../src/server/web/chat/storage/tab-storage.ts";
import { createWaitingQuestions } from "../../../src/server/web/chat/waiting-questions.ts";
import { createConnectivity } from "../../../src/server/web/chat/watch/connectivity.ts";
import { toView } from "../../../src/server/web/run/to-view.ts";
import { makeTool } from "../../fakes/events.ts";
import { type HttpDuetSettings, openHttpDuet, startHttpDuet } from "../../fakes/http-duet.ts";
import type { ScriptedTurn } from "../../fakes/model.ts";
import { temporaryFolder } from "../../fakes/program.ts";

const call = { id: "1", name: "look", input: { word: "Duet" } };
const said = { conversationId: undefined, files: [], isQueued: false, saidTo: "run-1" };

test("a first question that one has looked away from is in the list, says that it needs someone, and is opened with its question", async () => {
  const open = await serve([[call], "Done."], { settings: { tools: { ask: ["look"] } } });
  const { store, runs, conversations } = open();
  runs.ask("What is it?");
  await until(store, waits);
  store.change(startConversation);
  expect(toSideEntries(store.state)).toMatchObject([{ title: "What is it?", mark: "waits", isCurrent: false }]);
  expect(getTabTitle(store.state)).toBe("(1) Duet");

  const again = open();
  await again.list.refresh();
  expect(toSideEntries(again.store.state)).toMatchObject([{ title: "What is it?", mark: "waits" }]);

  await conversations.open(toSideEntries(store.state)[0]?.id ?? "");
  const [turn] = shown(store.state);
  expect(turn?.question).toMatchObject({ kind: "call", tool: "look" });
  expect(getTabTitle(store.state)).toBe("(1) What is it? · Duet");
  if (turn?.question) await runs.reply(turn.key, turn.question, "once");
  await until(store, isAnswered);
  expect(toSideEntries(store.state)).toMatchObject([{ mark: undefined, isCurrent: true }]);
});

test("a question that waits follows the answer that it waited for and the one queued before it, whatever another tab does", async () => {
  const turns: ScriptedTurn[] = ["Enough.", "Hello.", [call], [call], ...Array.from({ length: 8 }, () => "Enough.")];
  const open = await serve(turns, { settings: { tools: { ask: ["look"] } } });
  const [tab, other] = [open(), open()];
  tab.runs.ask("Hi?");
  await until(tab.store, isAnswered);
  const id = tab.store.state.conversationId ?? "";
  await other.conversations.open(id);
  for (const [{ runs, store }, question] of [
    [tab, "Look here?"],
    [other, "Look there?"],
  ] as const) {
    runs.ask(question);
    await until(store, waits);
  }
  for (const text of ["And one?", "And two?"])
    expect(tab.actions.send(text, { isQueued: true })).toEqual({ kind: "sent", hasFiles: true });
  await expect.poll(() => tab.api.waiting(id)).toMatchObject([{ message: "And one?" }, { message: "And two?" }]);
  // The other branch is written to last, and is the current one then.
  for (const { runs, store } of [tab, other]) {
    const [turn] = shown(store.state).slice(-1);
    if (turn?.question) await runs.reply(turn.key, turn.question, "once");
    await until(store, (chat) => !waits(chat));
  }
  await expect
    .poll(async () => {
      const { branches } = await tab.api.conversation(id);
      const all = await Promise.all(branches.map(({ branch }) => tab.api.conversation(id, branch)));
      return all.map((each) => each.turns.map(({ question }) => question)).sort();
    })
    .toEqual([
      ["Hi?", "Look here?", "And one?", "And two?"],
      ["Hi?", "Look there?"],
    ]);
});

test("of two answers from two tabs one counts, and the other leaves no yes behind that would be asked", async () => {
  const open = await serve([[call], "Done."], { settings: { tools: { ask: ["look"] } } });
  const [here, there] = [open(), open()];
  here.runs.ask("What is it?");
  await until(here.store, waits);
  await there.conversations.open(here.store.state.conversationId ?? "");
  await until(there.store, waits);
  for (const { actions } of [here, there]) expect(actions.send("yes")).toEqual({ kind: "sent", hasFiles: false });
  const problems = () => [here, there].map(({ store }) => store.state.problem?.text).filter(Boolean);
  await expect.poll(problems).toEqual(["This question was answered elsewhere, or no longer waits for an answer."]);
  for (const { store } of [here, there]) {
    await until(store, isAnswered);
    expect(store.state.unsent).toEqual([]);
  }
});

test("what was said to a run that waits for a person is not offered again before the run is over", async () => {
  const [gate, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const open = await serve([[call], "Done."], { gate: gate.promise, settings: { tools: { ask: ["look"] } } });
  const { api, store, runs, actions } = open(({ message }) => ({
    message: (...of) => message(...of).then(taken.resolve, taken.reject),
  }));
  runs.ask("What is it?");
  await until(store, goes);
  actions.send("Briefly.");
  await taken.promise;
  gate.resolve();
  await until(store, waits);
  const [turn] = shown(store.state);
  const runId = turn?.run.runId ?? "";
  expect((await api.outcome(runId))?.status).toBe("needs_confirmation");
  await settleMessages(api, store);
  expect(store.state.unsent).toMatchObject([{ text: "Briefly.", saidTo: runId }]);
  if (turn?.question) await runs.reply(turn.key, turn.question, "once");
  await until(store, isAnswered);
  await settleMessages(api, store);
  expect(store.state.unsent).toEqual([]);
});

test("a text said twice and read once is offered once, also where a long trace has only its beginning", async () => {
  const open = await serve([]);
  const { store } = open();
  const long = `Take care ${"of each thing ".repeat(8)}`;
  for (const [index, text] of ["Again.", "Again.", long].entries())
    store.change((chat) => addUnsent(chat, { ...said, text }, `key-${index}`));
  const notices = ["Passed on: Again.", `Passed on: ${long.slice(0, 49)}…`].map((message) => {
    return { kind: "notice", level: "info", message } as const;
  });
  const api = {
    outcome: () => Promise.reject(new ApiError(404, "no such run", null)),
    trace: async () => ({ notices, plan: [], steps: [] }),
  };
  await settleMessages(api, store);
  expect(listUnsent(store.state).map(({ key, text }) => [key, text])).toEqual([["key-1", "Again."]]);
});

test("what is taken back while the run that it was said to has not answered is not offered once more", async () => {
  const refused = Promise.withResolvers<never>();
  const open = await serve([], { gate: new Promise(() => {}) });
  const { store, runs, actions } = open(() => ({ message: () => refused.promise }));
  runs.ask("What is it?");
  await until(store, goes);
  actions.send("Briefly.");
  const [entry] = store.state.unsent;
  store.change((chat) => offerAgain(chat, entry?.key ?? ""));
  const [offered] = listUnsent(store.state);
  if (offered === undefined) throw new Error("Nothing is offered.");
  actions.takeBack(offered);
  refused.reject(new ApiError(503, "the process of the run does not answer", null));
  await until(store, ({ problem }) => problem !== undefined);
  expect(store.state.unsent).toEqual([]);
});

test("what is said to a run that reads nothing more waits for its end, without an error", async () => {
  const open = await serve([[call], "Enough.", "First.", "Enough.", "Second."], {
    settings: { tools: { ask: ["look"] } },
  });
  const { api, store, runs, actions } = open(() => ({
    message: () => Promise.reject(new ApiError(409, "the answer is being written", null)),
  }));
  runs.ask("What is it?");
  await until(store, waits);
  const id = store.state.conversationId ?? "";
  store.change((chat) => closeQuestion(chat, shown(chat)[0]?.key ?? ""));
  actions.send("And then?");
  await expect.poll(() => api.waiting(id)).toMatchObject([{ message: "And then?" }]);
  await until(store, ({ unsent }) => unsent.length === 0);
  expect(store.state.problem).toBeUndefined();
});

test("what came too late for a run is not offered again while it is being queued, also where the run is over meanwhile", async () => {
  const open = await serve([[call]], { settings: { tools: { ask: ["look"] } } });
  const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { store, runs, actions } = open(({ queue }) => ({
    message: () => Promise.reject(new ApiError(409, "the answer is being written", null)),
    async queue(...of) {
      asked.resolve();
      await gate.promise;
      return queue(...of);
    },
  }));
  runs.ask("What is it?");
  await until(store, waits);
  store.change((chat) => closeQuestion(chat, shown(chat)[0]?.key ?? ""));
  actions.send("And then?");
  await asked.promise;
  const isOver = {
    outcome: () => Promise.reject(new ApiError(404, "no such run", null)),
    trace: async () => ({ notices: [], plan: [], steps: [] }),
  };
  await settleMessages(isOver, store);
  expect(listUnsent(store.state)).toEqual([]);
  gate.resolve();
  await until(store, ({ unsent }) => unsent.length === 0);
});

test("the files beside what is said to a run stay there, and go with it where it is asked because it came too late", async () => {
  const open = await serve([[call]], { settings: { tools: { ask: ["look"] } } });
  const late = Promise.withResolvers<never>();
  const { api, store, runs, actions, screen } = open(() => ({ message: () => late.promise }));
  runs.ask("What is it?");
  await until(store, waits);
  store.change((chat) => closeQuestion(chat, shown(chat)[0]?.key ?? ""));
  const [file, other] = ["a.txt", "b.txt"].map((name) => ({ name, media_type: "text/plain", data: "QQ==" }));
  if (file === undefined || other === undefined) throw new Error("There are no files.");
  screen.files = [file];
  expect(actions.send("And this?", { files: screen.files })).toEqual({ kind: "sent", hasFiles: false });
  screen.files = [file, other];
  late.reject(new ApiError(409, "the answer is being written", null));
  await until(store, ({ unsent }) => unsent.length === 0);
  expect(await api.waiting(store.state.conversationId ?? "")).toMatchObject([
    { message: "And this?", files: [{ name: "a.txt" }] },
  ]);
  expect(screen.files).toEqual([other]);
});

test("a run that takes no more messages says so, and what it did not take stays with its writer", async () => {
  const open = await serve([[call], "Done."], { gate: new Promise(() => {}) });
  const { api, store, runs, actions } = open();
  runs.ask("What is it?");
  await until(store, goes);
  const [turn] = shown(store.state);
  for (let count = 1; count <= mostMessages; count += 1) await api.message(turn?.run.runId ?? "", `Message ${count}.`);
  actions.send("One more.");
  await until(store, (chat) => listUnsent(chat).length > 0);
  expect(listUnsent(store.state)).toMatchObject([{ text: "One more.", isQueued: false }]);
  expect(store.state.problem?.text).toMatch(/at most 20 messages/);
  expect(await api.waiting(store.state.conversationId ?? "")).toEqual([]);
});

test("a bare yes to a run that reads nothing more is not asked as a question, and is back where it was written", async () => {
  const open = await serve([[call]], { settings: { tools: { ask: ["look"] } } });
  const { api, store, runs, actions, screen } = open(() => ({
    message: () => Promise.reject(new ApiError(409, "ask it as the next question", null)),
  }));
  runs.ask("What is it?");
  await until(store, waits);
  store.change((chat) => closeQuestion(chat, shown(chat)[0]?.key ?? ""));
  const late =
    "“yes” was not sent: it came too late for this run. Press “Queue it” (Alt+Enter) to ask it as your next question.";
  for (const draft of ["", "Meanwhile"]) {
    screen.draft = draft;
    store.change((chat) => ({ ...chat, problem: undefined }));
    actions.send("yes");
    await until(store, ({ problem }) => problem !== undefined);
    expect(store.state.problem?.text).toBe(late);
    expect(screen.draft).toBe(draft || "yes");
    expect(listUnsent(store.state)).toMatchObject(draft === "" ? [] : [{ text: "yes" }]);
  }
  expect(await api.waiting(store.state.conversationId ?? "")).toEqual([]);
});

test("a bare yes waits for the end of a run that reads nothing more only where its writer queues it", async () => {
  const open = await serve([[call]], { settings: { tools: { ask: ["look"] } } });
  const { api, store, runs, actions } = open();
  runs.ask("What is it?");
  await until(store, waits);
  const id = store.state.conversationId ?? "";
  const key = shown(store.state)[0]?.key ?? "";
  const event = { type: "answer-delta", turn: 1, text: "Duet is" } as const;
  store.change((chat) => applyEvents(chat, key, { events: [event], question: null }));
  expect(findEnterEffect(store.state)).toBe("wait");
  expect(actions.send("好")).toMatchObject({ kind: "held", reason: { zh: expect.stringMatching(/^“好”没有发送/) } });
  expect(actions.send("好", { isQueued: true })).toMatchObject({ kind: "sent" });
  await expect.poll(() => api.waiting(id)).toMatchObject([{ message: "好" }]);
});

test("a server that was started anew is given what waited again, asks it once, and what it refuses is in the writer's hands", async () => {
  const open = await serve(["Enough.", "Hello.", "Enough.", "Later."]);
  const { api, store, runs, waiting } = open();
  runs.ask("Hi?");
  await until(store, isAnswered);
  const conversationId = store.state.conversationId ?? "";
  const kept = { tab: "", owner: "", at: 0, kind: "queued", files: [], runId: "run-of-a-server-before" } as const;
  const request = { mode: "agent", locale: "en" } as const;
  const one = { ...kept, request, key: "key-1", conversationId, text: "And then?" };
  const other = { ...one, key: "key-2", conversationId: "conv-gone", text: "Of nothing?" };
  for (const texts of [[one, other], [one]]) {
    await waiting.restore(texts);
    await expect.poll(async () => (await api.conversation(conversationId)).turns.length).toBe(2);
  }
  const { turns } = await api.conversation(conversationId);
  expect(turns.map(({ question }) => question)).toEqual(["Hi?", "And then?"]);
  expect(await api.waiting(conversationId)).toEqual([]);
  expect(store.state.unsent).toMatchObject([{ text: "Of nothing?", conversationId: undefined }]);
});

test("a question whose conversation is deleted and brought back has its files again", async () => {
  const open = await serve([[call]], { settings: { tools: { ask: ["look"] } } });
  const { api, store, runs, waiting } = open();
  runs.ask("First?");
  await until(store, waits);
  const conversationId = store.state.conversationId ?? "";
  const files = [{ name: "a.txt", media_type: "text/plain", data: "QQ==" }];
  const request = { message: "Second?", mode: undefined, locale: "en" } as const;
  await waiting.add({ conversationId, files, request }, undefined);
  await waiting.restore([]);
  const asked = await api.waiting(conversationId);
  const [question] = asked;
  if (question === undefined) throw new Error("Nothing waits.");
  waiting.settle(conversationId, asked);
  waiting.markRemoved(conversationId, true);
  waiting.settle(conversationId, asked);
  expect(await waiting.findFiles(question)).toEqual(files);
});

test("a question that waited in a deleted conversation is asked once when the deletion is undone after a restart of the server", async () => {
  const environment = { DUET_HOME: await temporaryFolder() };
  const settings = { conversations: { store: "disk" }, tools: { ask: ["look"] } };
  const served = { tools: [look], settings, environment };
  const first = await openHttpDuet({ ...served, turns: [[call]] });
  const kept = new Map<string, KeptText>();
  const texts = {
    put: (text: NewText) => void kept.set(text.key, { ...text, tab: "", owner: "", at: 0 }),
    remove: (key: string) => void kept.delete(key),
  };
  const before = openTab(first.origin, { kept: texts });
  before.runs.ask("First?");
  await until(before.store, waits);
  const conversationId = before.store.state.conversationId ?? "";
  const request = { message: "Second?", mode: undefined, locale: "en" } as const;
  await before.waiting.add({ conversationId, files: [], request }, undefined);
  await before.api.deleteConversation(conversationId);
  before.waiting.markRemoved(conversationId, true);
  await first.close();

  const { origin } = await startHttpDuet({ ...served, turns: ["Enough.", "Here."] });
  const { api, store, waiting } = openTab(origin, { kept: texts });
  await waiting.restore(structuredClone([...kept.values()]));
  expect([...kept.values()]).toMatchObject([{ text: "Second?", conversationId }]);
  expect(store.state.unsent).toEqual([]);
  await api.restoreConversation(conversationId);
  waiting.restoreConversation(conversationId);
  await expect
    .poll(async () => (await api.conversation(conversationId)).turns.map(({ question }) => question))
    .toEqual(["First?", "Second?"]);
  await waiting.sendLost();
  expect([...kept.values()]).toEqual([]);
  expect(await api.waiting(conversationId)).toEqual([]);
});

test("a question of a conversation that stays deleted is forgotten when the deletion can be undone no more", async () => {
  const { origin } = await startHttpDuet({});
  const facts = { tab: "", owner: "", at: 0, kind: "queued", files: [], conversationId: "conv-gone" } as const;
  const text: KeptText = { ...facts, key: "key-1", text: "Second?", restorableUntil: Date.now() - 1 };
  const kept = new Map<string, NewText>([[text.key, text]]);
  const { store, waiting } = openTab(origin, {
    kept: { put: (each) => void kept.set(each.key, each), remove: (key) => void kept.delete(key) },
  });
  await waiting.restore([text]);
  expect([...kept.keys()]).toEqual([]);
  expect(store.state.unsent).toEqual([]);
});

test("a question that was taken back elsewhere while nothing was heard of it is not given to the server again", async () => {
  const open = await serve([[call]], { settings: { tools: { ask: ["look"] } } });
  const [page, other] = [open(), open()];
  page.runs.ask("First?");
  await until(page.store, waits);
  const conversationId = page.store.state.conversationId ?? "";
  await page.waiting.add(
    { conversationId, files: [], request: { message: "Second?", mode: undefined, locale: "en" } },
    undefined,
  );
  const [question] = await other.api.waiting(conversationId);
  await other.api.withdraw(conversationId, question?.id ?? "");
  await page.waiting.sendLost();
  expect(await page.api.waiting(conversationId)).toEqual([]);
  expect(page.store.state.unsent).toEqual([]);
});

test("a question that is taken back while the server is given what it may have lost is given to nobody again", async () => {
  const open = await serve([[call]], { settings: { tools: { ask: ["look"] } } });
  const asked: string[] = [];
  const begun = Promise.withResolvers<void>();
  const [read, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const page = open(({ waiting, withdraw, outcome, queue }) => ({
    async waiting(id) {
      begun.resolve();
      await read.promise;
      return waiting(id);
    },
    withdraw: (...of) => withdraw(...of).finally(() => told.promise),
    outcome(runId) {
      asked.push("outcome");
      return outcome(runId);
    },
    queue(...of) {
      asked.push("queue");
      return queue(...of);
    },
  }));
  page.runs.ask("First?");
  await until(page.store, waits);
  const conversationId = page.store.state.conversationId ?? "";
  await page.waiting.add(
    { conversationId, files: [], request: { message: "Second?", mode: undefined, locale: "en" } },
    undefined,
  );
  const { api } = open();
  const [question] = await api.waiting(conversationId);
  if (question === undefined) throw new Error("Nothing waits.");
  const sent = page.waiting.sendLost();
  await begun.promise;
  const taken = page.waiting.takeBack(conversationId, question);
  // Were it sent at once, it would be there before this.
  await api.waiting(conversationId);
  read.resolve();
  await sent;
  told.resolve();
  await taken;
  await page.waiting.sendLost();
  expect(asked).toEqual(["queue"]);
  expect(await api.waiting(conversationId)).toEqual([]);
});

test("what an older run did is told by its trace as it was told while it ran", async () => {
  const open = await serve([[call], "Enough."], {});
  const { store, runs } = open();
  runs.ask("What is it?");
  await until(store, isAnswered);
  const [live] = shown(store.state);
  const later = open();
  await later.conversations.open(store.state.conversationId ?? "");
  const [kept] = shown(later.store.state);
  await loadSteps(later.api, later.store, kept?.key ?? "");
  const [told] = shown(later.store.state);
  const facts = (turn = live) =>
    turn === undefined
      ? []
      : toView(turn.run).steps.map(({ phase, model, end, items }) => [phase, model, end, factsOf(items)]);
  expect(facts().length).toBeGreaterThan(1);
  expect(facts(told)).toEqual(facts());
  expect(told?.run.outcome?.meta).toEqual(live?.run.outcome?.meta);
});

test("a run that the server does not know any more says so in plain words, is found again, and can be asked again", async () => {
  const open = await serve(["Here."]);
  const { store, runs } = open();
  runs.resume("run-gone", "Are you there?", undefined);
  await until(store, ({ turns }) => Object.values(turns).some(({ isGone }) => isGone));
  const [gone] = shown(store.state);
  expect(toView(gone?.run ?? createTurn("", "").run).problem?.message).toBe(
    "The server was restarted and this run no longer exists; ask again.",
  );
  const kept = new Map<string, string>();
  const keeper = createTabStorage(() => storageOf(kept));
  createSaver(keeper)(store.state, "en");
  expect(keeper.chat().runs).toMatchObject([{ id: "run-gone", question: "Are you there?" }]);
  runs.ask("Are you there?");
  await until(store, isAnswered);
  expect(shown(store.state)).toHaveLength(1);
});

test("a text that begins as a command does is held once while a run goes on, too, and sent where its writer is sure", async () => {
  const open = await serve([[call]], { settings: { tools: { ask: ["look"] } } });
  const { api, store, runs, actions } = open();
  runs.ask("What is it?");
  await until(store, waits);
  for (const isQueued of [false, true])
    expect(actions.send("/hepl", { isQueued })).toMatchObject({
      kind: "held",
      isSentAgain: true,
      reason: {
        en: expect.stringMatching(/^\/hepl is not a command of this page .* Press Enter again to send it all/),
      },
    });
  expect(store.state.unsent).toEqual([]);
  expect(actions.send("/help")).toMatchObject({ kind: "held", isSentAgain: false });
  expect(actions.send("/hepl", { isSure: true })).toEqual({ kind: "sent", hasFiles: false });
  expect(store.state.unsent).toMatchObject([{ text: "/hepl" }]);
  expect(actions.send("/foo bar", { isSure: true, isQueued: true })).toMatchObject({ kind: "sent" });
  await expect.poll(() => api.waiting(store.state.conversationId ?? "")).toMatchObject([{ message: "/foo bar" }]);
});

test("what is too long for a run is held before it is sent, also where it is sent again, and can be queued", async () => {
  const open = await serve([[call]], { settings: { tools: { ask: ["look"] } } });
  const { api, store, runs, actions } = open();
  runs.ask("What is it?");
  await until(store, waits);
  const long = "x".repeat(longestMessage + 1);
  const reason =
    "The text has 10,001 characters; a run takes at most 10,000: shorten it, or press “Queue it” (Alt+Enter).";
  expect(findEnterEffect(store.state)).toBe("call");
  expect(actions.send(long)).toMatchObject({ kind: "held", reason: { en: reason } });
  store.change((chat) => closeQuestion(chat, shown(chat)[0]?.key ?? ""));
  expect(findEnterEffect(store.state)).toBe("tell");
  expect(actions.send(long)).toMatchObject({ kind: "held", reason: { en: reason } });
  const { conversationId } = store.state;
  store.change((chat) => addUnsent(chat, { conversationId, text: long, files: [], isQueued: false }));
  for (const each of listUnsent(store.state)) actions.resend(each);
  expect(store.state.problem?.text).toBe(reason);
  expect(listUnsent(store.state)).toMatchObject([{ text: long }]);
  expect(actions.send(long, { isQueued: true })).toMatchObject({ kind: "sent" });
  await expect.poll(() => api.waiting(conversationId ?? "")).toMatchObject([{ message: long }]);
});

test("a run that the server could not be told to stop is not stopping, and can be stopped again", async () => {
  const open = await serve([], { gate: new Promise(() => {}) });
  const isDown = [true, true];
  const begun = Promise.withResolvers<void>();
  const { store, runs } = open(({ cancel, ask }) => ({
    cancel: (id) => (isDown.pop() ? Promise.reject(new UnreachedError("Failed to fetch")) : cancel(id)),
    ask: (...asking) => begun.promise.then(() => ask(...asking)),
  }));
  const attempt = createReportErrors(store, () => "en");
  const reportConnectivity = createConnectivity(store);
  runs.ask("What is it?");
  const key = shown(store.state)[0]?.key ?? "";
  const isStopping = () => store.state.turns[key]?.isStopping;
  // It is stopped before it has a name.
  const early = attempt(runs.stop(key), "Not stopped: ");
  expect(isStopping()).toBe(true);
  begun.resolve();
  await early;
  expect([store.state.problem?.text, isStopping()]).toEqual(["Not stopped: The server cannot be reached.", false]);
  for (const isLost of [true, false]) reportConnectivity("run", isLost);

  const stopped = attempt(runs.stop(key), "Not stopped: ");
  expect(isStopping()).toBe(true);
  await stopped;
  expect(store.state.problem?.text).toBe("Not stopped: The server cannot be reached.");
  for (const isLost of [true, false]) reportConnectivity("run", isLost);
  expect([store.state.problem, isStopping()]).toEqual([undefined, false]);

  await attempt(runs.stop(key));
  await until(store, ({ turns }) => turns[key]?.run.outcome?.status === "cancelled");
});

test("that a run could not be stopped is said until it is stopped after all or ends, and not of one that has ended meanwhile", async () => {
  const open = await serve([[call], [call], "Done.", [call], "Done."], { settings: { tools: { ask: ["look"] } } });
  const refused: Promise<void>[] = [];
  const { store, runs } = open(({ cancel }) => ({ cancel: (id) => refused.shift() ?? cancel(id) }));
  const failure = new ApiError(500, "the server failed", null);
  const attempt = createReportErrors(store, () => "en");
  const stop = (key: string) => attempt(runs.stop(key), "Not stopped: ", key);
  const ask = async (): Promise<string> => {
    runs.ask("What is it?");
    await until(store, waits);
    return shown(store.state).at(-1)?.key ?? "";
  };
  const answer = async (key: string): Promise<void> => {
    const question = store.state.turns[key]?.question;
    if (question !== undefined) await runs.reply(key, question, "once");
    await until(store, ({ turns }) => turns[key]?.run.outcome?.status === "complete");
  };

  const first = await ask();
  refused.push(Promise.reject(failure));
  await stop(first);
  expect(store.state.problem?.text).toBe("Not stopped: the server failed");
  await stop(first);
  expect(store.state.problem).toBeUndefined();
  await until(store, ({ turns }) => turns[first]?.run.outcome?.status === "cancelled");

  const second = await ask();
  refused.push(Promise.reject(failure));
  await stop(second);
  expect(store.state.problem?.text).toBe("Not stopped: the server failed");
  await answer(second);
  await until(store, ({ problem }) => problem === undefined);

  const third = await ask();
  const late = Promise.withResolvers<void>();
  refused.push(late.promise);
  const stopping = stop(third);
  await answer(third);
  late.reject(failure);
  await stopping;
  expect(store.state.problem).toBeUndefined();
});

test("that a run could not be stopped stays said where the server does not let it be followed any more", async () => {
  const open = await serve([], { gate: new Promise(() => {}) });
  const asking = open();
  asking.runs.ask("What is it?");
  await until(asking.store, (chat) => shown(chat)[0]?.run.runId !== undefined);
  const runId = shown(asking.store.state)[0]?.run.runId ?? "";
  for (const isStoppedBefore of [true, false]) {
    const [followed, cancelled] = [Promise.withResolvers<Response>(), Promise.withResolvers<void>()];
    const { store, runs } = open(() => ({ events: () => followed.promise, cancel: () => cancelled.promise }));
    const attempt = createReportErrors(store, () => "en");
    runs.resume(runId, "What is it?", undefined);
    const stopped = attempt(runs.stop(runId), "Not stopped: ", runId);
    const refuse = async () => {
      followed.reject(new ApiError(403, "not allowed", null));
      await until(store, ({ turns }) => turns[runId]?.run.plain !== undefined);
    };
    if (!isStoppedBefore) await refuse();
    cancelled.reject(new ApiError(500, "the server failed", null));
    await stopped;
    if (isStoppedBefore) await refuse();
    expect(store.state.problem?.text).toBe("Not stopped: the server failed");
  }
});

test("a run that is to be stopped before it has a name and never gets one is over without an error about the stop", async () => {
  const open = await serve([]);
  const { store, runs } = open(() => ({ ask: () => Promise.reject(new ApiError(429, "too many runs", null)) }));
  runs.ask("What is it?");
  await runs.stop(shown(store.state)[0]?.key ?? "");
  expect(shown(store.state)).toMatchObject([{ isRefused: true, run: { runId: undefined } }]);
});

test("what another tab asks is seen, and what it deletes is gone, with a word", async () => {
  const open = await serve(["One.", "Two."]);
  const here = open();
  here.runs.ask("First?");
  await until(here.store, isAnswered);
  const id = here.store.state.conversationId ?? "";
  const there = open();
  await there.conversations.open(id);
  there.runs.ask("Second?");
  await until(there.store, ({ turns }) => Object.values(turns).some(({ run }) => run.outcome !== undefined));
  await here.conversations.catchUp();
  await here.conversations.catchUp();
  expect(shown(here.store.state).map(({ run }) => run.question)).toEqual(["First?", "Second?"]);

  await there.conversations.remove({ id, title: "", updatedAt: "", isPinned: false });
  // What the stream of changes tells is enough: nothing is asked for that is not there.
  here.conversations.handleRemoval(id);
  expect(here.store.state).toMatchObject({
    conversationId: undefined,
    items: [{ kind: "note", text: { zh: expect.stringContaining("这个对话已不存在") } }],
  });
  await here.conversations.open(id);
  expect(here.store.state.items).toMatchObject([{ kind: "note" }]);

  // There it was in sight, and is again.
  await there.conversations.restore({ id, title: "", updatedAt: "", isPinned: false });
  expect(there.store.state.conversationId).toBe(id);
  expect(shown(there.store.state).map(({ run }) => run.question)).toEqual(["First?", "Second?"]);
});

test("a question in a conversation that was deleted elsewhere is in sight where a new one begins, and is kept so", async () => {
  const open = await serve(["One."]);
  const [here, there] = [open(), open()];
  here.runs.ask("First?");
  await until(here.store, isAnswered);
  const id = here.store.state.conversationId ?? "";
  await there.conversations.remove({ id, title: "", updatedAt: "", isPinned: false });
  const kept = new Map<string, string | undefined>();
  const keep = createUnsentKeeper({
    put: ({ key, conversationId }) => void kept.set(key, conversationId),
    remove: (key) => void kept.delete(key),
  });
  const refused = { ...createTurn("key-1", "Second?"), conversationId: id, isFollowed: false, isRefused: true };
  here.store.change((chat) => addTurn(chat, refused));
  keep(here.store.state);
  await here.conversations.catchUp();
  keep(here.store.state);
  expect(listUnsent(here.store.state)).toMatchObject([{ text: "Second?", conversationId: undefined }]);
  expect([...kept.values()]).toEqual([undefined]);
});

test("a run that failed says so and why when its conversation is opened later", async () => {
  const open = await serve([]);
  const { store, runs } = open();
  runs.ask("Well?");
  await until(store, ({ turns }) => Object.values(turns).some(({ run }) => run.outcome !== undefined));
  const [live] = shown(store.state);
  const later = open();
  await later.conversations.open(store.state.conversationId ?? "");
  expect(toView(shown(later.store.state)[0]?.run ?? createTurn("", "").run).status).toBe("failed");
  await until(later.store, ({ turns }) => Object.values(turns).every(({ run }) => run.outcome !== undefined));
  expect(shown(later.store.state)[0]?.run.outcome?.error).toEqual(live?.run.outcome?.error);
});

test("a conversation has an address: another one is another entry, one that gets its name is the same", () => {
  const put: string[] = [];
  const location = { hash: "", pathname: "/", search: "" };
  const go = (way: string) => (_: unknown, __: string, place: string) => {
    put.push(`${way} ${place}`);
    location.hash = place.slice(1);
  };
  const place = createAddressHash({ location, history: { pushState: go("push"), replaceState: go("replace") } });
  const none = createChat({ mode: "chat", search: false, models: {}, parameters: {} });
  const asked: ChatState = { ...none, items: [{ kind: "turn", key: "one" }] };
  const named: ChatState = { ...asked, conversationId: "conv-1" };
  place.follow(asked, named);
  expect(place.conversationId).toBe("conv-1");
  place.follow(named, { ...none, conversationId: "conv-2", items: [{ kind: "turn", key: "two" }] });
  place.follow({ ...none, conversationId: "conv-2" }, none);
  expect(put).toEqual(["replace /#conversation=conv-1", "push /#conversation=conv-2", "push /"]);
});

test("a question of which the page heard nothing before it went is asked once, whatever is pressed after the reload", async () => {
  const open = await serve(["Enough.", "Hello.", "Enough.", "Again?"]);
  const before = open((api) => ({
    async ask(...asking) {
      await api.ask(...asking);
      return new Promise<never>(() => {});
    },
  }));
  const kept = new Map<string, KeptText>();
  const keep = createUnsentKeeper({
    put: (text) => void kept.set(text.key, { ...text, tab: "", owner: "", at: 0 }),
    remove: (key) => void kept.delete(key),
  });
  before.runs.ask("Hi?");
  await until(before.store, (chat) => Object.values(chat.turns).some(({ request }) => request !== undefined));
  keep(before.store.state);
  await expect.poll(async () => (await before.api.runs()).map(({ status }) => status)).toEqual(["complete"]);
  const texts = {
    claim: async () => structuredClone([...kept.values()]),
    remove: (key: string) => void kept.delete(key),
  };

  const [deaf, shows] = [open(), open()];
  const [entry] = await deaf.api.conversations({}).then(({ entries }) => entries);
  await shows.conversations.open(entry?.id ?? "");
  for (const page of [deaf, shows]) {
    const { store, actions, waiting } = page;
    await restoreTexts({ api: { runs: async () => [] }, texts, screen: { restoreDrafts() {} }, store, waiting });
    const [unsent] = store.state.unsent;
    if (unsent === undefined) throw new Error("Nothing was kept.");
    actions.resend(unsent);
    await until(store, (chat) => chat.unsent.length === 0 && Object.values(chat.turns).every(({ run }) => run.runId));
    expect(shown(store.state).map(({ run }) => run.question)).toEqual(["Hi?"]);
  }
  await until(deaf.store, isAnswered);
  expect(await deaf.api.runs()).toHaveLength(1);

  const { api, store, waiting } = open();
  await restoreTexts({ api, texts, screen: { restoreDrafts() {} }, store, waiting });
  await until(store, (chat) => chat.unsent.length === 0);
  expect([...kept.keys()]).toEqual([]);
});

test.each<[string, (chat: ChatState) => ChatState, string[]]>([
  [
    "renamed",
    (chat) => chat.conversations.reduce((so, entry) => insertEntry(so, { ...entry, title: "Told" }), chat),
    ["Told"],
  ],
  ["removed", (chat) => chat.conversations.reduce((so, { id }) => dropEntry(so, id), chat), []],
])(
  "a conversation that is %s while the list is read stays so, for the list may have been read before",
  async (_, change, titles) => {
    const open = await serve(["Yes."]);
    const first = open();
    first.runs.ask("One?");
    await until(first.store, isAnswered);
    const { store, list } = open();
    await list.refresh();
    expect(store.state.conversations.map(({ title }) => title)).toEqual(["One?"]);
    const refreshed = list.refresh();
    store.change(change);
    await refreshed;
    expect(store.state.conversations.map(({ title }) => title)).toEqual(titles);
  },
);

const look = makeTool("look", () => ({ ok: true, text: "Duet is an agent that is a server: enough to know." }));

async function serve(turns: ScriptedTurn[], more: HttpDuetSettings = {}) {
  const { origin } = await startHttpDuet({ turns, tools: [look], ...more });
  return (change?: (api: Api) => Partial<Api>) => openTab(origin, { change });
}

/** A tab of its own. */
function openTab(
  origin: string,
  {
    change = () => ({}),
    kept = { put() {}, remove() {} },
  }: {
    change?: ((api: Api) => Partial<Api>) | undefined;
    kept?: Pick<KeptTexts, "put" | "remove">;
  } = {},
) {
  const send = createSender({
    origin,
    token: () => undefined,
    locale: () => "en",
    signIn: () => Promise.reject(new Error()),
  });
  const real = createApi(send);
  const api = { ...real, ...change(real) };
  const choices = { mode: "agent", search: false, models: {}, parameters: {} } as const;
  const store = createStore(createChat(choices), () => {});
  const list = createChatList(api, store);
  const refresh = () => void list.refresh().catch(() => {});
  const runs = createChatRuns({
    api,
    store,
    locale: () => "en",
    reportConnectivity: () => {},
    ready: Promise.resolve(),
    onListChange: refresh,
    onEnd: refresh,
  });
  const conversations = createConversations(api, store, runs);
  const screen: WritingPlace = { locale: "en", draft: "", files: [], focus() {} };
  const attempt = createReportErrors(store, () => "en");
  const owned = { confirmOwner: async () => {}, isSeen: () => true };
  const waiting = createWaitingQuestions({ api, store, kept, ...owned });
  const actions = createSendActions({ api, store, runs, waiting, attempt, screen: () => screen });
  return { api, store, list, runs, conversations, actions, waiting, screen };
}

function shown({ items, turns }: ChatState) {
  return items.flatMap(({ key }) => turns[key] ?? []);
}

function waits({ turns }: ChatState): boolean {
  return Object.values(turns).some(({ question }) => question !== undefined);
}

function goes({ turns }: ChatState): boolean {
  return Object.values(turns).some(({ run }) => run.runId !== undefined);
}

function isAnswered({ turns }: ChatState): boolean {
  return Object.values(turns).some(({ run }) => run.outcome?.status === "complete");
}

async function until(store: Store, isSo: (chat: ChatState) => boolean): Promise<void> {
  await expect.poll(() => isSo(store.state), { interval: 10 }).toBe(true);
}

function factsOf(items: readonly object[]): unknown {
  return items.map((item) => ({ ...item, callId: "", progress: "" }));
}

function storageOf(kept: Map<string, string>): Storage {
  return {
    length: 0,
    clear: () => kept.clear(),
    key: () => null,
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => void kept.set(name, value),
    removeItem: (name) => void kept.delete(name),
  };
}
