import { describe, expect, onTestFinished, test } from "vitest";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { configFile } from "../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../fakes/provider.ts";
import { startFakeSearch } from "../fakes/search.ts";
import { startTerminal } from "../fakes/terminal.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";
import { requires } from "../runner/requirements.ts";
import { findSearx, searx } from "../searx/find-searx.ts";
import type { Engine } from "../searx/settings.ts";
import { readDocuments, type Searx, startSearx } from "../searx/start-searx.ts";

const found = await findSearx();

const housing = await documentOf("https://stats.example/beijing/2026-10-housing");
const release = await documentOf("https://typescript-news.example/release-notes/7-1");

async function documentOf(url: string) {
  const document = (await readDocuments()).find((each) => each.url === url);
  if (document === undefined) throw new Error(`documents.json has no ${url}`);
  return document;
}

interface Surroundings {
  provider: FakeProvider;
  searx: Searx;
  env: Record<string, string>;
}

/** Two models behind real sockets, and a searx with the engines. */
async function surroundings(...engines: Engine[]): Promise<Surroundings> {
  if ("missing" in found) throw new Error(found.missing);
  const [provider, searx] = await Promise.all([startFakeProvider(), startSearx(found.python, engines)]);
  onTestFinished(async () => {
    await Promise.all([provider.close(), searx.close()]);
  });
  const env = {
    AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", model: "cheap", base_url: provider.openaiUrl }),
    AGENT_ANSWER_MODEL: JSON.stringify({ provider: "openai", model: "strong", base_url: provider.openaiUrl }),
    OPENAI_API_KEY: "sk-test-openai-0001",
    SEARXNG_URL: searx.url,
    // Nothing may leave this machine, wherever a search goes when searx fails.
    TAVILY_BASE_URL: "http://127.0.0.1:9",
  };
  return { provider, searx, env };
}

function search(query: string) {
  return { toolCalls: [{ name: "web_search", arguments: { query } }] };
}

/** What a model was sent last, as one text. */
function lastRequest(provider: FakeProvider, model: string): string {
  return JSON.stringify(provider.requests(model).at(-1)?.body.messages);
}

