import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AgentEvent } from "../../src/core/run/events.ts";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { isRecord } from "../../src/kit/json.ts";
import { configFile, program, programEnvironment, temporaryFolder } from "../fakes/program.ts";
import { type FakeProvider, type FakeTurn, type JournalEntry, startFakeProvider } from "../fakes/provider.ts";
import { type FakeResult, type FakeSearch, startFakeSearch } from "../fakes/search.ts";
import { startTerminal } from "../fakes/terminal.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

const description = "搜索互联网获取实时信息。当需要了解最新事件、实时数据、当前新闻或验证信息时使用此工具。";
const decidesItself = "Agent 模式下由 AI 自动决策搜索";

const released: FakeResult = {
  title: "Node.js 24 发布",
  url: "https://nodejs.example/24",
  content: "Node.js 24 于 2025 年 5 月发布。",
};
const longTerm: FakeResult = {
  title: "Node.js LTS",
  url: "https://nodejs.example/lts",
  content: "Node.js 24 是长期支持版本。",
};
/** As a model reads them. */
const listed =
  "[1] Node.js 24 发布\nhttps://nodejs.example/24\nNode.js 24 于 2025 年 5 月发布。\n\n[2] Node.js LTS\nhttps://nodejs.example/lts\nNode.js 24 是长期支持版本。";

interface World {
  provider: FakeProvider;
  search: FakeSearch;
  env: Record<string, string>;
  /** `duet ask` in Chinese, its events read. */
  ask(question: string, ...args: string[]): Promise<Asked>;
}

interface Asked {
  events: AgentEvent[];
  outcome: Outcome;
  stderr: string;
}

/** Two models on two wires, `cheap` for the calls and `strong` for the answer, and a search server; state of their own. */
async function world(results: Record<string, FakeResult[]> = { "*": [released, longTerm] }): Promise<World> {
  const [provider, search, home] = await Promise.all([
    startFakeProvider(),
    startFakeSearch(results),
    temporaryFolder(),
  ]);
  onTestFinished(async () => {
    await Promise.all([provider.close(), search.close()]);
  });
  const env = {
    AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", model: "cheap", base_url: provider.openaiUrl }),
    AGENT_ANSWER_MODEL: JSON.stringify({ provider: "anthropic", model: "strong", base_url: provider.anthropicUrl }),
    OPENAI_API_KEY: "sk-test-openai-0001",
    ANTHROPIC_API_KEY: "sk-ant-test-0001",
    SEARXNG_URL: search.url,
    DUET_HOME: home,
    LANG: "zh_CN.UTF-8",
  };
  async function ask(question: string, ...args: string[]): Promise<Asked> {
    const { stdout, stderr } = await runProgram(["ask", question, "--output", "jsonl", ...args], { env });
    const events: AgentEvent[] = stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
    const end = events.at(-1);
    if (end?.type !== "run-end") throw new Error(`no run-end: ${stderr}`);
    return { events, outcome: end.outcome, stderr };
  }
  return { provider, search, env, ask };
}

/** Lines typed into a piped `duet chat`. */
function chatLines({ env }: World, lines: string[], ...args: string[]) {
  return runProgram(["chat", ...args], { env, stdin: `${lines.join("\n")}\n` });
}

/** A host that started `duet serve`. */
async function connectHost({ env }: World): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const args = [program, "serve"];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: await programEnvironment(env),
    stderr: "ignore",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

function searching(...queries: string[]): FakeTurn {
  return { toolCalls: queries.map((query) => ({ name: "web_search", arguments: { query } })) };
}

const enough: FakeTurn = { text: "信息足够。" };

function queries({ search }: World): string[] {
  return search.journal.map(({ query }) => query);
}

function request(provider: FakeProvider, model: string, position = 0): JournalEntry {
  const entry = provider.requests(model)[position];
  if (!entry) throw new Error(`no request ${position} to ${model}`);
  return entry;
}

/** The texts of all messages of a request in one role; Anthropic's system prompt stands beside the messages. */
function textsOf({ body }: JournalEntry, role: string): string {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isRecord) : [];
  const texts = messages.filter((message) => message.role === role).map(({ content }) => plain(content));
  return role === "system" && body.system !== undefined ? plain(body.system) : texts.join("\n");
}

function plain(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map((part) => (isRecord(part) ? String(part.text) : "")).join("\n") : "";
}

