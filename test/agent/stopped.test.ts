import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/run/events.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
import { createBuiltinTools } from "../../src/tools/builtin/builtin-tools.ts";
import { makeTool, outcomeOf } from "../fakes/events.ts";
import { scriptedModel } from "../fakes/model.ts";
import { type Overrides, runAll, runOptions, streamRun } from "../fakes/run.ts";
import { planners, written } from "./plan/planning.ts";

const call = { id: "1", name: "slow", input: {} };

/** Never comes to an end by itself. */
function abortable(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}

/** Asks in the conversation `c` and stops the run with the first event of that type. */
async function stoppedAt(type: AgentEvent["type"], overrides: Overrides): Promise<AgentEvent[]> {
  const caller = new AbortController();
  const events: AgentEvent[] = [];
  for await (const event of streamRun(await runOptions({ ...overrides, conversationId: "c", signal: caller.signal }))) {
    events.push(event);
    if (event.type === type) caller.abort(new Error("user stop"));
  }
  return events;
}

describe("an answer that is stopped", () => {
  test.each([
    ["Tell me a story.", "Once upon a time", "(The user stopped the answer here.)"],
    ["讲个故事。", "从前有座山", "（用户在此停止了回答。）"],
  ])("stays in the conversation as far as it was written: %s", async (question, text, line) => {
    const store = createMemoryStore();
    const answer = scriptedModel([{ text, hang: true }, "And on it goes."], "strong");
    const models = { functionCall: scriptedModel(["enough", "enough"], "cheap"), answer };
    const events = await stoppedAt("answer-delta", { models, store, question });
    expect(outcomeOf(events)).toMatchObject({ success: false, status: "cancelled", error: null });
    const kept = `${text}\n\n${line}`;
    expect((await store.load("c"))?.turns).toMatchObject([{ question, answer: kept, status: "cancelled" }]);
    expect(outcomeOf(events).response).toBe(text);

    await runAll({ models, store, conversationId: "c", question: "continue" });
    const read = answer.requests[1]?.messages.slice(-3).map(({ role, content }) => [role, content]);
    expect(read?.slice(0, 2)).toEqual([
      ["user", expect.stringContaining(question)],
      ["assistant", kept],
    ]);
  });

  test("leaves its question and how it ended where nothing of it was written", async () => {
    const store = createMemoryStore();
    const model = scriptedModel([{ hang: true }]);
    await stoppedAt("phase-start", { models: { functionCall: model, answer: model }, store });
    const answer = "(The user stopped the run before there was an answer.)";
    expect((await store.load("c"))?.turns).toMatchObject([{ question: "What is Duet?", answer, status: "cancelled" }]);
  });

  test("leaves no order to keep away from the call that it has cut, which the next question may want again", async () => {
    const store = createMemoryStore();
    const slow = makeTool("slow", (_, signal) => abortable(signal));
    const models = { functionCall: scriptedModel([[call], "Enough."]), answer: scriptedModel(["Done."]) };
    await stoppedAt("tool-start", { models, store, tools: [slow] });
    await runAll({ models, store, tools: [slow], conversationId: "c", question: "Try again" });
    const read = JSON.stringify(models.functionCall.requests[1]?.messages);
    expect(read).toContain("This call failed:\\n<<<result");
    expect(read).not.toContain("Do not make the same call again");
  });

  test.each([
    ["before it began: the plan that it came of still waits", "phase-start", true],
    ["in the middle: that plan waits no more", "answer-delta", false],
  ] as const)("%s", async (_title, stop, waits) => {
    const store = createMemoryStore();
    const tools = createBuiltinTools({ roots: ["."], locale: "en", search: undefined });
    const planPolicy = { unattended: "stop", onFailure: "replan", retries: 0 } as const;
    const plan = { mode: "plan", store, tools, planPolicy } as const;
    const add = { tool: "calculator", parameters: { expression: "2+3" } };
    await runAll({ ...plan, models: planners([written(add)]), conversationId: "c" });
    expect((await store.load("c"))?.pendingPlan).toBeDefined();
    const models = planners([written({ description: "Say it" })], { text: "It is so", hang: true });
    await stoppedAt(stop, { ...plan, models, question: "Do not count, only say it." });
    const { pendingPlan, turns } = (await store.load("c")) ?? {};
    expect(pendingPlan !== undefined).toBe(waits);
    expect(turns).toHaveLength(waits ? 1 : 2);
  });
});
