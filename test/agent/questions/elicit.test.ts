import { afterEach, expect, test, vi } from "vitest";
import { createRunClock } from "../../../src/agent/limits/run-clock.ts";
import { createRunUser } from "../../../src/agent/questions/ask-user.ts";
import type { AskElicitation, Elicit, Elicitation, ElicitationReply } from "../../../src/core/forms/elicitation.ts";
import { createApprove, createElicit, toUser } from "../../../src/core/questions/user.ts";
import type { ApproveCall, Tool } from "../../../src/core/tools/tool.ts";
import { withTimeout } from "../../../src/tools/tool-limits.ts";
import { makeTool, outcomeOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { defaultLimits, runAll, runOptions, streamRun } from "../../fakes/run.ts";

afterEach(() => {
  vi.useRealTimers();
});

const question: Elicitation = { kind: "form", from: "shop", message: "Which size?", schema: {} };
const call = [{ id: "1", name: "shop__buy", input: {} }];

/** Asks and says what it was told; `heard` gets it too, also when the call is over. */
function asking(heard: unknown[] = []): Tool {
  return {
    ...makeTool("shop__buy", () => ({ ok: true, text: "" })),
    async run(_, { elicit }) {
      const reply = elicit === undefined ? "nobody" : await elicit(question);
      heard.push(reply);
      return { ok: true, text: JSON.stringify(reply) };
    },
  };
}

const models = () => {
  const model = scriptedModel([call, "Done."]);
  return { functionCall: model, answer: model };
};

function desk(ask: AskElicitation, approveCall?: ApproveCall) {
  const callerSignal = new AbortController().signal;
  const clock = createRunClock({ limits: defaultLimits, spentMs: 0, callerSignal });
  const user = createRunUser(toUser({ elicit: ask, approveCall }), clock);
  const elicit = createElicit(user, callerSignal);
  if (elicit === undefined) throw new Error("the user cannot be asked");
  return { clock, elicit, approve: createApprove(user, callerSignal) };
}

test("a tool's question reaches the person, and the reply the tool, through a limit of time too", async () => {
  const asked: Elicitation[] = [];
  const elicit: AskElicitation = async (one) => {
    asked.push(one);
    return { action: "accept", content: { size: "m" } };
  };
  const events = await runAll({ models: models(), tools: [withTimeout(asking(), 60_000)], elicit });
  expect(asked).toEqual([question]);
  const [record] = outcomeOf(events).tool_calls;
  expect(record?.result).toBe('{"action":"accept","content":{"size":"m"}}');
});

test("where nobody can be asked a tool is not offered to ask", async () => {
  const events = await runAll({ models: models(), tools: [asking()] });
  expect(outcomeOf(events).tool_calls[0]?.result).toBe('"nobody"');
});

test("the time that a person takes is neither the run's nor the call's", async () => {
  vi.useFakeTimers();
  const elicit: AskElicitation = async () => {
    await vi.advanceTimersByTimeAsync(9 * 60_000);
    return { action: "decline" };
  };
  const outcome = outcomeOf(await runAll({ models: models(), tools: [asking()], elicit }));
  expect(outcome).toMatchObject({ status: "complete", response: "Done." });
  expect(outcome.tool_calls[0]?.elapsed_ms).toBeLessThan(1000);
});

test("several questions of one call, asked at once, take no more of its time than they last together", async () => {
  vi.useFakeTimers();
  const elicit: AskElicitation = async () => {
    await vi.advanceTimersByTimeAsync(60_000);
    return { action: "decline" };
  };
  const tool: Tool = {
    ...makeTool("shop__buy", () => ({ ok: true, text: "" })),
    async run(_, { elicit: ask }) {
      await Promise.all([ask?.(question), ask?.(question), ask?.(question)]);
      await vi.advanceTimersByTimeAsync(5_000);
      return { ok: true, text: "bought" };
    },
  };
  const [record] = outcomeOf(await runAll({ models: models(), tools: [tool], elicit })).tool_calls;
  expect(record?.elapsed_ms).toBe(5_000);
});

test("a question that nobody answers in ten minutes has no reply and is taken back", async () => {
  vi.useFakeTimers();
  let taken: unknown;
  const { elicit, clock } = desk((_, signal) => {
    signal.addEventListener("abort", () => {
      taken = signal.reason;
    });
    return new Promise(() => {});
  });
  const reply = elicit(question);
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(await reply).toBeUndefined();
  expect(taken).toMatchObject({ code: "timeout" });
  expect(clock.decideSignal.aborted).toBe(false);
  clock.clear();
});

test("a question ends with its run, and so do those that wait for their turn", async () => {
  const stop = new AbortController();
  const heard: (ElicitationReply | undefined)[] = [];
  const asked: AbortSignal[] = [];
  const elicit: AskElicitation = (_, signal) => {
    asked.push(signal);
    stop.abort(new Error("the user left"));
    return new Promise((_resolve, reject) => reject(signal.reason));
  };
  const twice = scriptedModel([[...call, { id: "2", name: "shop__buy", input: { again: true } }]]);
  const options = {
    models: { functionCall: twice, answer: twice },
    tools: [asking(heard)],
    elicit,
    signal: stop.signal,
  };
  const events = await Array.fromAsync(streamRun(await runOptions(options)));
  expect(outcomeOf(events).status).toBe("cancelled");
  await expect.poll(() => heard).toEqual([undefined, undefined]);
  expect(asked.map(({ aborted }) => aborted)).toEqual([true]);
});

test("a question that is withdrawn has no reply and is taken back at once; one that waits is never shown", async () => {
  const shown: Elicitation[] = [];
  const { elicit, clock } = desk((one, signal) => {
    shown.push(one);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  const [first, second] = [new AbortController(), new AbortController()];
  const replies = [elicit(question, first.signal), elicit({ ...question, message: "second" }, second.signal)];
  await expect.poll(() => shown).toHaveLength(1);
  second.abort();
  expect(await replies[1]).toBeUndefined();
  first.abort();
  expect(await replies[0]).toBeUndefined();
  expect(await elicit(question, AbortSignal.abort())).toBeUndefined();
  expect(shown).toEqual([question]);
  clock.clear();
});

test("a face that fails is nobody's word", async () => {
  const { elicit, clock } = desk(async () => {
    throw new Error("the screen is broken");
  });
  expect(await elicit(question)).toBeUndefined();
  clock.clear();
});

test("a person is asked one thing at a time, whether to agree to a call or to answer a server", async () => {
  let [standing, most] = [0, 0];
  async function person<T>(reply: T): Promise<T> {
    standing += 1;
    most = Math.max(most, standing);
    await new Promise((resolve) => setImmediate(resolve));
    standing -= 1;
    return reply;
  }
  const { elicit, approve, clock } = desk(
    () => person({ action: "accept" }),
    () => person("once"),
  );
  const approval = { tool: "shop__buy", arguments: {}, rule: "always", onlyOnce: true };
  const replies = await Promise.all([elicit(question), approve?.(approval), elicit(question), approve?.(approval)]);
  expect(replies).toEqual([{ action: "accept" }, "once", { action: "accept" }, "once"]);
  expect(most).toBe(1);
  clock.clear();
});

test("all calls of one run ask the same person", async () => {
  const seen: (Elicit | undefined)[] = [];
  const tool: Tool = {
    ...makeTool("shop__buy", () => ({ ok: true, text: "" })),
    async run(_, { elicit }) {
      seen.push(elicit);
      return { ok: true, text: "" };
    },
  };
  const twice = scriptedModel([[...call, { id: "2", name: "shop__buy", input: { again: true } }], "Done."]);
  const elicit: AskElicitation = async () => ({ action: "cancel" });
  await runAll({ models: { functionCall: twice, answer: twice }, tools: [tool], elicit });
  expect(seen.map((one) => one?.person)).toEqual([elicit, elicit]);
});
