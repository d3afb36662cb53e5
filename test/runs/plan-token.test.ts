import { expect, test, vi } from "vitest";
import { DuetError } from "../../src/kit/errors.ts";
import type { RunHandle } from "../../src/runs/live/run-handle.ts";
import type { CallerScope } from "../../src/runs/run-service.ts";
import { waitForOutcome } from "../../src/server/api/chat/wait-for-outcome.ts";
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

test("a plan that cannot be handed out, because the store cannot be read, is given to who asks the same again", async () => {
  const { mcp, duet } = await openFace({ turns: [say("one"), say("two")], config });
  const host = await linkHost(mcp);
  const { outcome: begun } = await host.ask("Say it.", { mode: "plan", wait_s: 0 });
  const run = mcp.runs.find(begun.run_id, {}) as RunHandle;
  await expect.poll(() => run.outcome?.status).toBe("needs_confirmation");
  const unreadable = new DuetError({ code: "internal", text: { zh: "磁盘已满", en: "the disk is full" } });
  vi.spyOn(duet, "store").mockRejectedValueOnce(unreadable);
  const waiting = waitForOutcome({
    scope: { duet, runs: mcp.runs, caller: {}, settings: {} } as unknown as CallerScope,
    ...{ run, windowMs: 10_000, isAsked: false, handsOut: false, isKept: true, signal: new AbortController().signal },
  });
  await expect(waiting).rejects.toBe(unreadable);
  const { outcome } = await host.ask("Say it.", { mode: "plan" });
  expect(outcome).toMatchObject({ run_id: begun.run_id, confirmation: { kind: "plan" } });
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
