import { fromJsonSchema } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { createAgentTools } from "../../../../src/server/mcp/agent/agent-tools.ts";
import type { HostOutcome } from "../../../../src/server/mcp/agent/host-outcome.ts";
import { written } from "../../../agent/plan/planning.ts";
import { linkHost } from "../../../fakes/linked-hosts.ts";
import { openFace } from "../../../runs/mcp-interface.ts";

const echo = { id: "1", name: "echo", input: { text: "hello" } };
const wipe = { id: "2", name: "wipe_disk", input: { disk: "a" } };
const plan = written({ tool: "echo", parameters: { text: "hello" } });

/** What a host that checks results finds wrong with this one. */
async function problemsOf(outcome: HostOutcome): Promise<unknown> {
  const [tool] = await createAgentTools("en")({ description: "", annotations: {}, meta: undefined });
  const checked = await fromJsonSchema({ ...tool?.outputSchema })["~standard"].validate(outcome);
  return checked.issues;
}

test("what is sent fits the schema that is declared, whatever a run has come to", async () => {
  const never = new Promise<void>(() => {});
  const running = await linkHost((await openFace({ turns: ["Never."], gate: never })).mcp);
  const waiting = await linkHost((await openFace({ turns: [[echo], [wipe], "Done."] })).mcp);
  const config = { agent: { plan: { unattended: "stop" } } };
  const planning = await linkHost((await openFace({ turns: [plan], config })).mcp);
  const failing = await linkHost((await openFace({ turns: [] })).mcp);
  const goesOn = (await running.ask("What is it?", { wait_s: 0 })).outcome;
  await running.call("agent_cancel", { run_id: goesOn.run_id });
  const outcomes = [
    goesOn,
    (await running.call("agent_result", { run_id: goesOn.run_id, wait_s: 20 })).outcome,
    (await waiting.ask("Wipe disk a.")).outcome,
    (await planning.ask("Say it.", { mode: "plan" })).outcome,
    (await failing.ask("What is it?")).outcome,
  ];
  expect(outcomes.map(({ status }) => status)).toEqual([
    "running",
    "cancelled",
    "needs_confirmation",
    "needs_confirmation",
    "failed",
  ]);
  expect(outcomes[2]?.tool_calls).toMatchObject([{ tool: "echo", ok: true }, { tool: "wipe_disk" }]);
  for (const outcome of outcomes) expect(await problemsOf(outcome)).toBeUndefined();
  expect(await problemsOf({ ...goesOn, meta: { ...goesOn.meta, latency_ms: 0.5 } })).toBeDefined();
});
