import { describe, expect, onTestFinished, test } from "vitest";
import type { AgentEvent } from "../../src/core/run/events.ts";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { configFile } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { startFakeSearch } from "../fakes/search.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

const pages = [
  { title: "Node.js 24 发布", url: "https://nodejs.example/24", content: "Node.js 24 于 2025 年 5 月发布。" },
  { title: "Node.js LTS", url: "https://nodejs.example/lts", content: "Node.js 24 是长期支持版本。" },
];

async function surroundings() {
  const [provider, search] = await Promise.all([
    startFakeProvider(),
    startFakeSearch({ "Node.js 24 发布日期": pages }),
  ]);
  onTestFinished(async () => {
    await Promise.all([provider.close(), search.close()]);
  });
  const env = {
    AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", model: "cheap", base_url: provider.openaiUrl }),
    AGENT_ANSWER_MODEL: JSON.stringify({ provider: "openai", model: "strong", base_url: provider.openaiUrl }),
    OPENAI_API_KEY: "sk-test-openai-0001",
  };
  return { provider, search, env };
}

const call = { name: "web_search", arguments: { query: "Node.js 24 发布日期" } };

describe("web_search through the whole agent", () => {
  test("the answer cites the pages by number, and they are listed under it", async () => {
    const { provider, search, env } = await surroundings();
    provider.script("cheap", { toolCalls: [call] }, { text: "信息足够。" });
    provider.script("strong", { text: "Node.js 24 是长期支持版本[2]，2025 年 5 月发布[1]，另见[7]。" });
    const { code, stdout } = await runProgram(["ask", "Node.js 24 什么时候发布？", "--output", "jsonl"], {
      env: { ...env, SEARXNG_URL: search.url },
    });
    expect(code).toBe(0);
    const events = stdout
      .trim()
      .split("\n")
      .map((line): AgentEvent => JSON.parse(line));
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "tool-end",
        tool: "web_search",
        resultCount: 2,
        top: [
          expect.objectContaining({ n: 1, title: "Node.js 24 发布", url: "https://nodejs.example/24" }),
          expect.objectContaining({ n: 2, title: "Node.js LTS" }),
        ],
      }),
    );
    const end = events.at(-1);
    if (end?.type !== "run-end") throw new Error("no run-end");
    expect(end.outcome.response).toBe(
      "Node.js 24 是长期支持版本[2]，2025 年 5 月发布[1]，另见。\n\n参考文献\n\n- [1] Node.js 24 发布 https://nodejs.example/24\n- [2] Node.js LTS https://nodejs.example/lts",
    );
    expect(end.outcome.citations).toEqual([
      { n: 1, title: "Node.js 24 发布", url: "https://nodejs.example/24" },
      { n: 2, title: "Node.js LTS", url: "https://nodejs.example/lts" },
    ]);
    expect(JSON.stringify(provider.requests("strong")[0]?.body.messages)).toContain("[1] Node.js 24 发布");
  });

  test("without a key the first use says which third party gets the query", async () => {
    const { provider, search, env } = await surroundings();
    provider.script("cheap", { toolCalls: [call] }, { text: "Enough." });
    provider.script("strong", { text: "In May 2025 [1]." });
    const { stdout, stderr } = await runProgram(["ask", "When was Node.js 24 released?"], {
      env: { ...env, TAVILY_BASE_URL: search.url },
    });
    expect(stderr).toMatch(/ℹ .*Tavily.*--no-search/);
    expect(stdout).toContain("References");
    expect(search.journal).toHaveLength(1);
  });

  test("a service whose plan is used up gives way to the next, which is told, and its pages are cited", async () => {
    const { provider, search, env } = await surroundings();
    search.faults.tavily = "plan";
    provider.script("cheap", { toolCalls: [call] }, { text: "信息足够。" });
    provider.script("strong", { text: "2025 年 5 月发布[1]。" });
    const { code, stdout, stderr } = await runProgram(["ask", "Node.js 24 什么时候发布？", "--locale", "zh"], {
      env: { ...env, ...search.environment, TAVILY_API_KEY: "tvly-secret-1", BRAVE_API_KEY: "brave-secret-1" },
    });
    expect(code).toBe(0);
    expect(search.asked()).toEqual(["tavily", "brave"]);
    expect(search.journal[1]?.headers["x-subscription-token"]).toBe("brave-secret-1");
    expect(stderr).toMatch(/ℹ Tavily 搜索失败，改用 Brave：This request exceeds your plan.*HTTP 432/);
    expect(stdout).toContain("2025 年 5 月发布[1]。");
    expect(stdout).toContain("[1] Node.js 24 发布 https://nodejs.example/24");
    expect(stdout + stderr).not.toMatch(/tvly-secret-1|brave-secret-1/);
  });

  test("where every service fails the model reads each reason, and answers without", async () => {
    const { provider, search, env } = await surroundings();
    search.fault = "rate";
    provider.script("cheap", { toolCalls: [call] }, { text: "No search." });
    provider.script("strong", { text: "I could not search." });
    const { stdout } = await runProgram(["ask", "When?", "--locale", "en", "--output", "json"], {
      env: { ...env, ...search.environment },
    });
    const outcome: Outcome = JSON.parse(stdout);
    expect(search.asked()).toEqual(["tavily", "exaMcp", "parallel"]);
    expect(outcome.tool_calls[0]).toMatchObject({ tool: "web_search", ok: false });
    expect(outcome.tool_calls[0]?.result).toMatch(
      /All search services failed.*Tavily \(keyless\): Keyless daily limit.*Exa \(keyless\): .*Parallel \(keyless\): Too many/,
    );
    expect(JSON.stringify(provider.requests("strong")[0]?.body.messages)).toContain("All search services failed");
    expect(outcome.citations).toEqual([]);
  });

  test("beyond search.maxPerRun the model is told to go by what it has, and what is kept costs nothing", async () => {
    const { provider, search, env } = await surroundings();
    const queries = ["Node.js 24 发布日期", "node.js 24 发布日期", "Node.js 25", "Node.js 26"];
    const file = await configFile({ search: { maxPerRun: 2 } });
    provider.script(
      "cheap",
      { toolCalls: queries.map((query) => ({ name: "web_search", arguments: { query } })) },
      { text: "信息足够。" },
    );
    provider.script("strong", { text: "2025 年 5 月[1]。" });
    const { stdout, code } = await runProgram(["ask", "什么时候？", "--output", "json", "--config", file], {
      env: { ...env, SEARXNG_URL: search.url },
    });
    expect(code).toBe(0);
    const outcome: Outcome = JSON.parse(stdout);
    expect(outcome.tool_calls.map(({ ok, cached }) => [ok, cached])).toEqual([
      [true, false],
      [true, true],
      [true, false],
      [false, false],
    ]);
    expect(outcome.tool_calls[3]?.result).toContain("搜索次数已用完（最多 2 次）");
    expect(search.journal).toHaveLength(2);
  });

  test("--no-search takes the tool away", async () => {
    const { provider, env } = await surroundings();
    provider.script("cheap", { text: "Nothing to search with." });
    provider.script("strong", { text: "I cannot search." });
    await runProgram(["ask", "When?", "--no-search"], { env });
    expect(JSON.stringify(provider.requests("cheap")[0]?.body.tools)).not.toContain("web_search");
  });
});
