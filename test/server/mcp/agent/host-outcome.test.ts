import fc from "fast-check";
import { expect, test } from "vitest";
import { readAgentUsage } from "../../../../src/client/calls/tool-result.ts";
import type { ModelBill, Outcome, ToolCallRecord } from "../../../../src/core/run/outcome.ts";
import { toHostOutcome } from "../../../../src/server/mcp/agent/host-outcome.ts";
import { hostOutcomeSchema } from "../../../../src/server/mcp/agent/host-outcome-schema.ts";

const bill: ModelBill = {
  ...{ provider: "fake", model: "scripted", calls: 1, elapsed_ms: 1, cost_usd: null },
  ...{ input_tokens: 1, output_tokens: 1, reasoning_tokens: 0, cached_tokens: 0 },
};

function createOutcome(changes: Partial<Outcome> = {}): Outcome {
  return {
    ...{ success: true, status: "complete", stop_reason: "answered", response: "Rain [1]." },
    ...{ conversation_id: "conv-1", run_id: "run-1", trace_id: "1", tool_calls: [], citations: [], error: null },
    meta: {
      ...{ total_tokens: 2, tool_calls_count: 0, latency_ms: 1, iterations: 1, mode: "agent", cost_usd: null },
      models: { function_call: bill, answer: bill },
    },
    ...changes,
  };
}

function createCall(index: number, changes: Partial<ToolCallRecord> = {}): ToolCallRecord {
  return {
    ...{ tool: `fs__read_${index}`, arguments: { path: `/a/${index}` }, result: `text ${index} `.repeat(2000) },
    ...{ ok: index % 2 === 0, cached: false, elapsed_ms: index, ...changes },
  };
}

/** Returns the bytes beside what an answer needs. */
function countRest(outcome: Outcome, detail?: "full"): number {
  const { response: _, citations: __, error: ___, ...rest } = toHostOutcome(outcome, "The text.", { detail });
  return Buffer.byteLength(JSON.stringify(rest));
}

test("a host gets the text, the ids, the totals and the names of the last ten calls", () => {
  const calls = Array.from({ length: 12 }, (_, index) => createCall(index));
  const told = toHostOutcome(createOutcome({ tool_calls: calls }), "Rain [1].\n\nReferences: …");
  expect(Object.keys(told)[0]).toBe("response");
  expect(JSON.parse(JSON.stringify(told))).toEqual({
    ...{ response: "Rain [1].\n\nReferences: …", status: "complete", stop_reason: "answered" },
    ...{ conversation_id: "conv-1", run_id: "run-1", trace_id: "1", citations: [] },
    tool_calls: calls.slice(2).map(({ tool, ok }) => ({ tool, ok })),
    meta: { total_tokens: 2, tool_calls_count: 0, latency_ms: 1, iterations: 1, mode: "agent" },
  });
});

test("of a cost that is not known as a whole, the known part is told, which limits what the calling agent may spend", () => {
  const { meta } = createOutcome();
  const own = { ...bill, by_model: [bill, { ...bill, model: "priced", cost_usd: 0.25 }] };
  const partly = createOutcome({ meta: { ...meta, total_tokens: 4, models: { function_call: own, answer: bill } } });
  const told = toHostOutcome(partly, "");
  expect(told.meta).toMatchObject({ known_cost_usd: 0.25 });
  expect(told.meta).not.toHaveProperty("cost_usd");
  expect(readAgentUsage(told)).toMatchObject({ tokens: 4, cost: 0.25, isCostKnown: false });
});

test("a call that is still going has no ok, so that nobody takes it for one that failed", () => {
  const calls = [createCall(1), createCall(3, { result: "" })];
  const [failed, going] = calls.map(({ tool, arguments: args }) => ({ tool, arguments: args }));
  const running = createOutcome({ success: false, status: "running", tool_calls: calls });
  expect(toHostOutcome(running, "").tool_calls).toEqual([{ tool: failed?.tool, ok: false }, { tool: going?.tool }]);
  expect(toHostOutcome(running, "", { detail: "full" }).tool_calls).toMatchObject([
    { ok: false },
    { tool: "fs__read_3" },
  ]);
  expect(toHostOutcome(running, "", { detail: "full" }).tool_calls[1]).toEqual(going);
  const ended = toHostOutcome({ ...running, status: "cancelled" }, "");
  expect(ended.tool_calls).toEqual(calls.map(({ tool }) => ({ tool, ok: false })));
});

