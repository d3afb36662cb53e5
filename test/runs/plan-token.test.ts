import { expect, test } from "vitest";
import { written } from "../agent/plan/planning.ts";
import { linkHost } from "../fakes/linked-hosts.ts";
import { openFace } from "./mcp-interface.ts";

const config = { agent: { plan: { unattended: "stop" } } };
const say = (message: string) => written({ tool: "echo", parameters: { text: message } });

test("a plan's token is given with its own run's result, and with no older one's", async () => {
  const { mcp } = await openFace({ turns: [say("one"), say("two"), "Said."], config, serve: { keepResults: 1 } });
  const host = await linkHost(mcp);
  const first = (await host.ask("Say it.", { mode: "plan" })).outcome;
  const { conversation_id } = first;
  const changed = (await host.ask("Say two instead.", { mode: "plan", conversation_id })).outcome;
  const results = async () => [
    await host.call("agent_result", { run_id: first.run_id }),
    await host.call("agent_result", { run_id: changed.run_id }),
  ];
  const held = await results();
  await expect.poll(() => [...mcp.runs.listRuns({})]).toEqual([]);
  for (const [old, current] of [held, await results()]) {
    expect(old?.outcome).toMatchObject({ status: "needs_confirmation" });
    expect(old?.outcome.confirmation).toBeUndefined();
    expect(old?.text).toContain("no longer waiting for confirmation");
    expect(current?.outcome.confirmation).toMatchObject({ kind: "plan" });
  }
  const { confirmation } = changed;
  expect((await host.ask("y", { confirmation: confirmation?.token })).outcome.response).toBe("Said.");
});

test("a token that was given for a plan does not carry out the plan that took its place", async () => {
  const { mcp, model } = await openFace({ turns: [say("one"), say("two"), "Said."], config });
  const host = await linkHost(mcp);
  const { conversation_id, confirmation: old } = (await host.ask("Say it.", { mode: "plan" })).outcome;
  const changed = (await host.ask("Say two instead.", { mode: "plan", conversation_id })).outcome;
  const replayed = await host.ask("y", { confirmation: old?.token });
  expect(replayed).toMatchObject({ isError: true, text: expect.stringContaining("is no longer waiting") });
  expect(model.requests).toHaveLength(2);
  const { outcome } = await host.ask("y", { confirmation: changed.confirmation?.token, detail: "full" });
  expect(outcome).toMatchObject({ status: "complete", tool_calls: [{ arguments: { text: "two" } }] });
});

test("a plan that is confirmed again while it is carried out is the same run", async () => {
  const { mcp, model } = await openFace({ turns: [say("one"), "Said."], config });
  const host = await linkHost(mcp);
  const { confirmation } = (await host.ask("Say it.", { mode: "plan" })).outcome;
  const begun = await host.ask("y", { confirmation: confirmation?.token, wait_s: 0 });
  expect(begun.outcome.status).toBe("running");
  const again = await host.ask("y", { confirmation: confirmation?.token });
  expect(again.outcome).toMatchObject({ status: "complete", run_id: begun.outcome.run_id });
  expect((await host.ask("y", { confirmation: confirmation?.token })).isError).toBe(true);
  expect(model.requests).toHaveLength(2);
});

test("a plan's token that comes three times at once means one run", async () => {
  const { mcp, model } = await openFace({ turns: [say("one"), "Said."], config });
  const host = await linkHost(mcp);
  const { confirmation } = (await host.ask("Say it.", { mode: "plan" })).outcome;
  const all = await Promise.all([1, 2, 3].map(() => host.ask("y", { confirmation: confirmation?.token })));
  const runs = all.filter(({ isError }) => !isError).map(({ outcome }) => outcome.run_id);
  expect(runs.length).toBeGreaterThan(0);
  expect(new Set(runs).size).toBe(1);
  expect(model.requests).toHaveLength(2);
});
