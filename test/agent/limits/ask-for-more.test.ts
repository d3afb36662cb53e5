import { expect, onTestFinished, test, vi } from "vitest";
import type { User } from "../../../src/core/questions/user.ts";
import type { UserQuestion } from "../../../src/core/questions/user-question.ts";
import { makeTool, outcomeOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";

const count = (to: number) => ({ id: String(to), name: "count", input: { to } });
const tools = [makeTool("count", () => ({ ok: true, text: "counted without a mistake" }))];

/** Somebody who gives these replies to questions about limits, one after the other, and then none. */
function person(...replies: ("go_on" | "stop")[]): { user: User; asked: UserQuestion[] } {
  const asked: UserQuestion[] = [];
  const ask = async (question: UserQuestion) => {
    asked.push(question);
    return replies[asked.length - 1];
  };
  // The replies are those to the questions that are asked here.
  return { asked, user: { canAsk: () => true, person: {}, ask: ask as User["ask"] } };
}

test("a person who is asked before a limit ends the run adds it once more with each yes, and stops it without a reply", async () => {
  const { user, asked } = person("go_on");
  const model = scriptedModel([[count(1)], [count(2)], [count(3), count(4), count(5)], "Counted."]);
  const limits = { maxToolCalls: 2, onLimit: "ask" } as const;
  const events = await runAll({ models: { functionCall: model, answer: model }, tools, user, limits });
  expect(asked).toEqual([
    { kind: "limit", setting: "agent.maxToolCalls", value: 2 },
    { kind: "limit", setting: "agent.maxToolCalls", value: 4 },
  ]);
  expect(outcomeOf(events)).toMatchObject({
    status: "partial",
    stop_reason: "tool_call_limit",
    limit: { setting: "agent.maxToolCalls", value: 4 },
  });
  expect(outcomeOf(events).tool_calls.filter(({ ok }) => ok)).toHaveLength(4);
});

test("a person at a host raises a limit no higher than the server allows the caller, and is not asked above that", async () => {
  const { user, asked } = person("go_on", "go_on");
  const model = scriptedModel([[count(1)], [count(2)], [count(3), count(4)], "Counted."]);
  const limits = { maxToolCalls: 2, onLimit: "ask", ceilings: { maxToolCalls: 3 } } as const;
  const events = await runAll({ models: { functionCall: model, answer: model }, tools, user, limits });
  expect(asked).toEqual([{ kind: "limit", setting: "agent.maxToolCalls", value: 2 }]);
  expect(outcomeOf(events).tool_calls.filter(({ ok }) => ok)).toHaveLength(3);
});

test("nobody is asked unless the configuration says so", async () => {
  const { user, asked } = person("go_on");
  const model = scriptedModel([[count(1), count(2)], "One."]);
  const events = await runAll({
    models: { functionCall: model, answer: model },
    tools,
    user,
    limits: { maxToolCalls: 1 },
  });
  expect(asked).toEqual([]);
  expect(outcomeOf(events)).toMatchObject({ status: "partial", stop_reason: "tool_call_limit" });
});

test("the time of the run stands still while a person is asked for more of it, and goes on with a yes", async () => {
  const { user, asked } = person("go_on");
  const ask = user.ask;
  const isAsked = Promise.withResolvers<void>();
  const slow = makeTool("count", async () => {
    await isAsked.promise;
    return { ok: true, text: "counted at last, and slowly" };
  });
  const patient: User = {
    ...user,
    async ask(question, signal) {
      isAsked.resolve();
      return ask(question, signal);
    },
  };
  const model = scriptedModel([[count(1)], "Counted."]);
  const limits = { maxExecutionTimeMs: 5_000, onLimit: "ask" } as const;
  // All but a moment of the time is spent when the run begins.
  const spentMs = 3_700;
  const events = await runAll({
    models: { functionCall: model, answer: model },
    tools: [slow],
    user: patient,
    limits,
    spentMs,
  });
  expect(asked).toEqual([{ kind: "limit", setting: "agent.maxExecutionTime", value: 5 }]);
  expect(outcomeOf(events)).toMatchObject({ status: "complete", response: "Counted." });
});

test("an answer that is being written passes the time limit only where the configuration lets it", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  for (const finishAnswer of [true, false]) {
    const model = scriptedModel([]);
    const writing = {
      ...model,
      async stream(...[, onEvent, signal]: Parameters<typeof model.stream>) {
        onEvent({ type: "text-delta", text: "Half of it " });
        await vi.advanceTimersByTimeAsync(400);
        signal.throwIfAborted();
        onEvent({ type: "text-delta", text: "and the rest." });
        return {
          message: { role: "assistant" as const, content: "Half of it and the rest.", toolCalls: [] },
          finish: "stop" as const,
          usage: { inputTokens: 1, outputTokens: 1, reasoningTokens: 0, cachedTokens: 0 },
        };
      },
    };
    const models = { functionCall: writing, answer: writing };
    const limits = { maxExecutionTimeMs: 5_000, finishAnswer };
    const events = await runAll({ models, mode: "chat", limits, spentMs: 4_900 });
    expect(outcomeOf(events)).toMatchObject(
      finishAnswer
        ? { status: "complete", response: "Half of it and the rest." }
        : { status: "partial", stop_reason: "time_limit" },
    );
  }
});
