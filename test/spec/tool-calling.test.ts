import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Outcome } from "../../src/core/outcome.ts";
import { runProgram, temporaryFolder } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";

/** A folder with a file that mentions the calculator, and a log. */
async function workplace(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "data", "logs"), { recursive: true });
  await writeFile(join(folder, "data", "tools.md"), "The calculator adds.\nNothing else here.\n");
  await writeFile(
    join(folder, "data", "logs", "app.log"),
    "2026-11-20 10:00:00 [INFO] started\n2026-11-20 10:00:05 [ERROR] database is down\n2026-11-20 10:00:09 [ERROR] database is down\n",
  );
  return folder;
}

async function askOffline(question: string, cwd: string): Promise<Outcome> {
  const { stdout } = await runProgram(["ask", question, "--output", "json"], { cwd });
  return JSON.parse(stdout);
}

describe("offline: the rules call the real tools through the same loop, with no key and no network", () => {
  test('场景 1：简单工具调用: "echo hello" calls echo', async () => {
    const outcome = await askOffline("echo hello", await workplace());
    expect(outcome.tool_calls).toMatchObject([
      { tool: "echo", arguments: { text: "hello" }, result: "hello", ok: true },
    ]);
    expect(outcome.response).toContain("hello");
  });

  test("场景 2：需要多步工具调用: file_search, then calculator, then the answer", async () => {
    const question = "搜索包含 'calculator' 的文件，然后计算 [1,2,3,4,5] 的平均值";
    const outcome = await askOffline(question, await workplace());
    expect(outcome.tool_calls.map(({ tool, ok }) => [tool, ok])).toEqual([
      ["file_search", true],
      ["calculator", true],
    ]);
    expect(outcome.meta.iterations).toBe(3);
    expect(outcome.response).toContain("tools.md");
    expect(outcome.response).toMatch(/平均值.*3/);
    expect(outcome.response).toContain("没有使用语言模型");
  });

  test("场景 3：工具选择决策: a question about a log goes to log_transform", async () => {
    const outcome = await askOffline("帮我分析一下 data/logs/app.log", await workplace());
    expect(outcome.tool_calls).toMatchObject([{ tool: "log_transform", ok: true }]);
    expect(outcome.response).toContain("database is down");
  });

  test("场景 4：错误处理和重试: nothing found is said, in a reasonable answer", async () => {
    const outcome = await askOffline("搜索包含 'no-such-word-anywhere' 的文件", await workplace());
    expect(outcome).toMatchObject({ success: true, status: "complete" });
    expect(outcome.tool_calls).toHaveLength(1);
    expect(outcome.response).toMatch(/没有|未/);
  });

  test("a pipe into the program is answered line by line", async () => {
    const { code, stdout } = await runProgram([], {
      cwd: await workplace(),
      stdin: "计算 [1,2,3,4,5] 的平均值\nsearch files containing calculator\n",
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/平均值.*3/);
    expect(stdout).toContain("没有使用语言模型");
    expect(stdout).toContain("tools.md");
    expect(stdout).toContain("no language model was used");
  });
});

describe("工具调用格式校验: a model that gets the arguments wrong is told and corrects itself", () => {
  test("the feedback is the spec's, word for word, and the corrected call runs", async () => {
    const provider = await startFakeProvider();
    onTestFinished(() => provider.close());
    provider.script(
      "cheap",
      { toolCalls: [{ name: "file_search", arguments: { limit: "20" } }] },
      { toolCalls: [{ name: "file_search", arguments: { query: "calculator", limit: 20 } }] },
      { text: "找到了。" },
    );
    const spec = { provider: "openai", model: "cheap", base_url: provider.openaiUrl };
    const env = { AGENT_FUNCTION_CALL_MODEL: JSON.stringify(spec), OPENAI_API_KEY: "sk-test-openai-0001" };
    const cwd = await workplace();
    const { stdout } = await runProgram(["ask", "搜索包含 calculator 的文件", "--output", "json"], { env, cwd });
    const outcome: Outcome = JSON.parse(stdout);
    expect(outcome.tool_calls.map(({ ok }) => ok)).toEqual([false, true]);
    expect(outcome.tool_calls[0]?.result).toBe(
      '工具调用参数格式错误：\n- query: 字段是必需的（缺失）\n- limit: 必须是整数（当前值: "20"）\n\n请修正参数后重试。',
    );
    expect(outcome.tool_calls[1]?.result).toContain("tools.md");
    expect(outcome.response).toBe("找到了。");
    expect(JSON.stringify(provider.requests("cheap")[1]?.body.messages)).toContain("字段是必需的（缺失）");
  });
});