/** `web_search` as it was offered to the function-call model. */
function offered(provider: FakeProvider): Record<string, unknown> {
  const { tools } = request(provider, "cheap").body;
  const functions = Array.isArray(tools) ? tools.map((tool) => (isRecord(tool) ? tool.function : undefined)) : [];
  const found = functions.filter(isRecord).find(({ name }) => name === "web_search");
  if (!found) throw new Error("web_search was not offered");
  return found;
}

function toolEnds(events: AgentEvent[]) {
  return events.filter((event) => event.type === "tool-end");
}

function link(address: string, text: string): string {
  return `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\`;
}

describe("搜索服务接口", () => {
  test("Chat 模式搜索: the raw message is the query, and the answer model answers from the results in its prompt", async () => {
    const { provider, ask, ...rest } = await world();
    provider.script("strong", { text: "2025 年 5 月发布[1]。" });
    const { outcome, events } = await ask("那个 Node.js 24，到底什么时候发布的呀？", "--mode", "chat", "--search");
    expect(rest.search.journal.map(({ query }) => query)).toEqual(["那个 Node.js 24，到底什么时候发布的呀？"]);
    expect(textsOf(request(provider, "strong"), "user")).toContain(listed);
    expect(request(provider, "strong").body.tools ?? []).toEqual([]);
    expect(provider.requests("cheap")).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["tool-start", "tool-end"]));
    expect(outcome).toMatchObject({ status: "complete", citations: [{ n: 1, url: released.url }] });
    expect(outcome.response).toMatch(/^2025 年 5 月发布\[1\]。\n\n参考文献\n/);
  });

  test("Agent 工具调用搜索: the agent makes the query, and gets the results back as its tool's result", async () => {
    const here = await world();
    here.provider.script("cheap", searching("Node.js 24 发布日期"), enough);
    here.provider.script("strong", { text: "2025 年 5 月[1]。" });
    const { outcome } = await here.ask("Node.js 24 什么时候发布？");
    expect(queries(here)).toEqual(["Node.js 24 发布日期"]);
    const next = request(here.provider, "cheap", 1);
    expect(textsOf(next, "tool")).toContain(listed);
    expect(textsOf(next, "system") + textsOf(next, "user")).not.toContain(released.url);
    expect(outcome.tool_calls).toMatchObject([{ tool: "web_search", arguments: { query: "Node.js 24 发布日期" } }]);
  });

  test("搜索结果格式化: both modes give title, URL and snippet, in chat as a numbered list, for the tool as compact text", async () => {
    const here = await world();
    here.provider.script("cheap", searching("Node.js 24"), enough);
    here.provider.script("strong", { text: "好。" }, { text: "好。" });
    await here.ask("Node.js 24？");
    await here.ask("Node.js 24？", "--mode", "chat", "--search");
    const [forTool, forChat] = [
      textsOf(request(here.provider, "cheap", 1), "tool"),
      textsOf(request(here.provider, "strong", 1), "user"),
    ];
    for (const text of [forTool, forChat]) expect(text).toContain(listed);
    expect(forTool.length).toBeLessThan(listed.length + 100);
  });

  test("搜索查询优化: the prompt asks for specific queries, and what the agent asks may differ from the question", async () => {
    const here = await world();
    here.provider.script("cheap", searching("2026年11月 北京 房价 走势"), enough);
    here.provider.script("strong", { text: "好。" });
    const question = "我想在北京买房，最近合适吗？";
    await here.ask(question);
    expect(textsOf(request(here.provider, "cheap"), "system")).toMatch(/查询要具体/);
    expect(queries(here)).toEqual(["2026年11月 北京 房价 走势"]);
    expect(queries(here)).not.toContain(question);
  });
});

describe("搜索工具适配", () => {
  test("工具接口实现: web_search is a tool like any other, with a name, a description and an input schema", async () => {
    const { env } = await world();
    const { stdout } = await runProgram(["tools", "--output", "json"], { env });
    const text = stdout.slice(stdout.indexOf('"web_search"') - 20);
    expect(text).toContain(description);
    const { provider, ask } = await world();
    provider.script("cheap", enough);
    provider.script("strong", { text: "好。" });
    await ask("你好");
    expect(offered(provider)).toMatchObject({
      name: "web_search",
      description,
      parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    });
  });

  test("工具同步调用: a call by hand gives the formatted results, and an error as one", async () => {
    const { env, search } = await world();
    const call = () => runProgram(["tools", "call", "web_search", '{"query":"Node.js 24"}'], { env });
    expect(await call()).toMatchObject({ code: 0, stdout: `${listed}\n` });
    search.fault = "broken";
    const failed = await call();
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toContain("SearXNG 搜索失败：HTTP 500");
  });

  test("工具异步调用: the searches of one turn run at the same time, each with its own results", async () => {
    const here = await world({ 甲: [released], 乙: [longTerm] });
    here.search.together = 2;
    here.provider.script("cheap", searching("甲", "乙"), enough);
    here.provider.script("strong", { text: "好。" });
    const { outcome } = await here.ask("甲和乙？");
    expect(outcome.tool_calls).toMatchObject([
      { arguments: { query: "甲" }, ok: true, result: expect.stringContaining(released.url) },
      { arguments: { query: "乙" }, ok: true, result: expect.stringContaining(longTerm.url) },
    ]);
  });

  test("工具结果限制: at most 5 results, each with a readable snippet of at most 200 characters", async () => {
    const content = "这是一句完整的话，说明一件事情。".repeat(40);
    const many = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({ title: `标题 ${n}`, url: `https://x.example/${n}`, content }));
    const here = await world({ "*": many });
    here.provider.script("cheap", searching("很多"), enough);
    here.provider.script("strong", { text: "好。" });
    const { outcome } = await here.ask("很多？");
    const blocks = outcome.tool_calls[0]?.result.split("\n\n") ?? [];
    expect(blocks.map((block) => block.split("\n")[0])).toEqual([1, 2, 3, 4, 5].map((n) => `[${n}] 标题 ${n}`));
    for (const block of blocks) {
      const snippet = block.split("\n")[2] ?? "";
      expect(snippet.length).toBeLessThanOrEqual(200);
      expect(snippet).toMatch(/^(这是一句完整的话，说明一件事情。)+.*…$/);
    }
  });
});

