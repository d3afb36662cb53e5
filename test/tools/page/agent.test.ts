import { expect, onTestFinished, test } from "vitest";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import { configFile } from "../../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";
import { startFakeSearch } from "../../fakes/search.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";
import { savedPage } from "./saved.ts";
import { body, servePages } from "./server.ts";

/** The built program in Chinese, which may reach this machine's own servers. */
async function ask(question: string, env: Record<string, string>): Promise<AgentEvent[]> {
  const config = await configFile({ web: { reach: ["127.0.0.1:*"] }, locale: "zh" });
  const { stdout, stderr } = await runProgram(["ask", question, "--output", "jsonl", "--config", config], { env });
  if (stdout === "") throw new Error(stderr);
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
}

function models(provider: FakeProvider): Record<string, string> {
  onTestFinished(() => provider.close());
  return {
    AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", model: "cheap", base_url: provider.openaiUrl }),
    AGENT_ANSWER_MODEL: JSON.stringify({ provider: "openai", model: "strong", base_url: provider.openaiUrl }),
    OPENAI_API_KEY: "sk-test-openai-0001",
  };
}

test("a page found by a search is read under the number that it had there, and cited by it", async () => {
  const { url } = await servePages({ "/news": body("text/html", await savedPage("news-zh-gbk")) });
  const found = ["/other", "/news"].map((path) => ({ title: path, url: url + path, content: `摘要 ${path}` }));
  const search = await startFakeSearch({ "*": found });
  onTestFinished(() => search.close());
  const provider = await startFakeProvider();
  provider.script(
    "cheap",
    { toolCalls: [{ name: "web_search", arguments: { query: "江城 四号线 客流" } }] },
    { toolCalls: [{ name: "read_page", arguments: { url: `${url}/news` } }] },
    { text: "信息足够。" },
  );
  provider.script("strong", { text: "首日客流为 12.4 万人次[2]。" });
  const events = await ask("江城四号线首日客流多少？", { ...models(provider), SEARXNG_URL: search.url });
  const last = JSON.stringify(provider.requests("strong")[0]?.body);
  expect(last).toContain(`[2] 江城轻轨四号线开通试运营 首日客流超十二万_江城新闻网\\n${url}/news\\n\\n作者：李明`);
  expect(last).toContain("截至当晚十时，首日客流为12.4万人次");
  expect(last).not.toContain("热门新闻");
  const end = events.at(-1);
  if (end?.type !== "run-end") throw new Error("no run-end");
  expect(end.outcome).toMatchObject({ status: "complete", citations: [{ url: `${url}/news` }] });
  expect(end.outcome.tool_calls).toMatchObject([
    { tool: "web_search" },
    { tool: "read_page", ok: true, cached: false },
  ]);
});

test("without any model, a page is read when somebody names it", async () => {
  const { url } = await servePages({ "/news": body("text/html", await savedPage("news-zh-gbk")) });
  const events = await ask(`总结 ${url}/news`, {});
  const end = events.at(-1);
  if (end?.type !== "run-end") throw new Error("no run-end");
  expect(end.outcome.tool_calls).toMatchObject([{ tool: "read_page", ok: true }]);
  expect(end.outcome.response).toContain("本报讯（记者 李明）11月8日上午九时");
});

test("the page's text alone is what a call by hand prints", async () => {
  const { url } = await servePages({ "/a": "<title>T</title><p>It says one thing." });
  const config = await configFile({ web: { reach: ["127.0.0.1:*"] }, locale: "en" });
  const args = ["tools", "call", "read_page", JSON.stringify({ url: `${url}/a` }), "--config", config];
  expect(await runProgram(args)).toMatchObject({ code: 0, stdout: "It says one thing.\n", stderr: "" });
});
