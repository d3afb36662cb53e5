import { describe, expect, test } from "vitest";
import { toPlainText } from "../../src/core/model/message-content.ts";
import type { AgentEvent } from "../../src/core/run/events.ts";
import { createFailure, type Tool, type ToolFailure, type ToolResult } from "../../src/core/tools/tool.ts";
import { sleep } from "../../src/kit/async/timeout.ts";
import { createGuardedFetch } from "../../src/kit/net/create-guarded-fetch.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
import { createWebRules, readReachList } from "../../src/tools/outgoing/create-tool-fetch.ts";
import { createReadPage } from "../../src/tools/page/read-page.ts";
import { noticesOf, outcomeOf, verdictsOf } from "../fakes/events.ts";
import { scriptedModel } from "../fakes/model.ts";
import { type Overrides, runAll } from "../fakes/run.ts";

const call = { id: "1", name: "lookup", input: { city: "Oslo" } };
const found: ToolResult = { ok: true, text: "Oslo has 700,000 inhabitants, give or take." };
const lost = (code: ToolFailure["code"] = "network"): ToolResult => createFailure(code, "The connection was lost.");

/** A tool that may be called again, unless stated otherwise, and gives these results one after the other. */
function lookup(results: readonly ToolResult[], more: Partial<Tool> = {}): { tool: Tool; calls: object[] } {
  const calls: object[] = [];
  const tool: Tool = {
    name: "lookup",
    description: "Looks a city up.",
    inputSchema: { type: "object", properties: {} },
    source: "builtin",
    annotations: {},
    canRepeat: () => true,
    async run(args) {
      calls.push(args);
      return results[calls.length - 1] ?? found;
    },
    ...more,
  };
  return { tool, calls };
}

/** One run in which the model calls the tool once, and what it read in its next turn. */
async function lookUp(tool: Tool, overrides: Partial<Overrides> = {}): Promise<{ events: AgentEvent[]; read: string }> {
  const model = scriptedModel([[call], "Enough."]);
  const models = { functionCall: model, answer: scriptedModel(["Many."]) };
  const events = await runAll({ models, tools: [tool], ...overrides });
  return { events, read: toPlainText(model.requests[1]?.messages.at(-1)?.content ?? "", "en") };
}

const callsIn = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === "tool-start") return [`start ${event.callId}`];
    return event.type === "tool-end" ? [`end ${event.callId} ${event.ok}`] : [];
  });