describe("搜索开关控制", () => {
  test("Chat 模式搜索开关: it can be used, by a command, a flag or a host, and decides whether a message is searched for", async () => {
    const here = await world();
    here.provider.script("strong", { text: "一。" }, { text: "二[1]。" }, { text: "三。" }, { text: "四。" });
    const lines = ["问题一", "/search on", "问题二", "/search off", "问题三"];
    const { stdout, stderr } = await chatLines(here, lines, "--mode", "chat");
    expect(queries(here)).toEqual(["问题二"]);
    expect(stdout).toContain("二[1]。\n\n参考文献\n");
    expect(stderr).toMatch(/联网搜索：开[\s\S]*联网搜索：关/);
    await here.ask("问题四", "--mode", "chat");
    expect(queries(here)).toEqual(["问题二"]);
    here.provider.script("strong", { text: "五[1]。" }, { text: "六。" });
    const host = await connectHost(here);
    for (const [question, search] of Object.entries({ 问题五: true, 问题六: false }))
      await host.callTool({ name: "agent_ask", arguments: { question, mode: "chat", search } });
    expect(queries(here)).toEqual(["问题二", "问题五"]);
  });

  test("Agent 模式搜索开关: it is shown as disabled and cannot be switched, and the reason is given", async () => {
    const { env } = await world();
    const terminal = await startTerminal(["--mode", "chat"], { env });
    await terminal.shows("Chat 模式 > ");
    terminal.type("/mode agent\r");
    await terminal.shows(`联网搜索开关已禁用：${decidesItself}`);
    await terminal.shows("Agent 模式 > ");
    terminal.type("/search on\r");
    await terminal.follows("> /search on", `\n${decidesItself}\n`);
    terminal.type("/mode chat\r");
    await terminal.shows("联网搜索：关");
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
  });

  test("模式切换时开关状态: a switch that was on is on again after agent mode, and it is off at first", async () => {
    const { env } = await world();
    const terminal = await startTerminal(["--mode", "agent"], { env });
    await terminal.shows("Agent 模式 > ");
    terminal.type("/mode chat\r");
    await terminal.shows("联网搜索：关");
    await terminal.shows("Chat 模式 > ");
    terminal.type("/search on\r");
    await terminal.shows("联网搜索：开");
    await terminal.shows("Chat 模式 · 搜索 > ");
    terminal.type("/mode agent\r");
    await terminal.shows(`联网搜索开关已禁用：${decidesItself}`);
    terminal.type("/mode chat\r");
    await terminal.follows("> /mode chat", "已切换到 Chat 模式，对话历史已清除。\n联网搜索：开");
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
  });
});

