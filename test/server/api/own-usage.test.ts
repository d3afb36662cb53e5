import { expect, test } from "vitest";
import { toUsageDay } from "../../../src/core/store/daily-usage.ts";
import { startHttpDuet } from "../../fakes/http-duet.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { serveCallers } from "./api-for-callers.ts";

test("callers see their own limits and what they have used of them", async () => {
  const limits = { tokensPerDay: 1_000_000, runsPerMinute: 7, maxRuns: 3 };
  const settings = { serve: { limits }, agent: { budgets: { tokensPerDay: 5000, costPerDay: 2 } } };
  const { origin } = await startHttpDuet({ turns: ["Four."], settings });
  const read = async () => JSON.parse(await (await fetch(`${origin}/agent/usage`)).text());
  const nothing = { tokens_today: { used: 0, limit: 5000 }, cost_usd_today: { used: 0, limit: 2 } };
  expect(await read()).toMatchObject({ ...nothing, caller: null, runs_now: { used: 0, limit: 3 } });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ message: "What is two and two?", mode: "chat" });
  await (await fetch(`${origin}/agent/chat`, { method: "POST", headers, body })).text();
  const used = await read();
  expect(used).toMatchObject({ runs_now: { used: 0, limit: 3 }, runs_per_minute: { used: 1, limit: 7 } });
  expect(used.tokens_today.used).toBeGreaterThan(0);
  expect(new Date(used.resets_at).getUTCHours()).toBe(0);
});

const day = { tokensPerDay: 100_000 };

test.each([
  ["its caller", { serve: { limits: day } }],
  ["agents", { agent: { budgets: day } }],
  ["both", { serve: { limits: day }, agent: { budgets: day } }],
])(
  "with a limit for the day of %s, each turn counts when it ends, and what an agent below has used counts once",
  async (_, limits) => {
    const call = { id: "1", name: "agent_researcher", input: { message: "How high?" } };
    const turns = [{ calls: [call], tokens: 1 }, { text: "300 m.", tokens: 100 }, "It is 300 m."];
    const agents = { researcher: { description: "Finds facts.", tools: [] } };
    const model = scriptedModel(turns);
    const readUsed = async (): Promise<number> =>
      JSON.parse(await (await fetch(`${origin}/agent/usage`)).text()).tokens_today.used;
    const seen: number[] = [];
    const watched: typeof model = {
      ...model,
      async stream(...asked) {
        seen.push(await readUsed());
        return model.stream(...asked);
      },
    };
    const models = { functionCall: watched, answer: watched };
    const { origin } = await startHttpDuet({ models, settings: { agents, ...limits } });
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ message: "How high is it?" });
    const answered = await fetch(`${origin}/agent/chat`, { method: "POST", headers, body });
    const outcome = JSON.parse(await answered.text());
    const { total_tokens, agents: below } = outcome.meta;
    expect([outcome.response, below]).toMatchObject(["It is 300 m.", { runs: 1 }]);
    expect(seen).toEqual([0, 2, 202]);
    expect(await readUsed()).toBe(total_tokens + below.total_tokens);
  },
);

test("what others have used is not shown to a caller", async () => {
  const { duet, call } = await serveCallers(scriptedModel([]));
  const day = toUsageDay(Date.now());
  const entry = { day, model: "fake/scripted", runs: 1, unpriced: 0 };
  await (await duet.usageHistory())?.add([
    { ...entry, owner: "anna", tokens: 30, cost: 0.5 },
    { ...entry, owner: "ben", tokens: 7000, cost: 9 },
    { ...entry, owner: undefined, tokens: 40_000, cost: 80 },
  ]);
  const read = async (who?: string) => JSON.parse(await (await call("/agent/usage", who)).text());
  expect(await read("anna")).toMatchObject({
    ...{ caller: "anna", tokens_today: { used: 30, limit: null }, cost_usd_today: { used: 0.5, limit: null } },
  });
  expect(await read()).toMatchObject({ caller: null, tokens_today: { used: 40_000, limit: null } });
});