describe("a call that failed for the moment", () => {
  test("is made once more where the tool says that it may be; events, outcome and trace show both tries", async () => {
    const { tool, calls } = lookup([lost()]);
    const store = createMemoryStore();
    const { events, read } = await lookUp(tool, { store });
    expect(calls).toEqual([call.input, call.input]);
    expect(callsIn(events)).toEqual(["start 1", "end 1 false", "start 1#2", "end 1#2 true"]);
    expect(noticesOf(events)).toEqual(["tool-retry"]);
    expect(read).toContain(found.text);
    expect(read).not.toContain("lost");
    const outcome = outcomeOf(events);
    expect(outcome.tool_calls.map(({ ok, result }) => [ok, result])).toEqual([
      [false, "The connection was lost."],
      [true, found.text],
    ]);
    expect(outcome.meta.tool_calls_count).toBe(2);
    const trace = await store.trace(outcome.run_id);
    expect(trace?.steps.slice(0, 2).map(({ observation, error }) => [observation, error])).toEqual([
      ["The connection was lost.", "The connection was lost."],
      [found.text, undefined],
    ]);
    expect(trace?.used_tools.lookup?.count).toBe(2);
  });

  test("is made no third time: the model reads the error, and that it was tried twice, and decides", async () => {
    const { tool, calls } = lookup([lost("timeout"), lost("server"), found]);
    const { events, read } = await lookUp(tool);
    expect(calls).toHaveLength(2);
    expect(read).toContain("The connection was lost.");
    expect(read).toContain("It was retried once and failed again.");
    expect(outcomeOf(events)).toMatchObject({ status: "complete", response: "Many." });
  });

  test.each(["timeout", "network", "overloaded", "server", "unavailable"] as const)(
    "counts as one with %s",
    async (code) => {
      const { tool, calls } = lookup([lost(code)]);
      await lookUp(tool);
      expect(calls).toHaveLength(2);
    },
  );

  test("does not count as one where its host does not exist, and is made once", async () => {
    const looked: string[] = [];
    const guardedFetch = createGuardedFetch({
      reach: createWebRules(readReachList([]), new Set([443])),
      async lookup(host) {
        looked.push(host);
        throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" });
      },
    });
    const tool = { ...createReadPage(guardedFetch, "en"), name: "lookup", canRepeat: () => true };
    const model = scriptedModel([[{ ...call, input: { url: "https://nowhere.test/" } }], "Enough."]);
    const models = { functionCall: model, answer: scriptedModel(["It is not there."]) };
    const events = await runAll({ models, tools: [tool] });
    expect(looked).toEqual(["nowhere.test"]);
    expect(noticesOf(events)).toEqual([]);
    expect(model.requests[1]?.messages.at(-1)?.content).toContain("nowhere.test:443: the host was not found");
  });

  test.each([
    "invalid_arguments",
    "denied",
    "cancelled",
    "tool_changed",
    "tool",
    "auth",
    "quota",
    "rate_limit",
    "config",
    "invalid_request",
  ] as const)("does not count as one with %s, and is made once", async (code) => {
    const { tool, calls } = lookup([lost(code)]);
    const { events } = await lookUp(tool);
    expect(calls).toHaveLength(1);
    expect(noticesOf(events)).toEqual([]);
  });

  test("is made once where the tool does not say that it may be made again, whatever its annotations say", async () => {
    for (const more of [{ canRepeat: () => false }, { canRepeat: undefined, annotations: { readOnly: true } }]) {
      const { tool, calls } = lookup([lost()], more);
      await lookUp(tool);
      expect(calls).toHaveLength(1);
    }
  });

  test("is made again by the arguments that it has", async () => {
    const seen: object[] = [];
    const { tool } = lookup([lost()], { canRepeat: (args) => seen.push(args) > 0 });
    await lookUp(tool);
    expect(seen[0]).toEqual(call.input);
  });

  test("is not made again when that would be more than the limit of calls, against which both tries count", async () => {
    const atLimit = lookup([lost()]);
    await lookUp(atLimit.tool, { limits: { maxToolCalls: 1 } });
    expect(atLimit.calls).toHaveLength(1);
    const below = lookup([lost(), lost()]);
    const { events } = await lookUp(below.tool, { limits: { maxToolCalls: 2 } });
    expect(below.calls).toHaveLength(2);
    expect(verdictsOf(events)).toEqual(["answer calls-used"]);
  });

  test("is not made again when less time is left than it has taken", async () => {
    let calls = 0;
    const { tool } = lookup([], {
      async run(_, { signal }) {
        calls += 1;
        await sleep(1200, signal);
        return lost("timeout");
      },
    });
    await lookUp(tool, { limits: { maxExecutionTimeMs: 2200 } });
    expect(calls).toBe(1);
  });

  test("is not made again once the run was cancelled", async () => {
    const stop = new AbortController();
    let calls = 0;
    const { tool } = lookup([], {
      async run() {
        calls += 1;
        stop.abort();
        return lost();
      },
    });
    const { events } = await lookUp(tool, { signal: stop.signal });
    expect(calls).toBe(1);
    expect(outcomeOf(events).status).toBe("cancelled");
  });

  test("is not made again where a person was asked: who agreed has agreed to one call", async () => {
    const { tool, calls } = lookup([lost()]);
    const asks: Tool = {
      ...tool,
      async run(args, context) {
        await context.approve?.({ tool: "lookup", arguments: args, rule: "tools.ask: lookup", onlyOnce: true });
        return tool.run(args, context);
      },
    };
    const approveCall = async () => {
      await sleep(5);
      return "once" as const;
    };
    await lookUp(asks, { approveCall });
    expect(calls).toHaveLength(1);
  });

  test("counts as one result: asked for again and again it is a circle", async () => {
    const { tool, calls } = lookup(Array.from({ length: 20 }, () => lost()));
    const model = scriptedModel([
      [call],
      [{ ...call, id: "2" }],
      [{ ...call, id: "3" }],
      [{ ...call, id: "4" }],
      "No.",
    ]);
    const models = { functionCall: model, answer: scriptedModel(["No."]) };
    const events = await runAll({ models, tools: [tool], limits: { maxToolCalls: 20 } });
    expect(calls).toHaveLength(4);
    expect(outcomeOf(events).stop_reason).toBe("repetition");
  });
});
