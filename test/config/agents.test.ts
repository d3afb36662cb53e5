import { join } from "node:path";
import { expect, test } from "vitest";
import { knownAgents } from "../../src/config/agents/known-agents.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { listSecrets } from "../../src/config/secrets/secrets.ts";
import { load, refusal, workplace } from "./workplace.ts";

test("the name of a known agent is enough; what is set stands in place of what the table says", async () => {
  const names = Object.keys(knownAgents);
  const file = { locale: "en", agents: Object.fromEntries(names.map((name) => [name, { acp: {} }])) };
  const { agents, directory } = await load({ file });
  expect(agents.map(({ name, acp }) => [name, acp?.transport.command, acp?.transport.args])).toEqual([
    ["codex", "codex-acp", []],
    ["claude-code", "claude-agent-acp", []],
    ["gemini", "gemini", ["--acp"]],
    ["opencode", "opencode", ["acp"]],
    ["goose", "goose", ["acp"]],
    ["qwen", "qwen", ["--acp"]],
  ]);
  expect(agents[0]).toMatchObject({
    limits: { maxExecutionTime: 1800, tokenBudget: 10_000_000 },
    acp: { cwd: directory, roots: [directory], permissions: "ask", terminal: false, maxConcurrent: 4 },
  });
  const acp = { command: "npx", cwd: "../shop", roots: [], permissions: "refuse", mode: "plan", model: "pro" };
  const given = { ...acp, mcpServers: ["notes"] };
  const set = await load({
    file: {
      agents: { gemini: { description: "Mine.", acp: given, limits: { maxExecutionTime: 60 } } },
      mcpServers: { notes: { command: "notes" } },
    },
  });
  expect(set.agents[0]).toMatchObject({
    description: "Mine.",
    limits: { maxExecutionTime: 60, tokenBudget: 10_000_000 },
    // Arguments of another program are not meant for this one.
    acp: { transport: { command: "npx", args: [] }, cwd: join(set.directory, "../shop"), roots: [], mode: "plan" },
  });
  expect(set.agents[0]?.acp).toMatchObject({ model: "pro", mcpServers: ["notes"] });
});

test("the home directory and what it lies in are no folder of an agent unless they are named", async () => {
  const acps = { codex: { acp: {} }, gemini: { acp: { cwd: "." } }, qwen: { acp: { roots: ["."] } } };
  const place = workplace({ "duet.config.json": JSON.stringify({ agents: acps }) });
  const lacking = async (home: string): Promise<(boolean | undefined)[]> => {
    const { agents } = await loadConfig({}, { HOME: home }, place);
    return agents.map(({ acp }) => acp?.lacksFolder);
  };
  expect(await lacking("/home/anna")).toEqual([false, false, false]);
  expect(await lacking(place)).toEqual([true, false, false]);
  expect(await lacking(join(place, "anna"))).toEqual([true, false, false]);
});

const acp = { command: "x" };

test.each([
  [{ other: { acp: {}, description: "x" } }, "agents.other.acp.command: "],
  [{ other: { acp } }, "agents.other.description: "],
  [{ codex: { acp, tools: [] } }, "agents.codex.tools: is not allowed beside acp"],
  [{ codex: { acp, models: { answer: "openai/gpt-4o" } } }, "agents.codex.models: is not allowed beside acp"],
  [
    { codex: { acp, mode: "plan" } },
    "agents.codex.mode: is not allowed beside acp (the agent's own mode belongs into acp.mode)",
  ],
  [{ codex: { acp: { permissions: "yes" } } }, "allowed: ask, allow, refuse"],
  [
    { codex: { acp: { mcpServers: ["notes"] } } },
    'agents.codex.acp.mcpServers: "notes" is not allowed (allowed: none, there are no mcpServers)',
  ],
])("another agent that cannot be is refused by its key: %j", async (agents, line) => {
  expect(await refusal({ file: { locale: "en", agents } })).toContain(line);
});

test("what another agent is given as a secret is masked", async () => {
  const file = { agents: { codex: { acp: { env: { MY_KEY: "canary-0123456789", LEVEL: "information" } } } } };
  const secrets = listSecrets(await load({ file }));
  expect(secrets).toContain("canary-0123456789");
  expect(secrets).not.toContain("information");
});