describe("搜索结果缓存", () => {
  test("缓存搜索结果: what a query found is kept for the conversation, under the query's text", async () => {
    const here = await world({ "*": [released] });
    here.provider.script("cheap", searching("Node.js 24"), enough, searching("node.js  24 "), enough);
    here.provider.script("strong", { text: "一[1]。" }, { text: "二[1]。" });
    const { stdout } = await chatLines(here, ["问题一", "问题二"]);
    expect(queries(here)).toEqual(["Node.js 24"]);
    const [first, second] = [1, 3].map((position) => textsOf(request(here.provider, "cheap", position), "tool"));
    for (const text of [first, second]) expect(text).toContain(released.content);
    expect(stdout.match(/- \[1\] Node\.js 24 发布/g)).toHaveLength(2);
  });

  test("使用缓存结果: the same query again gives the kept results, asks nobody, and the log says so", async () => {
    const here = await world();
    here.provider.script("cheap", searching("Node.js 24"), searching("Node.js 24"), enough);
    here.provider.script("strong", { text: "好[1]。" });
    const { events, outcome, stderr } = await here.ask("Node.js 24？", "--verbose");
    expect(queries(here)).toEqual(["Node.js 24"]);
    expect(toolEnds(events).map(({ cached }) => cached)).toEqual([false, true]);
    const [first, second] = outcome.tool_calls;
    expect(second).toMatchObject({ cached: true, result: first?.result });
    expect(stderr).toMatch(
      /✓ 搜索结果 · web_search \(\d+ ms\) 2 条结果[\s\S]*✓ 搜索结果 · web_search \(\d+ ms，来自缓存\) 2 条结果/,
    );
  });

  test("缓存过期: a new conversation, or a new session with an old one, searches anew", async () => {
    const here = await world();
    for (let run = 0; run < 3; run++) here.provider.script("cheap", searching("Node.js 24"), enough);
    for (let run = 0; run < 3; run++) here.provider.script("strong", { text: "好。" });
    await chatLines(here, ["问题一", "/clear", "问题二"]);
    expect(queries(here)).toHaveLength(2);
    const { outcome } = await here.ask("问题三", "--continue", "--all");
    expect(outcome.tool_calls).toMatchObject([{ cached: false }]);
    expect(queries(here)).toHaveLength(3);
  });

  test("缓存大小限制: beyond 20 queries the least recently used is forgotten", async () => {
    const here = await world();
    const file = await configFile({ search: { maxPerRun: 50 } });
    const twenty = Array.from({ length: 20 }, (_, index) => `查询 ${index + 1}`);
    // Searches of one turn end in any order, so the one that is to be forgotten has a turn of its own.
    const others = twenty.filter((query) => query !== "查询 2");
    here.provider.script("cheap", searching("查询 2"), searching(...others), searching("查询 1"), searching("查询 21"));
    here.provider.script("cheap", searching("查询  1", "查询 2"), enough);
    here.provider.script("strong", { text: "好。" });
    const { outcome } = await here.ask("很多？", "--config", file, "--max-tool-calls", "50", "--max-iterations", "10");
    const [again, , kept, forgotten] = outcome.tool_calls.slice(20);
    expect([again?.cached, kept?.cached, forgotten?.cached]).toEqual([true, true, false]);
    expect(queries(here).sort()).toEqual([...twenty, "查询 2", "查询 21"].sort());
  });
});

