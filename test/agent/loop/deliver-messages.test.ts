import { expect, test } from "vitest";
import { compactConversation } from "../../../src/agent/context/compact.ts";
import { collectFacts } from "../../../src/agent/context/conversation-facts.ts";
import { toPlainTurnMessages } from "../../../src/agent/context/turn-messages.ts";
import { createPrompts } from "../../../src/agent/prompts/prompts.ts";
import type { AssistantMessage } from "../../../src/core/model/messages.ts";
import { createRunInbox } from "../../../src/core/run/run-inbox.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { makeTool, outcomeOf } from "../../fakes/events.ts";
import { scriptedModel, withoutDay } from "../../fakes/model.ts";
import { defaultLimits, runAll, runOptions, streamRun } from "../../fakes/run.ts";

const look = { id: "1", name: "look", input: {} };
const found = { ok: true, text: "found what was looked for" };

test("what is said during a call is read before the next turn, stays in the conversation, and is told in the events", async () => {
  const inbox = createRunInbox();
  const tools = [
    makeTool("look", () => {
      expect(inbox.send("in French, please")).toBe("next_step");
      return found;
    }),
  ];
  const decide = scriptedModel([[look], "Enough."], "cheap");
  const answer = scriptedModel(["Voilà.", "Again."], "strong");
  const store = createMemoryStore();
  const { id } = await store.create();
  const models = { functionCall: decide, answer };
  const events = await runAll({ models, tools, inbox, store, conversationId: id });
  expect(decide.requests[1]?.messages.slice(-2)).toEqual([
    expect.objectContaining({ role: "tool" }),
    { role: "user", content: "in French, please" },
  ]);
  expect(withoutDay(String(answer.requests[0]?.messages.at(-1)?.content))).toMatch(
    /^What is Duet\?\n\nin French, please\n\nTool results:/,
  );
  expect(events).toContainEqual(
    expect.objectContaining({ code: "message-delivered", message: "Passed on: in French, please" }),
  );
  const turn = (await store.load(id))?.turns[0];
  expect(turn?.steps?.[0]?.messages).toEqual([{ role: "user", content: "in French, please" }]);
  expect(inbox.send("and once more")).toBe("after_run");
});

test("what is said during a run is in what a model without tools reads later, and in what a summary is made of", async () => {
  const inbox = createRunInbox();
  const tools = [
    makeTool("look", () => {
      inbox.send("always use Portuguese");
      return found;
    }),
  ];
  const store = createMemoryStore();
  const { id } = await store.create();
  const talk = { store, conversationId: id, locale: "en" } as const;
  const model = scriptedModel([[look], "Feito.", "Sim.", "The summary."]);
  const models = { functionCall: model, answer: model };
  await runAll({ ...talk, models, tools, inbox });
  await runAll({ ...talk, models, mode: "chat", question: "And now?" });
  expect(withoutDay(String(model.requests[2]?.messages[1]?.content))).toMatch(
    /^What is Duet\?\n\nalways use Portuguese\n\nTool results:/,
  );
  const limits = defaultLimits;
  const { signal } = new AbortController();
  await compactConversation({ ...talk, models, prompts: createPrompts(), limits, signal });
  expect(model.requests[3]?.messages[1]?.content).toContain("User: What is Duet?\n\nalways use Portuguese");
  const { summary } = (await store.load(id)) ?? {};
  expect(summary?.facts).toContain("decided (turn 1): always use Portuguese");
});

test("a model that had closed its work goes on when something was said before the answer, within its limits", async () => {
  const inbox = createRunInbox();
  const said: string[] = ["and the weather"];
  const decide = scriptedModel([[look], "Enough.", [look], "Enough now."], "cheap");
  const slow = {
    ...decide,
    async stream(...args: Parameters<typeof decide.stream>) {
      const turn = await decide.stream(...args);
      if (turn.finish === "stop") for (const text of said.splice(0)) inbox.send(text);
      return turn;
    },
  };
  const models = { functionCall: slow, answer: scriptedModel(["Both."]) };
  const events = await runAll({ models, tools: [makeTool("look", () => found)], inbox });
  expect(outcomeOf(events)).toMatchObject({ status: "complete", meta: { iterations: 4 } });
  expect(decide.requests[2]?.messages.slice(-2)).toEqual([
    expect.objectContaining({ role: "assistant", content: "Enough." }),
    { role: "user", content: "and the weather" },
  ]);
});