test("a call that waits for a person is neither a success nor a failure yet", () => {
  const waiting = { ...createCall(1), ok: false, result: "" };
  const tool_calls = [createCall(0), waiting];
  for (const detail of ["brief", "full"] as const) {
    const { tool_calls: shown } = toHostOutcome(createOutcome({ status: "needs_confirmation", tool_calls }), "", {
      detail,
    });
    expect(shown.map((call) => "ok" in call)).toEqual([true, false]);
  }
});

test("a full result has arguments and the start of each result, the newest where there is not room for all", () => {
  const few = toHostOutcome(createOutcome({ tool_calls: [createCall(0)] }), "", { detail: "full" });
  expect(few.tool_calls).toMatchObject([{ tool: "fs__read_0", arguments: { path: "/a/0" }, cached: false }]);
  expect(String(few.tool_calls[0]?.result).length).toBeLessThanOrEqual(300);
  expect(few.meta.models).toMatchObject({ answer: { provider: "fake" } });
  const long = { path: "p".repeat(900) };
  const calls = Array.from({ length: 10 }, (_, index) => createCall(index, { arguments: long }));
  const many = toHostOutcome(createOutcome({ tool_calls: calls }), "", { detail: "full" });
  const whole = many.tool_calls.map((call) => "result" in call);
  expect(many.tool_calls).toHaveLength(10);
  expect(whole.at(-1)).toBe(true);
  expect(whole[0]).toBe(false);
  expect(whole.toSorted()).toEqual(whole);
});

test("whatever a run has done, what a host gets beside the answer stays small and fits the schema", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 200 });
  const call = fc.record({ name: fc.stringMatching(/^[a-z_]{1,64}$/), args: text, result: text, ok: fc.boolean() });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 50 }), fc.stringMatching(/^[\w-]{1,200}$/), (calls, conversation_id) => {
      const tool_calls = calls.map(({ name, args, result, ok }) =>
        createCall(0, { tool: name, arguments: { args }, result, ok }),
      );
      const outcome = createOutcome({ tool_calls, conversation_id });
      expect(countRest(outcome)).toBeLessThanOrEqual(1024);
      expect(countRest(outcome, "full")).toBeLessThanOrEqual(8192);
      expect(hostOutcomeSchema.safeParse(toHostOutcome(outcome, "")).error).toBeUndefined();
    }),
  );
});

test("the question of a confirmation is in the text, and its arguments are not told twice", () => {
  const confirmation = {
    token: "t-1",
    kind: "call",
    tool: "fs__write",
    rule: "fs__*",
    expires_at: "2026-01-01",
  } as const;
  const waiting = createOutcome({ confirmation: { ...confirmation, arguments: { text: "x".repeat(5000) } } });
  expect(JSON.parse(JSON.stringify(toHostOutcome(waiting, "May it?").confirmation))).toEqual(confirmation);
});

test("a long rule does not make what a host gets long", () => {
  const confirmation = {
    ...({
      kind: "call",
      token: "t".repeat(220),
      tool: "x".repeat(64),
      expires_at: "2026-01-01T00:00:00.000Z",
    } as const),
    ...{ rule: `tools.ask: fs__write(path=${"p".repeat(2000)})`, arguments: {} },
  };
  const conversation_id = `conv-${"c".repeat(195)}`;
  expect(countRest(createOutcome({ status: "needs_confirmation", conversation_id, confirmation }))).toBeLessThanOrEqual(
    1000,
  );
});

test("a host that hands both parts to its model gets the answer once", () => {
  expect(toHostOutcome(createOutcome(), "Rain.", { leavesOutResponse: true })).not.toHaveProperty("response");
});
