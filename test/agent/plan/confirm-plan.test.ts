import { afterEach, describe, expect, test, vi } from "vitest";
import type { PlanReply } from "../../../src/core/questions/plan-reply.ts";
import type { AgentEvent, PlanStep } from "../../../src/core/run/events.ts";
import type { ConversationStore } from "../../../src/core/store/store.ts";
import type { Approval, ApprovalRequest, ToolResult } from "../../../src/core/tools/tool.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { createBuiltinTools } from "../../../src/tools/builtin/builtin-tools.ts";
import { createPermissionCheck, withPermission } from "../../../src/tools/permission-rules.ts";
import { makeTool, outcomeOf, textOf } from "../../fakes/events.ts";
import { type Overrides, runAll } from "../../fakes/run.ts";
import { callsOf, lastAsked, planners, plansOf, statesOf, type WrittenStep, written } from "./planning.ts";

const tools = createBuiltinTools({ roots: ["."], locale: "en", search: undefined });
const add = { description: "Add", tool: "calculator", parameters: { expression: "2+3" } };
const sayIt = { description: "Say it", tool: "echo", parameters: { text: "So: {{step_1}}" } };

function noticesOf(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === "notice" ? [`${event.code}: ${event.message}`] : []));
}

/** A reader who gives these replies, one after the other, and keeps what was shown. */
function reader(...replies: ("yes" | "no" | { words: string })[]) {
  const shown: PlanStep[][] = [];
  const confirmPlan = async (steps: readonly PlanStep[]): Promise<PlanReply> => {
    shown.push([...steps]);
    const reply = replies.shift() ?? "no";
    return typeof reply === "string" ? { reply } : { reply: "edit", words: reply.words };
  };
  return { confirmPlan, shown };
}

