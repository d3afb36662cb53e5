import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { createBuiltinTools } from "../../src/tools/builtin/builtin-tools.ts";
import { npmServer, temporaryFolder } from "../fakes/program.ts";
import { type FakeTurn, startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";
import {
  calculate,
  embed,
  follow,
  lastMessage,
  modelsOf,
  request,
  type Scene,
  searchFor,
  setScene,
  told,
} from "./agent-mode/two-models.ts";

/** A folder with a file that mentions the calculator, and a log. */
async function workplace(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "data", "logs"), { recursive: true });
  await writeFile(
    join(folder, "data", "tools.md"),
    "The calculator adds.\nNothing else here.\ncalculator samples: 12, 24, 36\n",
  );
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

  test.each([
    ["帮我分析一下 data/logs/app.log", "log_transform", "database is down"],
    ["搜索包含 'calculator' 的文件", "file_search", "tools.md"],
    ["计算 [10,20,30] 的平均值", "calculator", "20"],
    ["echo data/logs/app.log", "echo", "data/logs/app.log"],
  ])(
    "场景 3：工具选择决策: without a model the rules choose by the question: %s goes to %s",
    async (question, tool, said) => {
      const outcome = await askOffline(question, await workplace());
      expect(outcome.tool_calls).toMatchObject([{ tool, ok: true }]);
      expect(outcome.response).toContain(said);
    },
  );

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
  test("the feedback is the requirement's, word for word, and the corrected call runs", async () => {
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

/** One model decides, the one on the other wire answers; the file tools see the workplace. */
describe.each([
  ["openai-chat", "cheap", "strong"],
  ["anthropic-messages", "strong", "cheap"],
] as const)("a function-call model on the %s wire", (wire, decides, answers) => {
  /** What comes of a question when the model that decides plays these turns. */
  async function play(question: string, turns: (FakeTurn | ((told: string) => FakeTurn))[], answer: string) {
    const [scene, folder] = await Promise.all([setScene(), workplace()]);
    const replies = turns.map((turn) =>
      typeof turn === "function" ? (entry: Scene["provider"]["journal"][number]) => turn(lastMessage(entry)) : turn,
    );
    scene.provider.script(decides, ...replies);
    scene.provider.script(answers, { text: answer });
    const models = modelsOf(scene);
    const duet = await embed(scene, {
      models: { functionCall: models[decides], answer: models[answers] },
      config: { tools: { roots: [folder] } },
    });
    const { outcome, events } = await follow(duet, question);
    expect(request(scene, decides).wire).toBe(wire);
    expect(request(scene, answers).wire).not.toBe(wire);
    expect(scene.provider.unused()).toEqual([]);
    return { scene, outcome, events, handed: told(request(scene, answers)) };
  }

  function use(name: string, args: Record<string, unknown>): FakeTurn {
    return { toolCalls: [{ name, arguments: args }] };
  }

  const enough = { text: "够了。" };

  test("场景 1：简单工具调用: the model calls echo, and hello comes back", async () => {
    const { outcome, handed } = await play("echo hello", [use("echo", { text: "hello" }), enough], "hello");
    expect(outcome.tool_calls).toMatchObject([
      { tool: "echo", arguments: { text: "hello" }, result: "hello", ok: true },
    ]);
    expect(handed).toContain("hello");
    expect(outcome).toMatchObject({ status: "complete", response: "hello" });
  });

  test("场景 2：需要多步工具调用: file_search, by its result calculator, then the answer from both", async () => {
    const { outcome, handed } = await play(
      "搜索包含 'calculator' 的文件，然后计算 [1,2,3,4,5] 的平均值",
      [
        use("file_search", { query: "calculator" }),
        (found) =>
          found.includes("tools.md")
            ? use("calculator", { numbers: [1, 2, 3, 4, 5], operations: ["mean"] })
            : { text: "没有找到文件。" },
        enough,
      ],
      "文件是 tools.md，平均值是 3。",
    );
    expect(outcome.tool_calls.map(({ tool, ok }) => [tool, ok])).toEqual([
      ["file_search", true],
      ["calculator", true],
    ]);
    expect(outcome.tool_calls[1]?.result).toBe("平均值 = 3");
    expect(handed).toContain("tools.md");
    expect(handed).toContain("平均值 = 3");
    expect(outcome).toMatchObject({ meta: { iterations: 3 }, response: "文件是 tools.md，平均值是 3。" });
  });

  // The script names the tool: which one a real model would choose is not shown here.
  test("场景 3：工具选择决策: every tool is offered with its description, and the one that was chosen is called", async () => {
    const { scene, outcome, handed } = await play(
      "帮我分析一下 data/logs/app.log",
      [use("log_transform", { path: "data/logs/app.log" }), enough],
      "数据库两次不可用。",
    );
    const offered = JSON.stringify(request(scene, decides).body.tools);
    // The echo is there for trying things out, and offered to a model on request.
    expect(offered).not.toContain('"echo"');
    const tools = createBuiltinTools({ roots: [], locale: "zh", search: undefined });
    for (const { name, description } of tools.filter((tool) => tool.name !== "echo")) {
      expect(offered).toContain(JSON.stringify(name));
      expect(offered).toContain(JSON.stringify(description).slice(1, 21));
    }
    expect(outcome.tool_calls).toMatchObject([{ tool: "log_transform", ok: true }]);
    expect(handed).toContain("database is down");
  });

  test("场景 4：错误处理和重试: it reads the error, tries otherwise, and answers reasonably when nothing is found", async () => {
    const { outcome, scene } = await play(
      "搜索不存在的文件",
      [
        use("file_search", { query: "不存在", root_dir: "./nowhere" }),
        (error) => (error.includes("nowhere") ? use("file_search", { query: "不存在" }) : { text: "看不懂。" }),
        { text: "确实没有。" },
      ],
      "没有找到这样的文件。",
    );
    expect(outcome.tool_calls.map(({ ok }) => ok)).toEqual([false, true]);
    expect(lastMessage(request(scene, decides, 2))).toContain("没有找到匹配");
    expect(outcome).toMatchObject({ success: true, status: "complete", response: "没有找到这样的文件。" });
  });

  test("多轮工具调用流程: each round goes by the result of the one before", async () => {
    const { outcome } = await play(
      "搜索包含 'down' 的文件",
      [
        use("file_search", { query: "down" }),
        use("file_search", { query: "down", root_dir: "./data/logs", limit: 1 }),
        enough,
      ],
      "找到了 app.log。",
    );
    expect(outcome.tool_calls.map(({ result }) => result.match(/app\.log:\d/g)?.length)).toEqual([2, 1]);
    expect(outcome.response).toBe("找到了 app.log。");
  });

  test("Calculator Skill: several operations in one call", async () => {
    const { outcome } = await play(
      "计算 [10,20,30] 的平均值、最大值和最小值",
      [use("calculator", { numbers: [10, 20, 30], operations: ["mean", "max", "min"] }), enough],
      "20、30、10。",
    );
    expect(outcome.tool_calls[0]?.result).toBe("平均值 = 20\n最大值 = 30\n最小值 = 10");
  });

  test("格式校验测试: wrong arguments are told, corrected, and the call is made", async () => {
    const { outcome, scene } = await play(
      "计算平均值",
      [
        use("calculator", { numbers: "1,2,3", operations: ["mean"] }),
        (error) =>
          error.includes("请修正参数后重试")
            ? use("calculator", { numbers: [1, 2, 3], operations: ["mean"] })
            : { text: "看不懂。" },
        enough,
      ],
      "2。",
    );
    expect(outcome.tool_calls.map(({ ok }) => ok)).toEqual([false, true]);
    expect(lastMessage(request(scene, decides, 1))).toContain("工具调用参数格式错误：\n- numbers: ");
  });

  test("多工具组合: the numbers that one tool found are what the next one calculates with", async () => {
    const { outcome, handed } = await play(
      "搜索包含 'calculator' 的文件，然后计算文件中数字的平均值",
      [
        use("file_search", { query: "calculator" }),
        (found) => use("calculator", { numbers: numbersIn(found), operations: ["mean"] }),
        enough,
      ],
      "平均值是 24。",
    );
    expect(outcome.tool_calls[1]).toMatchObject({
      tool: "calculator",
      arguments: { numbers: [12, 24, 36] },
      result: "平均值 = 24",
    });
    expect(handed).toContain("平均值 = 24");
    expect(outcome.response).toBe("平均值是 24。");
  });
});

/** The numbers that a file of the workplace holds beside the word "calculator". */
function numbersIn(found: string): number[] {
  const [, list = ""] = /samples: ([\d, ]+)/.exec(found) ?? [];
  return list.split(",").map(Number);
}

describe("local tools, web_search and tools of an MCP server in one conversation", () => {
  test("多工具组合: side by side and one after another, and every result reaches the answer model", async () => {
    const [scene, folder] = await Promise.all([setScene(), temporaryFolder()]);
    await writeFile(join(folder, "tickets.txt"), "门票每张 120 元");
    const read = { name: "files__read_text_file", arguments: { path: join(folder, "tickets.txt") } };
    const weather = searchFor("上海 明天 天气预报");
    const enough = { text: "够了。" };
    scene.provider.script("cheap", { toolCalls: [calculate("2+1"), weather, read] }, enough);
    scene.provider.script(
      "cheap",
      { toolCalls: [read] },
      (entry) => ({ toolCalls: [calculate(`${/每张 (\d+) 元/.exec(lastMessage(entry))?.[1]}*3`)] }),
      { toolCalls: [searchFor("上海 明天 最高气温")] },
      enough,
    );
    scene.provider.script("strong", { text: "三个人，明天多云[1]。" }, { text: "360 元，最高 24 度[2]。" });
    const duet = await embed(scene, {
      config: {
        mcpServers: { files: npmServer("mcp-server-filesystem", [folder]) },
        search: { searxng: { url: scene.search.url } },
      },
    });

    const together = await follow(duet, "我们 2 加 1 个人，明天天气怎么样，门票多少？");
    expect(together.outcome.tool_calls.map(({ tool, ok }) => [tool, ok])).toEqual([
      ["calculator", true],
      ["web_search", true],
      ["files__read_text_file", true],
    ]);
    expect(together.outcome.meta.iterations).toBe(2);
    for (const result of ["2+1 = 3", "明天多云，东南风三级", "门票每张 120 元"])
      expect(told(request(scene, "strong"))).toContain(result);

    const inTurn = await follow(duet, "三张票多少钱？明天最高多少度？", {
      conversationId: together.outcome.conversation_id,
    });
    expect(inTurn.outcome.tool_calls.map(({ tool, ok }) => [tool, ok])).toEqual([
      ["files__read_text_file", true],
      ["calculator", true],
      ["web_search", true],
    ]);
    expect(inTurn.outcome.meta.iterations).toBe(4);
    for (const result of ["门票每张 120 元", "120*3 = 360", "明天最高气温 24 度", "三个人，明天多云"])
      expect(told(request(scene, "strong", 1))).toContain(result);
    expect(inTurn.outcome).toMatchObject({ status: "complete", citations: [{ n: 2, title: "一周气温" }] });
  });
});