describe("a real search engine", requires(searx(found)), () => {
  test("a Chinese question is answered from what was found, with the pages under 参考文献", async () => {
    const { provider, searx, env } = await surroundings("index");
    provider.script("cheap", search("2026年10月 北京房价走势"), { text: "信息足够。" });
    provider.script("strong", { text: "10月北京新建商品住宅价格环比持平，同比下降1.8%[1]。" });
    const { code, stdout, stderr } = await runProgram(["ask", "北京最近的房价走势怎么样？"], { env });
    expect(code).toBe(0);
    expect(stdout).toBe(
      `10月北京新建商品住宅价格环比持平，同比下降1.8%[1]。\n\n参考文献\n\n- [1] ${housing.title} ${housing.url}\n`,
    );
    expect(stderr).toContain("2026年10月 北京房价走势");
    expect(searx.queries()).toEqual(["2026年10月 北京房价走势"]);
    const read = lastRequest(provider, "strong");
    expect(read).toContain(`[1] ${housing.title}`);
    expect(read).toContain(housing.content);
  });

  test("an English question likewise, with the pages under References, by the numbers that the search gave them", async () => {
    const { provider, searx, env } = await surroundings("index");
    provider.script("cheap", search("TypeScript 7.1 release notes"), { text: "Enough." });
    provider.script("strong", {
      text: "The native compiler came with 7.0 [3]; 7.1 makes its API stable and watch mode faster [1].",
    });
    const { code, stdout } = await runProgram(["ask", "What is new in TypeScript 7.1?", "--output", "json"], { env });
    expect(code).toBe(0);
    const outcome: Outcome = JSON.parse(stdout);
    const older = await documentOf("https://typescript-news.example/release-notes/7-0");
    expect(outcome.response).toBe(
      "The native compiler came with 7.0 [3]; 7.1 makes its API stable and watch mode faster [1].\n\n" +
        `References\n\n- [1] ${release.title} ${release.url}\n- [3] ${older.title} ${older.url}`,
    );
    expect(outcome.citations).toEqual([
      { n: 1, title: release.title, url: release.url },
      { n: 3, title: older.title, url: older.url },
    ]);
    expect(outcome.tool_calls).toMatchObject([{ tool: "web_search", ok: true, cached: false }]);
    expect(searx.queries()).toEqual(["TypeScript 7.1 release notes"]);
  });

  test("a query that finds nothing is told as no results, not as an outage", async () => {
    const { provider, searx, env } = await surroundings("index");
    provider.script("cheap", search("量子纠错码阈值"), { text: "没有结果。" });
    provider.script("strong", { text: "没有找到相关的网页。" });
    const { code, stdout, stderr } = await runProgram(["ask", "量子纠错码的阈值是多少？", "--output", "json"], { env });
    expect(code).toBe(0);
    const outcome: Outcome = JSON.parse(stdout);
    expect(outcome.tool_calls).toMatchObject([{ ok: true, result: '没有找到与"量子纠错码阈值"相关的结果。' }]);
    expect(outcome).toMatchObject({ response: "没有找到相关的网页。", citations: [] });
    expect(stderr).not.toMatch(/失败|failed/);
    expect(searx.queries()).toEqual(["量子纠错码阈值"]);
  });

  test("an engine that does not respond is an outage, not an empty answer", async () => {
    const { provider, searx, env } = await surroundings("dead");
    provider.script("cheap", search("TypeScript 7.1 release notes"), { text: "The search is down." });
    provider.script("strong", { text: "I could not search." });
    const file = await configFile({ search: { backend: "searxng" } });
    const question = "What is new in TypeScript 7.1?";
    const { stdout } = await runProgram(["ask", question, "--output", "json", "--config", file], { env });
    const outcome: Outcome = JSON.parse(stdout);
    const failed = "The search with SearXNG failed: its engines did not respond: dead (HTTP error)";
    const again = `${failed}\n(It was retried once and failed again.)`;
    expect(outcome.tool_calls).toMatchObject(
      [failed, again].map((result) => ({ tool: "web_search", ok: false, result })),
    );
    expect(stdout).not.toContain("No results");
    expect(outcome.citations).toEqual([]);
    expect(searx.queries()).toEqual(["TypeScript 7.1 release notes", "TypeScript 7.1 release notes"]);
  });

  test("beside one that answers, an engine that does not respond takes nothing away; alone it makes an empty answer an outage", async () => {
    const { provider, env } = await surroundings("index", "dead");
    const queries = ["TypeScript 7.1 release notes", "quantum error threshold 量子纠错码"];
    const toolCalls = queries.map((query) => ({ name: "web_search", arguments: { query } }));
    provider.script("cheap", { toolCalls }, { text: "Enough." });
    provider.script("strong", { text: "Its API is stable [1]." });
    const file = await configFile({ search: { backend: "searxng" } });
    const { stdout } = await runProgram(["ask", "What is new?", "--output", "json", "--config", file], { env });
    const outcome: Outcome = JSON.parse(stdout);
    expect(outcome.tool_calls.map(({ ok }) => ok)).toEqual([true, false, false]);
    expect(outcome.citations).toEqual([{ n: 1, title: release.title, url: release.url }]);
  });

  test("a service whose plan is used up gives way to the searx of the user's own, and says so", async () => {
    const { provider, searx, env } = await surroundings("index");
    const tavily = await startFakeSearch();
    onTestFinished(() => tavily.close());
    tavily.fault = "plan";
    provider.script("cheap", search("TypeScript 7.1 release notes"), { text: "Enough." });
    provider.script("strong", { text: "Its API is stable [1]." });
    const { code, stdout, stderr } = await runProgram(["ask", "What is new in TypeScript 7.1?"], {
      env: { ...env, TAVILY_API_KEY: "tvly-test-0001", TAVILY_BASE_URL: tavily.url },
    });
    expect(code).toBe(0);
    expect(stdout).toBe(`Its API is stable [1].\n\nReferences\n\n- [1] ${release.title} ${release.url}\n`);
    expect(stderr).toMatch(/ℹ .*Tavily failed; using SearXNG instead/);
    expect([tavily.journal.length, searx.queries()]).toEqual([1, ["TypeScript 7.1 release notes"]]);
  });

  test("who has a searx of his own does not send what it cannot answer to anybody else", async () => {
    const { provider, env } = await surroundings("dead");
    const tavily = await startFakeSearch();
    onTestFinished(() => tavily.close());
    provider.script("cheap", search("我的病历"), { text: "搜索不可用。" });
    provider.script("strong", { text: "搜索暂时不可用。" });
    const { stdout } = await runProgram(["ask", "我的病历在哪里？", "--output", "json"], {
      env: { ...env, TAVILY_BASE_URL: tavily.url },
    });
    const outcome: Outcome = JSON.parse(stdout);
    const failed = "SearXNG 搜索失败：搜索引擎没有响应：dead (HTTP error)";
    const again = `${failed}\n（已自动重试一次，仍然失败）`;
    expect(outcome.tool_calls).toMatchObject([failed, again].map((result) => ({ ok: false, result })));
    expect(tavily.journal).toEqual([]);
  });

  test("what was asked before in a conversation is not searched for again, and cited under the same number", async () => {
    const { provider, searx, env } = await surroundings("index");
    provider.script("cheap", search("2026年10月 北京房价走势"), { text: "信息足够。" });
    provider.script("cheap", search("2026年10月  北京房价走势 "), { text: "信息足够。" });
    provider.script("strong", { text: "环比持平[1]。" }, { text: "再说一遍：环比持平[1]。" });
    const terminal = await startTerminal(["--mode", "agent", "--locale", "zh"], { env });
    await terminal.shows("Agent 模式 > ");
    terminal.type("北京房价怎么样？\r");
    await terminal.shows("环比持平[1]。");
    await terminal.shows(`- [1] ${housing.title}`);
    terminal.type("北京房价到底怎么样？\r");
    await terminal.shows("再说一遍：环比持平[1]。");
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
    expect(searx.queries()).toEqual(["2026年10月 北京房价走势"]);
    expect(lastRequest(provider, "strong")).toContain(`[1] ${housing.title}`);
  });
});
