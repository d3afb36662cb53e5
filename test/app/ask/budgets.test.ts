import { expect, onTestFinished, test } from "vitest";
import { openDuet } from "../../../src/app/open-duet.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import type { Model } from "../../../src/core/model/model.ts";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import type { Outcome } from "../../../src/core/run/outcome.ts";
import { outcomeOf } from "../../fakes/events.ts";
import { type ScriptedModel, scriptedModel } from "../../fakes/model.ts";

/** Asks questions of an agent with these budgets, each of which uses 20 tokens. */
async function open(budgets: object, price?: Model["cost"]) {
  const settings = { conversations: { store: "memory" }, locale: "en", agent: { budgets } };
  const config = await loadConfig({}, {}, "/nowhere", { name: "test", settings });
  const model: ScriptedModel = scriptedModel(Array.from({ length: 9 }, () => "Yes."));
  const answer = price ? { ...model, cost: price } : model;
  const duet = await openDuet(config, { models: { functionCall: model, answer }, tools: [] });
  onTestFinished(() => duet.close());
  async function ask(conversationId?: string, mode: "agent" | "chat" = "chat"): Promise<Outcome> {
    const events: AgentEvent[] = [];
    for await (const event of duet.ask({ question: "Really?", mode, conversationId })) events.push(event);
    return outcomeOf(events);
  }
  return { ask, model };
}

const codes = ({ notices = [] }: Outcome) => notices.map(({ code }) => code);

test("a conversation warns when four fifths of its budget are used, and asks no model when nothing is left", async () => {
  const { ask, model } = await open({ tokensPerConversation: 48 });
  const first = await ask();
  expect(codes(first)).toEqual([]);
  const second = await ask(first.conversation_id);
  expect(second.notices?.map(({ message }) => message)).toEqual([
    "83% of the budget agent.budgets.tokensPerConversation (48) is used.",
  ]);
  await ask(first.conversation_id);
  const refused = await ask(first.conversation_id);
  expect(refused).toMatchObject({
    status: "failed",
    error: {
      code: "quota",
      message:
        "Used in this conversation: 60 tokens (agent.budgets.tokensPerConversation allows 48 tokens); no model was called.",
      hint: "Raise agent.budgets.tokensPerConversation, or begin a new conversation.",
    },
  });
  expect(model.requests).toHaveLength(3);
  expect(await ask()).toMatchObject({ status: "complete" });
});

test("the budget of a day counts all conversations, and of the budgets the smallest limits a run", async () => {
  const { ask, model } = await open({ tokensPerDay: 40, tokensPerConversation: 1000 });
  expect(codes(await ask())).toEqual([]);
  expect(codes(await ask())).toEqual(["budget-nearly-used"]);
  expect((await ask()).error).toMatchObject({ code: "quota", hint: "Raise agent.budgets.tokensPerDay." });
  expect(model.requests).toHaveLength(2);
});

test.each(["costPerConversation", "costPerDay"])(
  "%s counts the model whose price is known beside one of which it is not",
  async (budget) => {
    const { ask } = await open({ [budget]: 0.03 }, ({ outputTokens }) => outputTokens / 1000);
    const first = await ask(undefined, "agent");
    expect(first.meta).toMatchObject({ cost_usd: null, models: { answer: { cost_usd: 0.01 } } });
    await ask(first.conversation_id);
    expect(codes(await ask(first.conversation_id))).toEqual(["budget-nearly-used"]);
    expect((await ask(first.conversation_id)).error).toMatchObject({ code: "quota" });
  },
);
