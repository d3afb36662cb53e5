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

test("what an agent below has used counts once for the day of who asked", async () => {
  const call = { id: "1", name: "agent_researcher", input: { message: "How high?" } };
  const turns = [{ calls: [call], tokens: 1 }, { text: "300 m.", tokens: 100 }, "It is 300 m."];
  const limits = { serve: { limits: { tokensPerDay: 100_000 } }, agent: { budgets: { tokensPerDay: 100_000 } } };
  const agents = { researcher: { description: "Finds facts.", tools: [] } };
  const { origin } = await startHttpDuet({ turns, settings: { agents, ...limits } });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ message: "How high is it?" });
  const answered = await fetch(`${origin}/agent/chat`, { method: "POST", headers, body });
  const outcome = JSON.parse(await answered.text());
  const { total_tokens, agents: below } = outcome.meta;
  expect([outcome.response, below]).toMatchObject(["It is 300 m.", { runs: 1 }]);
  const { tokens_today } = JSON.parse(await (await fetch(`${origin}/agent/usage`)).text());
  expect(tokens_today.used).toBe(total_tokens + below.total_tokens);
});

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
