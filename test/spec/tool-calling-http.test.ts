import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Outcome } from "../../src/core/run/outcome.ts";
import type { ConversationJson } from "../../src/core/store/conversations/conversation-json.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { type HttpDuet, startHttpDuet } from "../fakes/http-duet.ts";
import type { ScriptedCall, ScriptedTurn } from "../fakes/model.ts";
import { temporaryFolder } from "../fakes/program.ts";

/** A folder with the files of which the scenes speak. */
async function workplace(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "data", "logs"), { recursive: true });
  await mkdir(join(folder, "data", "docs"));
  await writeFile(join(folder, "data", "tools.md"), "The calculator adds.\ncalculator samples: 12, 24, 36\n");
  await writeFile(join(folder, "data", "docs", "skills.md"), "openSkill one\nopenSkill two\n");
  await writeFile(
    join(folder, "data", "logs", "app.log"),
    "2026-11-20 10:00:00 [INFO] started\n2026-11-20 10:00:05 [ERROR] database is down\n",
  );
  return folder;
}

/** Answers over HTTP by the offline rules, or by a model that plays these turns. */
async function serve(turns?: ScriptedTurn[]): Promise<HttpDuet> {
  const settings = { locale: "zh", tools: { roots: [await workplace()] } };
  if (turns !== undefined) return startHttpDuet({ turns, settings });
  return startHttpDuet({ models: {}, settings: { ...settings, models: { functionCall: { provider: "offline" } } } });
}

async function post({ origin }: HttpDuet, body: object): Promise<Outcome> {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`${origin}/agent/chat`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
  return JSON.parse(await answer.text());
}

async function askOffline(message: string): Promise<Outcome> {
  return post(await serve(), { message });
}

function callsOf({ tool_calls }: Outcome): unknown[] {
  return tool_calls.map(({ tool, arguments: args, ok }) => [tool, args, ok]);
}

function use(name: string, input: ScriptedCall["input"]): ScriptedTurn {
  return [{ id: `call-${name}`, name, input }];
}

/** The end of what the model was shown: the result of its call. */
function toldTo({ model }: HttpDuet, request: number): string {
  return JSON.stringify(model.requests[request]?.messages.at(-1));
}

describe("测试场景设计, over HTTP by the offline rules", () => {
  test('场景 1：简单工具调用: 简单调用："echo hello" calls echo and gives hello back', async () => {
    const outcome = await askOffline("echo hello");
    expect(callsOf(outcome)).toEqual([["echo", { text: "hello" }, true]]);
    expect(outcome.tool_calls[0]?.result).toBe("hello");
    expect(outcome.response).toContain("hello");
  });

  test("场景 2：需要多步工具调用: file_search, then calculator, then the answer", async () => {
    const outcome = await askOffline("搜索包含 'calculator' 的文件，然后计算 [1,2,3,4,5] 的平均值");
    expect(callsOf(outcome)).toEqual([
      ["file_search", { query: "calculator" }, true],
      ["calculator", { numbers: [1, 2, 3, 4, 5], operations: ["mean"] }, true],
    ]);
    expect(outcome.meta).toMatchObject({ iterations: 3, tool_calls_count: 2 });
    expect(outcome.response).toMatch(/tools\.md.*平均值是 3/s);
  });

  test("场景 3：工具选择决策: a question about a log goes to log_transform", async () => {
    const outcome = await askOffline("帮我分析一下 data/logs/app.log");
    expect(callsOf(outcome)).toEqual([["log_transform", { path: "data/logs/app.log" }, true]]);
    expect(outcome.response).toContain("database is down");
  });

  test("场景 4：错误处理和重试: what is not found is said in a reasonable answer", async () => {
    const outcome = await askOffline("搜索不存在的文件");
    expect(outcome).toMatchObject({ success: true, status: "complete", tool_calls: [{ tool: "file_search" }] });
    expect(outcome.response).toContain("没有找到");
  });

  test("File Search Skill: 带参数 gives the folder and the limit on", async () => {
    const outcome = await askOffline("在 ./data/docs 目录下搜索 'openSkill'，最多返回 5 条");
    const args = { query: "openSkill", root_dir: "./data/docs", limit: 5 };
    expect(callsOf(outcome)).toEqual([["file_search", args, true]]);
    expect(outcome.response).toContain("skills.md");
  });

  test("Calculator Skill: 多操作 is one call, and the results are right", async () => {
    const outcome = await askOffline("计算 [10,20,30] 的平均值、最大值和最小值");
    const args = { numbers: [10, 20, 30], operations: ["mean", "max", "min"] };
    expect(callsOf(outcome)).toEqual([["calculator", args, true]]);
    expect(outcome.tool_calls[0]?.result).toBe("平均值 = 20\n最大值 = 30\n最小值 = 10");
  });

  test("多工具组合: the numbers that one tool found are what the next one calculates with", async () => {
    const outcome = await askOffline("搜索包含 'calculator' 的文件，然后计算文件中数字的平均值");
    expect(outcome.tool_calls[1]).toMatchObject({ arguments: { numbers: [12, 24, 36] }, result: "平均值 = 24" });
    expect(outcome.response).toContain("平均值是 24");
  });
});