describe("搜索工具描述", () => {
  /** Returns the prompt of the first turn of the function-call model. */
  async function told() {
    const { provider, ask } = await world();
    provider.script("cheap", enough);
    provider.script("strong", { text: "好。" });
    await ask("你好");
    return { tool: offered(provider), prompt: textsOf(request(provider, "cheap"), "system") };
  }

  test("工具名称定义: the tool is named web_search", async () => {
    const { tool } = await told();
    expect(tool.name).toBe("web_search");
    expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  test("工具描述定义: the description says, in the requirement's words, what it does and when to use it", async () => {
    expect((await told()).tool.description).toBe(description);
  });

  test("工具输入说明: one text, query, with the requirement's description, an example, and how to do it well", async () => {
    const { tool, prompt } = await told();
    const query = { type: "string", description: "搜索查询关键词,应该具体、清晰、针对性强" };
    expect(tool.parameters).toMatchObject({ properties: { query }, required: ["query"] });
    expect(prompt).toMatch(/查询要具体/);
    const { env } = await world();
    const { stdout } = await runProgram(["tools", "--output", "json"], { env });
    expect(stdout).toContain("2026年11月 北京 房价 走势");
  });

  test("工具使用示例: the prompt shows how to word a query and how to read the results", async () => {
    const { prompt } = await told();
    expect(prompt).toMatch(/查询要具体.*“Node\.js 24 LTS 发布日期”，而不是“node”/);
    expect(prompt).toMatch(/标题、网址和摘要/);
  });
});

describe("搜索结果引用", () => {
  test("结果编号分配: each result has a number of its own, in the tool's output and through the whole conversation", async () => {
    const third = { title: "第三", url: "https://x.example/3", content: "三" };
    const here = await world({ 甲: [released, longTerm], 乙: [longTerm, third] });
    here.provider.script("cheap", searching("甲"), enough, searching("乙"), enough);
    here.provider.script("strong", { text: "一[1]。" }, { text: "二[3]，三[2]。" });
    const first = await here.ask("甲？");
    expect(first.outcome.tool_calls[0]?.result).toBe(listed);
    const second = await here.ask("乙？", "--conversation", first.outcome.conversation_id);
    expect(second.outcome.tool_calls[0]?.result).toMatch(/^\[2\] Node\.js LTS\n[\s\S]*\n\n\[3\] 第三\n/);
    expect(second.outcome.citations).toEqual([
      { n: 2, title: "Node.js LTS", url: longTerm.url },
      { n: 3, title: "第三", url: "https://x.example/3" },
    ]);
  });

  test("Agent 引用结果: [n] is checked against the results and becomes a link, as in chat mode", async () => {
    const here = await world();
    here.provider.script("cheap", searching("Node.js 24"), enough, searching("Node.js 24"), enough);
    const answer = { text: "长期支持[2]，2025 年发布[1]，另见[7]。" };
    here.provider.script("strong", answer, answer, answer);
    const { events, outcome } = await here.ask("Node.js 24？");
    expect(outcome.response).toMatch(/^长期支持\[2\]，2025 年发布\[1\]，另见。\n/);
    const linked = events.flatMap((event) => (event.type === "answer-delta" ? (event.citations ?? []) : []));
    expect(linked).toEqual(outcome.citations);
    for (const mode of [[], ["--mode", "chat", "--search"]]) {
      const env = { ...here.env, TERM_PROGRAM: "ghostty" };
      const terminal = await startTerminal(["ask", "Node.js 24", ...mode], { env });
      await terminal.shows(`长期支持${link(longTerm.url, "[2]")}，2025 年发布${link(released.url, "[1]")}，另见。`);
      expect(await terminal.ended()).toBe(0);
    }
  });

  test("引用列表生成: the sources used are listed at the end, once, in both modes alike", async () => {
    const here = await world();
    here.provider.script("cheap", searching("Node.js 24"), enough);
    const text = `发布了[1]，长期支持[2]。\n\n## 参考文献\n\n- [1] Node.js 24 发布 ${released.url}\n- [2] ${longTerm.url}\n`;
    here.provider.script("strong", { text }, { text });
    const responses = [
      (await here.ask("Node.js 24 怎么样？")).outcome.response,
      (await here.ask("Node.js 24 怎么样？", "--mode", "chat", "--search")).outcome.response,
    ];
    const list = `参考文献\n\n- [1] Node.js 24 发布 ${released.url}\n- [2] Node.js LTS ${longTerm.url}`;
    expect(responses).toEqual([`发布了[1]，长期支持[2]。\n\n${list}`, `发布了[1]，长期支持[2]。\n\n${list}`]);
  });

  test("无引用处理: an answer without search has no list and no marks, and says that it came without tools", async () => {
    const { provider, ask } = await world();
    provider.script("cheap", { text: "这是常识，不需要搜索。" });
    provider.script("strong", { text: "地球绕太阳转[1]。" });
    const { events, outcome } = await ask("地球绕什么转？");
    expect(outcome).toMatchObject({ response: "地球绕太阳转。", citations: [], tool_calls: [] });
    const evaluation = events.find((event) => event.type === "evaluation");
    expect(evaluation?.message).toContain("不需要工具");
  });
});
