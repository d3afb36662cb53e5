import { expect, test } from "vitest";
import { eras, linkHost } from "../../fakes/linked-hosts.ts";
import { openFace } from "../mcp-interface.ts";

const calls = ["1+1", "2+2", "3+3", "4+4"].map((expression, index) => ({
  id: String(index),
  name: "calculator",
  input: { expression },
}));

const config = { agent: { maxToolCalls: 500 }, serve: { limits: { maxToolCalls: 3 } } };

test("the runs of a caller stay within serve.limits, whatever the operator's own limits are", async () => {
  const { mcp } = await openFace({ turns: [{ calls }, "Two, four and six."], config });
  const { outcome, text } = await (await linkHost(mcp)).ask("Add them.", { detail: "full" });
  expect(outcome).toMatchObject({ status: "partial", stop_reason: "tool_call_limit", meta: { tool_calls_count: 4 } });
  expect(text).toContain("The limit is 3; serve.limits.maxToolCalls raises it.");
});

test("the end of a run whose caller has set the limit itself names that argument", async () => {
  const { mcp } = await openFace({ turns: [{ calls }, "Two and four."], config });
  const { text } = await (await linkHost(mcp)).ask("Add them.", { max_tool_calls: 2 });
  expect(text).toContain("The limit is 2, as max_tool_calls of this request says.");
});

test("an answer from all allowed calls names the caller's argument where that allows no more", async () => {
  const { mcp } = await openFace({ turns: [{ calls: calls.slice(0, 2) }, "Two and four."], config });
  const { outcome, text } = await (await linkHost(mcp)).ask("Add them.", { max_tool_calls: 2 });
  const message = "All 2 tool calls are used, as max_tool_calls of this request says.";
  expect(outcome).toMatchObject({ status: "complete", notices: [{ code: "calls-used", message }] });
  expect(text).toContain(`ℹ ${message}`);
});

test("a caller that asks for more than serve.limits allows is told what is allowed", async () => {
  const { mcp, model } = await openFace({ turns: ["Never."], config });
  const refused = await (await linkHost(mcp)).ask("Add them.", { max_tool_calls: 4 });
  expect(refused.isError).toBe(true);
  expect(refused.text).toContain("max_tool_calls: 4 is not allowed (serve.limits.maxToolCalls allows 3)");
  expect(model.requests).toHaveLength(0);
});

test("the user of a host that shows forms goes on with a run that reached its limit, in the same call", async () => {
  const asked: unknown[] = [];
  const onQuestion = (params: Record<string, unknown>) => {
    asked.push(params.message);
    return { action: asked.length === 1 ? "accept" : "decline", content: {} };
  };
  for (const era of eras) {
    asked.length = 0;
    const { mcp, model } = await openFace({ turns: [{ calls }, "Six.", { calls }, "Eight."], config });
    const host = await linkHost(mcp, { era, onQuestion });
    const { outcome } = await host.ask("Add them.");
    expect(asked).toEqual([expect.stringContaining("Go on from here")]);
    // Three of the four calls are done, and are not made again.
    expect(outcome).toMatchObject({ status: "complete", response: "Six.\n\nEight.", meta: { tool_calls_count: 8 } });
    expect(model.requests[2]?.messages.at(-1)?.content).toContain("Go on from where you stopped");
  }
});

test("with keep_history: false another mode begins a new conversation, and the same mode goes on", async () => {
  const { mcp, model } = await openFace({ turns: ["One.", "Two.", "Three."] });
  const host = await linkHost(mcp);
  const first = (await host.ask("First?", { mode: "agent" })).outcome;
  const asked = { conversation_id: first.conversation_id, keep_history: false };
  expect((await host.ask("Second?", { ...asked, mode: "agent" })).outcome.conversation_id).toBe(first.conversation_id);
  const third = (await host.ask("Third?", { ...asked, mode: "chat" })).outcome;
  expect(third.conversation_id).not.toBe(first.conversation_id);
  expect(JSON.stringify(model.requests[2]?.messages)).not.toContain("First?");
});

test("with keep_history: false an agent with a mode of its own goes on with its conversation, and the main one begins anew", async () => {
  const agents = { talker: { description: "Talks.", mode: "chat" } };
  const { mcp } = await openFace({ turns: ["One.", "Two.", "Three."], config: { agents } });
  const host = await linkHost(mcp);
  const { conversation_id } = (await host.ask("First?", { agent: "talker" })).outcome;
  const asked = { conversation_id, keep_history: false };
  expect((await host.ask("Second?", { ...asked, agent: "talker" })).outcome).toMatchObject({ conversation_id });
  expect((await host.ask("Third?", asked)).outcome.conversation_id).not.toBe(conversation_id);
  const unknown = await host.ask("Fourth?", { ...asked, agent: "nobody" });
  expect(unknown.text).toContain('"nobody" (allowed: talker)');
});