describe("a reader who is asked", () => {
  test("and says yes has the plan carried out", async () => {
    const { confirmPlan, shown } = reader("yes");
    const events = await runAll({ mode: "plan", models: planners([written(add)]), tools, confirmPlan });
    expect(shown).toEqual([plansOf(events)[0]]);
    expect(outcomeOf(events).status).toBe("complete");
  });

  test("and says no ends the run as cancelled, with nothing done and a word about it", async () => {
    const { confirmPlan } = reader("no");
    const models = planners([written(add)]);
    const events = await runAll({ mode: "plan", models, tools, confirmPlan });
    expect(outcomeOf(events)).toMatchObject({
      success: false,
      status: "cancelled",
      stop_reason: "cancelled",
      response: "The plan was cancelled; nothing was run.",
      error: null,
    });
    expect(callsOf(events)).toEqual([]);
    expect(statesOf(events).at(-1)).toBe("skipped");
    expect(models.answer.requests).toEqual([]);
  });

  test("may have the plan changed in words, is asked again, and the answer model knows the words", async () => {
    const { confirmPlan, shown } = reader({ words: "say it aloud too" }, "yes");
    const models = planners([written(add), written(add, sayIt)]);
    const events = await runAll({ mode: "plan", models, tools, confirmPlan, question: "What is 2+3?" });
    const again = models.functionCall.requests[1]?.messages.slice(-2);
    expect(again?.[0]).toMatchObject({ role: "assistant", content: written(add) });
    expect(again?.[1]?.content).toContain("say it aloud too");
    expect(shown.map((steps) => steps.length)).toEqual([1, 2]);
    expect(callsOf(events)).toHaveLength(2);
    expect(lastAsked(models.answer, 0)).toContain("What is 2+3?\n\nsay it aloud too");
  });

  /** Carries out a plan whose steps send something, with a reader who confirms it and refuses every call that asks. */
  async function carryOut(steps: WrittenStep[], more: Partial<Overrides> = {}, alwaysAsks = false) {
    const ran: object[] = [];
    const send = makeTool("send", (args) => {
      ran.push(args);
      return { ok: true, text: "sent as 7" };
    });
    const judged = withPermission({ ...send, alwaysAsks }, createPermissionCheck(alwaysAsks ? {} : { ask: ["send"] }));
    const asked: unknown[] = [];
    const approveCall = async (request: ApprovalRequest): Promise<Approval> => {
      asked.push(request.arguments);
      return "no";
    };
    const models = planners([written(...steps), written()]);
    const { confirmPlan } = reader("yes");
    await runAll({ mode: "plan", models, tools: [...tools, judged], confirmPlan, approveCall, ...more });
    return { asked, ran };
  }
  const toAll = { tool: "send", parameters: { text: "Hello all" } };

  test("has agreed to the calls of a plan that was shown whole, and is not asked about them again", async () => {
    expect(await carryOut([toAll])).toEqual({ asked: [], ran: [toAll.parameters] });
  });

  test("is asked about a call whose parameters were too long to be shown whole", async () => {
    const parameters = { text: "x".repeat(3000) };
    expect(await carryOut([{ tool: "send", parameters }])).toEqual({ asked: [parameters], ran: [] });
  });

  test("is asked about a call whose parameters were filled in after the plan was shown", async () => {
    const reply = { tool: "send", parameters: { text: "So: {{step_1}}" } };
    const { asked, ran } = await carryOut([add, reply]);
    expect([asked, ran]).toEqual([[{ text: "So: 2+3 = 5" }], []]);
  });

  test("has agreed to send what the plan showed, but not what was filled in after private data were read", async () => {
    const reads = { readsPrivate: true, readsUntrusted: true };
    const diary = { ...makeTool("diary", () => ({ ok: true, text: "Dear diary" })), dataFlow: reads };
    const ran: object[] = [];
    const post = makeTool("post", (args) => {
      ran.push(args);
      return { ok: true, text: "posted" };
    });
    const guarded = withPermission(
      { ...post, dataFlow: { sendsOut: true } },
      createPermissionCheck({ askBeforeSending: true }),
    );
    const shownWhole = { tool: "post", parameters: { text: "Hello" } };
    const filled = { tool: "post", parameters: { text: "{{step_1}}" } };
    const { asked } = await carryOut([{ tool: "diary", parameters: {} }, shownWhole, filled], {
      tools: [diary, guarded],
    });
    expect([asked, ran]).toEqual([[{ text: "Dear diary" }], [{ text: "Hello" }]]);
  });

  test("is asked about each call of a plan that nobody had to confirm", async () => {
    expect(await carryOut([toAll], { confirmPlan: undefined })).toEqual({ asked: [toAll.parameters], ran: [] });
  });

  test("is asked about a tool that asks each time, also within a plan that was confirmed", async () => {
    expect(await carryOut([toAll], {}, true)).toEqual({ asked: [toAll.parameters], ran: [] });
  });

  test("is not held up by the limit of iterations, and may have the plan changed five times", async () => {
    const words = { words: "again" };
    const { confirmPlan, shown } = reader(words, words, words, words, words, words);
    const models = planners(Array.from({ length: 6 }, () => written(add)));
    const events = await runAll({ mode: "plan", models, tools, confirmPlan, limits: { maxIterations: 1 } });
    expect(shown).toHaveLength(6);
    expect(noticesOf(events)).toContain(
      "plan-changes-used-up: The plan was changed 5 times; this run accepts no more changes. The plan is unchanged and waiting for confirmation.",
    );
    expect(outcomeOf(events)).toMatchObject({ status: "needs_confirmation", stop_reason: "confirmation" });
  });

  test("is told when a change has left the plan as it was", async () => {
    const { confirmPlan } = reader({ words: "hm" }, { words: "say it" }, "no");
    const models = planners([written(add), written(add), written(add, sayIt)]);
    const events = await runAll({ mode: "plan", models, tools, confirmPlan });
    expect(noticesOf(events)).toEqual(["plan-unchanged: The plan is unchanged."]);
  });

  test("is told that rules make no plan, and what was changed asks them for none", async () => {
    const { confirmPlan, shown } = reader({ words: "hm" }, "no");
    const { functionCall, answer } = planners([]);
    const models = { functionCall: { ...functionCall, followsPrompts: false as const }, answer };
    const events = await runAll({ mode: "plan", models, tools, confirmPlan });
    const notice = "plan-by-rules: The offline rules do not make plans; deciding and acting step by step.";
    expect(noticesOf(events)).toEqual([notice, notice]);
    expect(shown).toHaveLength(2);
    expect(functionCall.requests).toEqual([]);
  });

  test("is not asked about a plan that calls no tool", async () => {
    const { confirmPlan, shown } = reader();
    const models = planners([written({ description: "Think" })], "Thought.");
    const events = await runAll({ mode: "plan", models, tools, confirmPlan });
    expect(shown).toEqual([]);
    expect(outcomeOf(events)).toMatchObject({ status: "complete", response: "Thought." });
  });

  test("is asked before deciding step by step, when there is no plan to be had", async () => {
    const { confirmPlan, shown } = reader("no");
    const events = await runAll({ mode: "plan", models: planners(["a", "b", "c"]), tools, confirmPlan });
    expect(shown[0]).toMatchObject([{ step: 1, description: "Decide and act step by step", tool: "" }]);
    expect(outcomeOf(events).status).toBe("cancelled");
  });

  test("is asked again about what is planned after a failure; a no leaves an answer from what was done", async () => {
    const broken = makeTool("broken", () => ({ ok: false, text: "no", error: { code: "auth", message: "no" } }));
    const { confirmPlan, shown } = reader("yes", "no");
    const models = planners([written(add, { tool: "broken" }), written({ ...sayIt, step: 3 })], "It is 5.");
    const events = await runAll({ mode: "plan", models, tools: [...tools, broken], confirmPlan });
    expect(shown[1]?.map(({ state }) => state)).toEqual(["done", "failed", "pending"]);
    expect(outcomeOf(events)).toMatchObject({ status: "partial", response: "It is 5." });
    expect(callsOf(events)).toHaveLength(2);
  });

  test("is asked about the same rest again, when a change of it cannot be planned", async () => {
    const broken = makeTool("broken", () => ({ ok: false, text: "no", error: { code: "auth", message: "no" } }));
    const { confirmPlan, shown } = reader("yes", { words: "louder" }, "yes");
    const rest = written({ ...sayIt, step: 3 });
    const models = planners([written(add, { tool: "broken" }), rest, "a", "b", "c"]);
    const limits = { maxIterations: 10 };
    const events = await runAll({ mode: "plan", models, tools: [...tools, broken], confirmPlan, limits });
    expect(shown[2]).toEqual(shown[1]);
    expect(callsOf(events).at(-1)).toBe('3 echo {"text":"So: 2+3 = 5"}');
    expect(outcomeOf(events).status).toBe("complete");
  });

  test("has confirmed the parameters, so the model does not change one that is given in full", async () => {
    const { confirmPlan } = reader("yes", "no");
    const planned = { tool: "calculator", parameters: { operations: ["mean"] } };
    const models = planners([written(planned), written({ ...add, step: 2 })], "I could not.");
    const events = await runAll({ mode: "plan", models, tools, confirmPlan });
    expect(callsOf(events)).toEqual(['1 calculator {"operations":["mean"]}']);
    expect(outcomeOf(events).status).toBe("partial");
  });
});

