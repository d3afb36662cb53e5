import { expect, test } from "vitest";
import { withChain } from "../../../src/client/calls/to-tool.ts";
import { readAgentUsage } from "../../../src/client/calls/tool-result.ts";

const result = (meta: object) => ({ run_id: "run-1", stop_reason: "answered", meta: { tool_calls_count: 0, ...meta } });

test("the bill of an agent below is its own and that of the agents it", () => {
  const agents = { runs: 2, total_tokens: 50, cost_usd: 0.25 };
  expect(readAgentUsage(result({ total_tokens: 100, cost_usd: 0.5, agents }))).toEqual({
    runId: "run-1",
    runs: 3,
    tokens: 150,
    cost: 0.75,
    isCostKnown: true,
    isOver: true,
  });
  expect(readAgentUsage({ ...result({}), status: "running" })).toMatchObject({ isOver: false });
  expect(readAgentUsage(result({ total_tokens: 100, cost_usd: null, agents }))).toMatchObject({
    cost: 0.25,
    isCostKnown: false,
  });
  const partly = { ...agents, cost_usd: null, known_cost_usd: 0.125 };
  expect(readAgentUsage(result({ total_tokens: 100, cost_usd: 0.5, agents: partly }))).toMatchObject({
    cost: 0.625,
    isCostKnown: false,
  });
  // Refused before a model was asked.
  expect(readAgentUsage(result({ total_tokens: 0, cost_usd: null }))).toMatchObject({ cost: 0, isCostKnown: true });
});

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, "7", null, {}])("a bill of %s is none", (lie) => {
  const agents = { runs: lie, total_tokens: lie, cost_usd: lie, known_cost_usd: lie };
  const usage = readAgentUsage(result({ total_tokens: lie, cost_usd: lie, agents }));
  expect(usage).toMatchObject({ runs: 1, tokens: 0, cost: 0, isCostKnown: false });
});

test.each([
  undefined,
  "text",
  [],
  { sum: 5 },
  { run_id: "run-1", meta: {} },
  { ...result({ total_tokens: 9 }), run_id: 7 },
  { run_id: "run-1", stop_reason: "answered", meta: { total_tokens: 9 } },
])("a result of another shape has no bill: %j", (structured) => {
  expect(readAgentUsage(structured)).toBeUndefined();
});

test("a tool that takes a chain gets it among its arguments, whatever a model wrote there", () => {
  const takes = { type: "object", properties: { question: {}, duet_chain: {} } };
  const chain = { depth: 2, budget: 7 };
  expect(withChain({ question: "Who?", duet_chain: "0" }, takes, { chain })).toEqual({
    question: "Who?",
    duet_chain: "2;;7",
  });
  expect(withChain({ question: "Who?" }, { properties: { question: {} } }, { chain })).toEqual({ question: "Who?" });
  // A person who calls by hand stands in no chain.
  expect(withChain({ question: "Who?" }, takes, {})).toEqual({ question: "Who?" });
});