test("once the answer is written nothing is passed on, and a message that came too late is told of", async () => {
  const inbox = createRunInbox();
  const model = scriptedModel([{ text: "The answer, which is long enough to be shown. ".repeat(9) }]);
  const sent: string[] = [];
  const late = {
    ...model,
    async stream(...args: Parameters<typeof model.stream>) {
      inbox.send("early");
      const turn = await model.stream(...args);
      sent.push(inbox.send("too late"));
      return turn;
    },
  };
  const events = await runAll({ models: { functionCall: late, answer: late }, mode: "agent", inbox });
  expect(sent).toEqual(["after_run"]);
  expect(events).toContainEqual(
    expect.objectContaining({ code: "message-undelivered", message: expect.stringContaining("early") }),
  );
  expect(outcomeOf(events).notices).toEqual([expect.objectContaining({ code: "message-undelivered" })]);
});

test("a message that a cancelled or failed run did not read is told with that reason, not with an answer that there is none of", async () => {
  const told = async (end: () => void, signal?: AbortSignal) => {
    const inbox = createRunInbox();
    const model = {
      ...scriptedModel([]),
      async stream(): Promise<never> {
        inbox.send("also this");
        end();
        throw new Error("the model is gone");
      },
    };
    const { status, notices } = outcomeOf(
      await runAll({ models: { functionCall: model, answer: model }, inbox, locale: "en", signal }),
    );
    return [status, notices?.[0]?.message];
  };
  const stop = new AbortController();
  const rest = "; ask it as the next question: also this";
  expect(await told(() => stop.abort(), stop.signal)).toEqual([
    "cancelled",
    `Not passed on, because the run was cancelled${rest}`,
  ]);
  expect(await told(() => {})).toEqual(["failed", `Not passed on, because the run failed${rest}`]);
});

test("what was said to a run is found in the facts of its turn, and read by models without tools", () => {
  const call: AssistantMessage = { role: "assistant", content: "", toolCalls: [] };
  const messages = [{ role: "user", content: "We decided to use PostgreSQL." }] as const;
  const turn = { question: "Which database?", answer: "Fine.", steps: [{ message: call, results: [], messages }] };
  expect(collectFacts([turn], { first: 1, known: [], locale: "en" })).toContain(
    "decided (turn 1): We decided to use PostgreSQL.",
  );
  const [asked] = toPlainTurnMessages(turn, { marker: "m", locale: "en" });
  expect(asked?.content).toBe("Which database?\n\nWe decided to use PostgreSQL.");
});

test("what comes while the last messages are being recorded is left for after the run", async () => {
  const inbox = createRunInbox();
  const sent: string[] = [];
  const journal = {
    runId: "run-1",
    async add({ name }: { name: string }) {
      if (name === "turn:decide:1") inbox.send("just before the answer");
      if (name === "messages:0") sent.push(inbox.send("during it"));
      return undefined;
    },
    async addEvents() {},
    async forbid() {},
  };
  const models = {
    functionCall: scriptedModel([[look], "Enough."], "cheap"),
    answer: scriptedModel(["Done."], "strong"),
  };
  // After its only step the run answers.
  const limits = { maxIterations: 1 };
  const tools = [makeTool("look", () => found)];
  const options = await runOptions({
    models,
    tools,
    inbox,
    limits,
    recording: { taken: undefined, begin: async () => journal },
  });
  await Array.fromAsync(streamRun(options));
  expect(sent).toEqual(["after_run"]);
});

test("a run takes so many messages, of such a length", () => {
  const inbox = createRunInbox();
  expect(inbox.send("x".repeat(10_001))).toBe("refused");
  for (let n = 1; n <= 20; n++) expect(inbox.send(String(n))).toBe("next_step");
  expect(inbox.send("one too many")).toBe("refused");
  expect(inbox.takeAll()).toHaveLength(20);
  expect(inbox.send("still too many")).toBe("refused");
});
