import { expect, test } from "vitest";
import { createSubAgents } from "../../../src/agent/limits/sub-agents.ts";
import type { Chain } from "../../../src/core/chain.ts";
import type { AgentUsage, Tool } from "../../../src/core/tools/tool.ts";
import type { JsonSchema } from "../../../src/kit/json.ts";
import { outcomeOf } from "../../fakes/events.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { runAll } from "../../fakes/run.ts";

const usage = (tokens: number, more: Partial<AgentUsage> = {}): AgentUsage => ({
  runId: "run-below",
  runs: 1,
  tokens,
  cost: 0,
  isCostKnown: true,
  isOver: true,
  ...more,
});

const takesChain: JsonSchema = {
  type: "object",
  properties: { question: { type: "string" }, duet_chain: { type: "string" } },
};

const nothing = { tokens: 0, cost: undefined };

/** `agent_ask` of a server, which keeps what it is told of the chain. */
function agentTool(name: string, used: AgentUsage, told: (Chain | undefined)[] = []): Tool {
  return {
    name,
    description: "Asks an agent.",
    inputSchema: takesChain,
    source: "below",
    annotations: {},
    async run(_, { chain }) {
      told.push(chain);
      return { ok: true, text: "It is a quarter past three.", usage: used };
    },
  };
}

const ask = (id: string) => ({ id, name: "below__agent_ask", input: { question: id } });