describe("a reader who thinks", () => {
  afterEach(() => void vi.useRealTimers());

  test("does not use up the run's time, nor counts as its time", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const confirmPlan = async (): Promise<PlanReply> => {
      await vi.advanceTimersByTimeAsync(9 * 60_000);
      return { reply: "yes" };
    };
    const limits = { maxExecutionTimeMs: 10_000 };
    const events = await runAll({ mode: "plan", models: planners([written(add)]), tools, confirmPlan, limits });
    expect(outcomeOf(events)).toMatchObject({ status: "complete", stop_reason: "answered" });
    expect(outcomeOf(events).meta.latency_ms).toBeLessThan(60_000);
  });

  test("for more than ten minutes leaves a plan that waits in the conversation", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const confirmPlan = async (): Promise<PlanReply> => {
      await vi.advanceTimersByTimeAsync(11 * 60_000);
      return new Promise(() => {});
    };
    const events = await runAll({ mode: "plan", models: planners([written(add)]), tools, confirmPlan });
    expect(outcomeOf(events).status).toBe("needs_confirmation");
  });
});

describe("where nobody can be asked and plans are to be confirmed", () => {
  const question = "计算 2+3";
  const planPolicy = { unattended: "stop", onFailure: "replan", retries: 0 } as const;

  /** Asks in one conversation, in plan mode unless the test says otherwise. */
  function conversation(more: Partial<Overrides> = {}, store: ConversationStore = createMemoryStore()) {
    return {
      store,
      ask: (overrides: Omit<Overrides, "store">): Promise<AgentEvent[]> =>
        runAll({ mode: "plan", tools, planPolicy, store, conversationId: "conv-1", ...more, ...overrides }),
    };
  }

  test("the answer is the plan, which waits for a word in the same conversation", async () => {
    const { ask, store } = conversation();
    const numbers = { description: "求平均值", tool: "calculator", parameters: { numbers: [1], operations: ["mean"] } };
    const models = planners([written(numbers)]);
    const events = await ask({ models, question });
    const outcome = outcomeOf(events);
    expect(outcome).toMatchObject({
      success: true,
      status: "needs_confirmation",
      stop_reason: "confirmation",
      error: null,
    });
    expect(outcome.response).toContain('1. 求平均值 — `calculator` `{"numbers":[1],"operations":["mean"]}`');
    expect(outcome.response).toBe(textOf(events, "answer-delta"));
    expect(statesOf(events)).toEqual(["pending"]);
    expect(models.answer.requests).toEqual([]);
    expect((await store.load("conv-1"))?.turns).toMatchObject([{ question, answer: outcome.response }]);
  });

  test.each(["y", "Yes", "是", "确认", "确认执行。"])(
    "%s carries out that very plan, in the language of its question",
    async (word) => {
      const { ask, store } = conversation();
      await ask({ models: planners([written(add, sayIt)]), question });
      const models = planners([], "等于 5。");
      const events = await ask({ models, question: word });
      expect(statesOf(events)[0]).toBe("pending pending");
      expect(callsOf(events)).toHaveLength(2);
      expect(models.functionCall.requests).toEqual([]);
      expect(lastAsked(models.answer, 0)).toContain(`${question}\n\n工具结果：`);
      expect(outcomeOf(events)).toMatchObject({ status: "complete", response: "等于 5。" });
      const kept = await store.load("conv-1");
      expect(kept?.turns.map((turn) => turn.question)).toEqual([question, word]);
      expect(kept?.pendingPlan).toBeUndefined();
    },
  );

  test.each(["n", "No!", "取消"])("%s drops it", async (word) => {
    const { ask, store } = conversation();
    await ask({ models: planners([written(add)]), question });
    const events = await ask({ models: planners([]), question: word });
    expect(outcomeOf(events)).toMatchObject({ status: "cancelled", response: "计划已取消，没有执行。" });
    expect((await store.load("conv-1"))?.pendingPlan).toBeUndefined();
  });

  test("anything else is what to change: the new plan waits again, and its yes carries it out", async () => {
    const { ask } = conversation();
    await ask({ models: planners([written(add)]), question });
    const models = planners([written(add, sayIt)]);
    const changed = await ask({ models, question: "还要说出来" });
    expect(models.functionCall.requests[0]?.messages.at(-2)).toMatchObject({ content: written(add) });
    expect(lastAsked(models.functionCall, 0)).toContain("还要说出来");
    expect(outcomeOf(changed).status).toBe("needs_confirmation");

    const last = planners([]);
    const events = await ask({ models: last, question: "y" });
    expect(callsOf(events)).toHaveLength(2);
    expect(lastAsked(last.answer, 0)).toContain(`${question}\n\n还要说出来\n\n工具结果：`);
  });

  test("a question in another mode leaves it waiting", async () => {
    const { ask, store } = conversation();
    await ask({ models: planners([written(add)]), question });
    await ask({ models: planners([], "Hello."), question: "y", mode: "chat" });
    await ask({ models: planners(["enough"]), question: "And 3+4?", mode: "agent" });
    expect((await store.load("conv-1"))?.pendingPlan).toBeDefined();
    expect(callsOf(await ask({ models: planners([]), question: "y" }))).toHaveLength(1);
    expect((await store.load("conv-1"))?.pendingPlan).toBeUndefined();
  });

  test.each([
    ["y", "complete", 1],
    ["算了", "cancelled", 0],
  ])("a bare %s right after it is the reply in agent mode too", async (word, status, calls) => {
    const { ask, store } = conversation();
    await ask({ models: planners([written(add)]), question });
    const events = await ask({ models: planners([]), question: word, mode: "agent" });
    expect(outcomeOf(events)).toMatchObject({ status, meta: { mode: "plan" } });
    expect(callsOf(events)).toHaveLength(calls);
    expect((await store.load("conv-1"))?.pendingPlan).toBeUndefined();
  });

  test("a bare yes to something said later does not carry it out in agent mode", async () => {
    const { ask, store } = conversation();
    await ask({ models: planners([written(add)]), question });
    await ask({ models: planners(["enough"], "Shall I go on?"), question: "And 3+4?", mode: "agent" });
    const events = await ask({ models: planners(["enough"]), question: "好的", mode: "agent" });
    expect(callsOf(events)).toEqual([]);
    expect(outcomeOf(events).meta.mode).toBe("agent");
    expect((await store.load("conv-1"))?.pendingPlan).toBeDefined();
  });

  test("what is planned after a failure waits too, and goes on from the results that there are", async () => {
    const broken = makeTool("broken", () => ({ ok: false, text: "no", error: { code: "auth", message: "no" } }));
    const { ask } = conversation({ tools: [...tools, broken] });
    await ask({ models: planners([written(add, { tool: "broken" })]), question });
    const stopped = await ask({ models: planners([written({ ...sayIt, step: 3 })]), question: "y" });
    expect(outcomeOf(stopped)).toMatchObject({ status: "needs_confirmation" });
    expect(outcomeOf(stopped).response).toContain('1. Add — `calculator` `{"expression":"2+3"}` (已完成)');

    const models = planners([], "等于 5。");
    const events = await ask({ models, question: "y" });
    expect(callsOf(events)).toEqual(['3 echo {"text":"So: 2+3 = 5"}']);
    expect(lastAsked(models.answer, 0)).toContain("2+3 = 5");
    expect(outcomeOf(events).status).toBe("complete");
  });

  test("a plan that is taken up knows why its steps failed, and what the model said beside their calls", async () => {
    const reasons = ["没有权限", "太晚了"];
    const fail = (): ToolResult => ({ ok: false, text: "", error: { code: "auth", message: reasons.shift() ?? "" } });
    const broken = makeTool("broken", fail);
    const { ask } = conversation({ tools: [...tools, broken] });
    await ask({
      models: planners([written({ tool: "echo", parameters: { text: "?" } }, { tool: "broken" })]),
      question,
    });
    const filled = { text: "The first of two.", calls: [{ id: "1", name: "echo", input: { text: "a" } }] };
    const again = written({ tool: "broken", step: 3 });
    expect(outcomeOf(await ask({ models: planners([filled, again]), question: "y" })).status).toBe(
      "needs_confirmation",
    );

    const models = planners(['{"steps":[]}'], "没有成功。");
    await ask({ models, question: "y" });
    for (const asked of [lastAsked(models.functionCall, 0), lastAsked(models.answer, 0)])
      expect(asked).toMatch(/2\. .*\(没有权限\)\n3\. .*\(太晚了\)/);
    expect(lastAsked(models.answer, 0)).toContain("The first of two.");
  });

  test("a tool that is gone when the plan is taken up is named as what failed", async () => {
    const { ask } = conversation();
    await ask({ models: planners([written(add)]), question });
    const models = planners(['{"steps":[]}'], "没有工具。");
    await ask({ models, question: "y", tools: tools.filter(({ name }) => name !== "calculator") });
    expect(lastAsked(models.functionCall, 0)).toContain("没有名为 calculator 的工具");
  });

  test("deciding step by step waits too", async () => {
    const { ask } = conversation();
    expect(outcomeOf(await ask({ models: planners(["a", "b", "c"]), question })).status).toBe("needs_confirmation");
    const models = planners([[{ id: "1", name: "calculator", input: { expression: "2+3" } }], "enough"]);
    const events = await ask({ models, question: "y" });
    expect(outcomeOf(events).status).toBe("complete");
    expect(callsOf(events)).toHaveLength(1);
  });

  test.each([
    "",
    "{}",
    "[",
    '{"version":2}',
    '{"version":1,"question":"q","steps":[{"step":7}]}',
    '{"version":1,"question":"q","stepwise":false,"replaced":0,"repairs":0,"steps":[],"results":[],"observations":[],"failures":[1]}',
  ])("a kept plan that cannot be read (%s) is as good as none", async (pendingPlan) => {
    const store = createMemoryStore();
    const kept = await store.create("conv-1");
    const models = planners(['{"steps":[]}'], "Hello.");
    const events = await runAll({
      mode: "plan",
      tools,
      planPolicy,
      models,
      store: { ...store, load: async () => ({ ...kept, pendingPlan }) },
      conversationId: "conv-1",
    });
    expect(outcomeOf(events)).toMatchObject({ status: "complete", response: "Hello." });
  });
});