describe("POST /agent/chat", () => {
  const found = { text: "找到了以下文件：data/tools.md" };

  test("请求, 响应: the fields of the requirement, to the letter", async () => {
    const served = await serve([use("file_search", { query: "calculator" }), found]);
    const outcome = await post(served, {
      message: "搜索包含 calculator 的文件",
      conversation_id: "optional-conversation-id",
      max_tool_calls: 5,
      max_tokens: 2000,
    });
    expect(outcome).toEqual({
      success: true,
      response: found.text,
      conversation_id: "optional-conversation-id",
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      tool_calls: [
        {
          tool: "file_search",
          arguments: { query: "calculator" },
          result: expect.stringContaining("data/tools.md:2: calculator samples: 12, 24, 36"),
          ok: true,
          cached: false,
          elapsed_ms: expect.any(Number),
        },
      ],
      meta: {
        total_tokens: 40,
        tool_calls_count: 1,
        latency_ms: expect.any(Number),
        iterations: 2,
        mode: "agent",
        cost_usd: null,
        models: { function_call: expect.objectContaining({ calls: 2 }), answer: expect.anything() },
      },
      status: "complete",
      stop_reason: "answered",
      run_id: expect.stringMatching(/^run-/),
      citations: [],
      error: null,
      // Nobody has the conversation of the requirement's example yet.
      notices: [{ level: "warning", code: "conversation-unknown", message: expect.stringContaining("没有找到对话") }],
    });
    expect(Number.isInteger(outcome.meta.latency_ms)).toBe(true);
  });

  test("对话管理: conversation_id joins the turns, and what was said is kept, read and deleted", async () => {
    const served = await serve(["你好，小明。", "你叫小明。"]);
    const { conversation_id } = await post(served, { message: "我叫小明" });
    const again = await post(served, { message: "我叫什么？", conversation_id });
    expect(again).toMatchObject({ conversation_id, response: "你叫小明。" });
    expect(JSON.stringify(served.model.requests[1]?.messages)).toMatch(/我叫小明.*你好，小明。.*我叫什么？/);

    const place = `${served.origin}/agent/conversations/${conversation_id}`;
    const kept: ConversationJson = JSON.parse(await (await fetch(place)).text());
    expect(kept.turns).toMatchObject([
      { question: "我叫小明", answer: "你好，小明。" },
      { question: "我叫什么？", answer: "你叫小明。" },
    ]);
    expect((await fetch(place, { method: "DELETE" })).status).toBe(204);
    expect((await fetch(place)).status).toBe(404);
  });

  test("格式校验测试: the feedback is the requirement's, word for word, and the model corrects its call", async () => {
    const wrong = use("file_search", { limit: "20" });
    const right = use("file_search", { query: "calculator", limit: 20 });
    const served = await serve([wrong, right, found]);
    const outcome = await post(served, { message: "搜索包含 'calculator' 的文件" });
    const feedback =
      '工具调用参数格式错误：\n- query: 字段是必需的（缺失）\n- limit: 必须是整数（当前值: "20"）\n\n请修正参数后重试。';
    expect(outcome.tool_calls).toMatchObject([
      { ok: false, result: feedback },
      { ok: true, arguments: { query: "calculator", limit: 20 } },
    ]);
    expect(toldTo(served, 1)).toContain(JSON.stringify(feedback).slice(1, -1));
    expect(outcome.response).toBe(found.text);
  });

  test("多工具组合: tools are called one after the other, by what the one before has given", async () => {
    const served = await serve([
      use("file_search", { query: "calculator" }),
      use("calculator", { numbers: [12, 24, 36], operations: ["mean"] }),
      "平均值是 24。",
    ]);
    const outcome = await post(served, { message: "搜索包含 'calculator' 的文件，然后计算文件中数字的平均值" });
    expect(toldTo(served, 1)).toContain("samples: 12, 24, 36");
    expect(toldTo(served, 2)).toContain("平均值 = 24");
    expect(outcome).toMatchObject({ response: "平均值是 24。", meta: { iterations: 3, tool_calls_count: 2 } });
  });

  test("工具调用次数限制: max_tool_calls ends the calls, and there is an answer all the same", async () => {
    const calls = ["calculator", "openSkill"].map((query) => ({ id: query, name: "file_search", input: { query } }));
    const served = await serve([calls, "只搜索了 calculator：tools.md。"]);
    const outcome = await post(served, { message: "搜索 'calculator' 和 'openSkill'", max_tool_calls: 1 });
    expect(outcome).toMatchObject({ success: true, status: "partial", stop_reason: "tool_call_limit" });
    expect(outcome.tool_calls.filter(({ ok }) => ok)).toMatchObject([{ arguments: { query: "calculator" } }]);
    expect(served.model.requests[1]?.tools).toEqual([]);
    expect(outcome.response).toContain("只搜索了 calculator：tools.md。");
  });

  test("错误处理: a tool that fails is an answer, a model that fails is said with its code", async () => {
    const error = new DuetError({ code: "quota", text: { zh: "余额不足", en: "no money left" } });
    const served = await serve([
      use("file_search", { query: "x", root_dir: "./nowhere" }),
      "没有这个目录。",
      { error },
    ]);
    const outcome = await post(served, { message: "在 ./nowhere 目录下搜索 x" });
    expect(outcome).toMatchObject({ success: true, response: "没有这个目录。", tool_calls: [{ ok: false }] });

    const failed = await post(served, { message: "再试一次" });
    expect(failed).toMatchObject({
      success: false,
      status: "failed",
      stop_reason: "error",
      response: "",
      error: { code: "quota", message: expect.stringContaining("余额不足") },
    });
  });

  test("错误处理: a request that cannot be is told in one line, with its value and what is allowed", async () => {
    const { origin } = await serve([]);
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ message: "x", max_tool_calls: 0 });
    const answer = await fetch(`${origin}/agent/chat`, { method: "POST", headers, body });
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(await answer.json()).toMatchObject({
      status: 400,
      code: "invalid_request",
      detail: "max_tool_calls: 不能是 0（允许：1 到 50 的整数）",
    });
  });
});
