import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/load-config.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { load, type Said, workplace } from "./workplace.ts";

async function linesOf(said: Said): Promise<string[]> {
  const thrown: unknown = await load(said).catch((error: unknown) => error);
  if (!(thrown instanceof DuetError) || thrown.code !== "config") throw thrown;
  return [thrown, ...thrown.others].map(({ text }) => text.en);
}

const broken = {
  models: { functionCall: "openai/gpt-4o", answer: { provider: "opnai" } },
  agent: { maxIterations: 1001, maxToolCall: 3 },
  tools: { deny: ["ok", ""] },
  terminal: { statusLine: ["mode", "foo"] },
  prompts: { directory: `\${PROMPTS}` },
  mcpServers: { good: { command: "x" }, two: { command: "x", url: "http://x" }, odd: { url: "x" } },
};

describe("all errors of a configuration are told at once", () => {
  test("of the file, the environment and the flags, each once, with its place, the value and what is allowed", async () => {
    const lines = await linesOf({
      file: broken,
      environment: { TEMPERATURE: "hot", AGENT_ANSWER_MODEL: "{", OLLAMA_BASE_URL: "here" },
      flags: { functionCallModel: "/" },
    });
    const starts = [
      "duet.config.json: prompts.directory: the variable PROMPTS is not set",
      'duet.config.json: mcpServers.odd.url: "x" is not allowed (allowed: an http or https address)',
      "duet.config.json: agent.maxIterations: 1001 is not allowed (allowed: an integer from 1 to 1000)",
      "duet.config.json: agent.maxToolCall: unknown key; did you mean maxToolCalls?",
      'duet.config.json: tools.deny[1]: "" is not allowed (allowed: a non-empty string)',
      'duet.config.json: terminal.statusLine[1]: "foo" is not allowed (allowed: tools, mode,',
      "AGENT_ANSWER_MODEL: { is not valid JSON",
      '--function-call-model: "/" is not allowed (allowed: provider, provider/model, or a JSON object',
      'OLLAMA_BASE_URL: "…" is not allowed (allowed: an http or https address)',
      'duet.config.json: models.answer.provider: "opnai" is not allowed (allowed: deepseek, openai,',
      "duet.config.json: mcpServers.two.url: is not allowed beside command",
    ];
    for (const start of starts) expect(lines.filter((line) => line.startsWith(start))).toHaveLength(1);
    expect(lines).toHaveLength(starts.length);
  });

  test("of a file that no end of errors fits into, twenty and how many there are", async () => {
    const servers = Array.from({ length: 30 }, (_, index) => [`s${index}`, {}]);
    const lines = await linesOf({ file: { mcpServers: Object.fromEntries(servers) } });
    expect(lines).toHaveLength(21);
    expect(lines.slice(19)).toEqual([
      "duet.config.json: mcpServers.s19: needs command, url or httpUrl",
      "10 more errors",
    ]);
  });

  test("what an error does not concern is there for `duet doctor`: never half a server or half a model", async () => {
    const directory = workplace({ "duet.config.json": JSON.stringify(broken) });
    const { config, broken: parts } = await readConfig({}, { HOME: directory }, directory);
    expect(config.servers.map(({ name }) => name)).toEqual(["good"]);
    expect(config.models).toMatchObject({ functionCall: { model: "gpt-4o" }, answer: undefined });
    expect(config.agent.maxIterations).toBe(5);
    expect(config.tools.deny).toEqual([]);
    expect(parts).toContainEqual(["mcpServers", "odd"]);
    expect(parts).toContainEqual(["models", "answer"]);
  });

  test("a file that is no JSON leaves the environment and the flags", async () => {
    const directory = workplace({ "duet.config.json": '{ "agent": ' });
    const environment = { HOME: directory, AGENT_MAX_ITERATIONS: "7" };
    const { config, errors, broken: parts } = await readConfig({}, environment, directory);
    expect(errors.map(({ text }) => text.en)).toEqual(["duet.config.json:1:12: expected a value"]);
    expect(parts).toEqual([[]]);
    expect(config.agent.maxIterations).toBe(7);
  });
});