test("shares that are out together never add up to more than there is, and a later call still gets one", () => {
  const below = createSubAgents();
  const left = { tokens: 8000, cost: 0.8 };
  const loans = Array.from({ length: 20 }, () => below.reserveBudget(left, 7));
  expect(loans[0]).toMatchObject({ tokens: 1000, cost: expect.closeTo(0.1) });
  expect(loans[6]).toMatchObject({ tokens: 1000 });
  expect(loans.every(({ tokens }) => tokens >= 0)).toBe(true);
  expect(loans.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(8000);
  expect(loans.reduce((sum, { cost = 0 }) => sum + cost, 0)).toBeLessThanOrEqual(0.8);
  for (const reservation of loans) reservation.release();
  expect(below.reserveBudget({ tokens: 800, cost: undefined }, 7)).toMatchObject({ tokens: 100, cost: undefined });
});

test("what was lent to a run that goes on after its call is lent to nobody else until it is over", () => {
  const below = createSubAgents();
  const first = below.reserveBudget({ tokens: 800, cost: 0.8 }, 1);
  below.add("a", usage(100, { cost: 0.1, isOver: false }), first);
  first.release();
  const second = below.reserveBudget({ tokens: 700, cost: 0.7 }, 1);
  expect(second).toMatchObject({ tokens: 200, cost: expect.closeTo(0.2) });
  below.add("a", usage(150, { cost: 0.1 }), second);
  second.release();
  expect(below.reserveBudget({ tokens: 650, cost: 0.7 }, 1)).toMatchObject({ tokens: 325, cost: expect.closeTo(0.35) });
});

test("the same run tells its bill again, grown; another server's run of that name is another", () => {
  const below = createSubAgents();
  expect(below.bill()).toBeUndefined();
  below.add("a", usage(100, { cost: 0.1 }), nothing);
  below.add("a", usage(300, { cost: 0.3 }), nothing);
  // One that goes back on its word changes nothing.
  below.add("a", usage(0), nothing);
  below.add("b", usage(50, { cost: 0.05 }), nothing);
  expect(below.tokens()).toBe(350);
  expect(below.knownCost()).toBeCloseTo(0.35);
  expect(below.bill()).toEqual({ runs: 2, total_tokens: 350, cost_usd: 0.35 });
  below.add("c", usage(1, { isCostKnown: false }), nothing);
  expect(below.bill()).toEqual({ runs: 3, total_tokens: 351, cost_usd: null, known_cost_usd: 0.35 });
});

test("an agent that is known to be free has cost nothing, and the cost of one that has used nothing is not known", () => {
  const below = createSubAgents();
  below.add("a", usage(0), nothing);
  expect(below.bill()).toEqual({ runs: 1, total_tokens: 0, cost_usd: null });
  below.add("b", usage(50), nothing);
  expect(below.bill()).toEqual({ runs: 2, total_tokens: 50, cost_usd: 0 });
});

test("what an agent below has used counts against the budgets of the run and stands in its outcome by itself", async () => {
  const told: (Chain | undefined)[] = [];
  const model = scriptedModel([[ask("1")], [ask("2")], "Quarter past three."]);
  const tool = agentTool("below__agent_ask", usage(700), told);
  const outcome = outcomeOf(
    await runAll({ models: { functionCall: model, answer: model }, tools: [tool], limits: { tokenBudget: 16_020 } }),
  );
  expect(told.map((chain) => chain?.budget)).toEqual([8000, Math.floor((16_020 - 720 - 20) / 2)]);
  expect(told[0]).not.toHaveProperty("cost", expect.anything());
  expect(outcome).toMatchObject({
    status: "complete",
    meta: { total_tokens: 60, agents: { runs: 1, total_tokens: 700, cost_usd: 0 } },
  });
});

test.each([
  ["tokens", usage(100_000), { tokenBudget: 50_000 }, "token_limit"],
  ["money", usage(10, { cost: 3 }), { costBudget: 2 }, "cost_limit"],
  ["an absurd lot of tokens", usage(Number.MAX_SAFE_INTEGER), {}, "token_limit"],
])("a run whose agent below has used up the %s answers and asks no more", async (_, used, limits, stop) => {
  const model = scriptedModel([[ask("1")], "Quarter past three."]);
  const outcome = outcomeOf(
    await runAll({
      models: { functionCall: model, answer: model },
      tools: [agentTool("below__agent_ask", used)],
      limits,
    }),
  );
  expect(outcome).toMatchObject({ status: "partial", stop_reason: stop, response: "Quarter past three." });
  expect(model.requests).toHaveLength(2);
});

test("a budget of money is shared as the tokens are", async () => {
  const told: (Chain | undefined)[] = [];
  const model = scriptedModel([[ask("1")], [ask("2")], "Done."]);
  const tool = agentTool("below__agent_ask", usage(10, { cost: 0.4 }), told);
  await runAll({ models: { functionCall: model, answer: model }, tools: [tool], limits: { costBudget: 0.8 } });
  expect(told.map((chain) => chain?.cost)).toEqual([expect.closeTo(0.4), expect.closeTo(0.2)]);
});

test("models never see the argument in which a chain travels", async () => {
  const model = scriptedModel([[ask("1")], "Done."]);
  const tools = [agentTool("below__agent_ask", usage(1))];
  await runAll({ models: { functionCall: model, answer: model }, tools });
  const [offered] = model.requests[0]?.tools ?? [];
  expect(offered).toMatchObject({ name: "below__agent_ask", inputSchema: { properties: { question: {} } } });
  expect(JSON.stringify(model.requests)).not.toContain("duet_chain");
});

test("at the last level no tool is offered that is an agent, under whatever name, nor what goes with it", async () => {
  const plain = (name: string): Tool => ({ ...agentTool(name, usage(1)), inputSchema: { type: "object" } });
  const tools = [
    agentTool("far__duet__agent_ask", usage(1)),
    plain("far__duet__agent_result"),
    plain("far__duet__agent_cancel"),
    agentTool("oracle", usage(1)),
    plain("other__agent_result"),
    plain("search"),
  ];
  const offered = async (depth: number) => {
    const model = scriptedModel(["Done."]);
    await runAll({ models: { functionCall: model, answer: model }, tools, chain: { depth } });
    return model.requests[0]?.tools?.map(({ name }) => name);
  };
  expect(await offered(2)).toEqual(tools.map(({ name }) => name));
  expect(await offered(3)).toEqual(["other__agent_result", "search"]);
});

test.each([{ depth: 4 }, { depth: 2, budget: 0 }, { depth: 2, cost: 0 }])(
  "a run that may not begin (%j) asks no model, and gives the agent above no advice that is for people",
  async (chain) => {
    const model = scriptedModel([]);
    const outcome = outcomeOf(await runAll({ models: { functionCall: model, answer: model }, chain }));
    expect(outcome).toMatchObject({
      status: "failed",
      error: { hint: "Do not call this tool again; answer from what is known." },
    });
    expect(model.requests).toHaveLength(0);
  },
);
