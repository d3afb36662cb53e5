import { expect, test } from "vitest";
import { linkHost } from "../../fakes/linked-hosts.ts";
import { agentPath } from "../../fakes/other-agents.ts";
import { compileCache, temporaryFolder } from "../../fakes/program.ts";
import { openFace } from "../../runs/mcp-interface.ts";

async function openWithAgent() {
  const acp = { command: process.execPath, args: [agentPath], env: compileCache(), cwd: await temporaryFolder() };
  return openFace({ turns: [], serve: { agents: true }, config: { agents: { codex: { acp } } } });
}

test("a host asks another agent as a tool, confirms its change in a dialog, sees its steps rise and goes on in its session", async () => {
  const { mcp, model } = await openWithAgent();
  const dialogs: string[] = [];
  const heard: { progress: number; message?: string }[] = [];
  const messages = () => heard.map(({ message = "" }) => message).join("\n");
  const host = await linkHost(mcp, {
    era: "v2 legacy",
    async onQuestion(params) {
      dialogs.push(String(params.message));
      // Steps that end at once are not told of.
      await expect.poll(messages).toMatch(/🔧 agent_codex[\s\S]*… \S/);
      return { action: "accept", content: {} };
    },
  });
  const listed = JSON.stringify(await host.listTools());
  expect(listed).toMatch(/"name":"agent_codex","description":"The coding agent Codex/);
  const example = { question: "example" };
  const called = await host.call("agent_codex", example, { onprogress: (progress) => void heard.push(progress) });
  expect([called.isError, called.text]).toEqual([false, expect.stringContaining("I updated the configuration.")]);
  expect(called.outcome.meta.agents).toEqual({ runs: 1, total_tokens: 1000, cost_usd: 0.25 });
  expect(dialogs).toEqual([expect.stringMatching(/agent_codex__edit[\s\S]*host: old[\s\S]*host: new/)]);
  const numbers = heard.map(({ progress }) => progress);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  // What `codex-reply` was.
  await host.ask("remember the change", { agent: "codex", conversation_id: called.outcome.conversation_id });
  const more = { question: "recall", conversation_id: called.outcome.conversation_id };
  expect((await host.call("agent_codex", more)).text).toContain("I remember: the change.");
  expect(model.requests).toEqual([]);
});

test("where the host has no dialog the agent waits for a confirmation token, and its run outlives the calls", async () => {
  const { mcp } = await openWithAgent();
  const host = await linkHost(mcp);
  const asked = await host.ask("example", { agent: "codex" });
  expect(asked.outcome.status).toBe("needs_confirmation");
  expect(asked.text).toContain("host: new");
  const { confirmation } = JSON.parse(JSON.stringify(asked.outcome));
  const confirmed = await host.ask("yes", { confirmation: confirmation.token ?? confirmation });
  expect(confirmed.text).toContain("I updated the configuration.");
  const waiting = await host.ask("wait", { agent: "codex", wait_s: 0 });
  expect(waiting.outcome.status).toBe("running");
  const cancelled = await host.call("agent_cancel", { run_id: waiting.outcome.run_id });
  expect(cancelled.outcome.status).toBe("cancelled");
});
