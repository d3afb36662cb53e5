import { describe, expect, test } from "vitest";
import { noticesOf, verdictsOf } from "../../fakes/events.ts";
import { configFile, npmServer } from "../../fakes/program.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";
import { calculate, hear, lastMessage, offered, request, searchFor, setScene, told } from "./two-models.ts";

const everything = { everything: npmServer("mcp-server-everything") };

describe("搜索工具封装", () => {
  test("工具定义: web_search and the tools of the servers stand side by side, each with name, description and input schema", async () => {
    const config = await configFile({ mcpServers: everything });
    const { stdout } = await runProgram(["tools", "list", "--output", "json", "--config", config, "--locale", "zh"]);
    const tools: Record<string, unknown>[] = JSON.parse(stdout).tools;
    expect(tools.find(({ name }) => name === "web_search")).toMatchObject({
      source: "builtin",
      description: "搜索互联网获取实时信息。当需要了解最新事件、实时数据、当前新闻或验证信息时使用此工具。",
      input_schema: {
        type: "object",
        properties: { query: { type: "string", description: "搜索查询关键词,应该具体、清晰、针对性强" } },
        required: ["query"],
      },
    });
    expect(tools.find(({ name }) => name === "everything__get-sum")).toMatchObject({
      source: "everything",
      description: expect.stringMatching(/sum of two numbers/),
      input_schema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
    });
  });

  test("工具定义: a server that is not available takes nothing from the others", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", { text: "不需要工具。" });
    scene.provider.script("strong", { text: "好。" });
    const config = await configFile({ mcpServers: { broken: { command: "duet-test-no-such-command" } } });
    const { events, outcome } = await hear(scene, "你好", ["--config", config]);
    expect(offered(request(scene, "cheap")).map(({ name }) => name)).toContain("web_search");
    expect(noticesOf(events)).toEqual(["server-unavailable"]);
    expect(outcome.status).toBe("complete");
  });

  test("工具调用: a search comes back as numbers, titles, addresses and snippets, an MCP tool as structured data", async () => {
    const scene = await setScene();
    const chicago = { name: "everything__get-structured-content", arguments: { location: "Chicago" } };
    scene.provider.script("cheap", { toolCalls: [searchFor("上海 明天 天气预报"), chicago] }, { text: "够了。" });
    scene.provider.script("strong", { text: "好。" });
    const config = await configFile({ mcpServers: everything });
    const { outcome } = await hear(scene, "上海和芝加哥的天气？", ["--config", config]);
    const [found, structured] = outcome.tool_calls;
    expect(scene.search.journal.map(({ query }) => query)).toEqual(["上海 明天 天气预报"]);
    expect(found?.result).toMatch(/\[1\] 上海天气预报\s+https:\/\/tianqi\.example\/shanghai\s+明天多云，东南风三级。/);
    expect(found?.result).toMatch(/\[2\] 一周气温\s+https:\/\/qiwen\.example\/week\s+明天最高气温 24 度/);
    expect(JSON.parse(structured?.result ?? "")).toMatchObject({ temperature: 36, conditions: expect.any(String) });
  });

  test("工具错误处理: errors come back as results, the model takes another tool, and the answer is made of what there is", async () => {
    const scene = await setScene();
    scene.search.fault = "broken";
    scene.provider.script(
      "cheap",
      { toolCalls: [searchFor("上海 明天 天气预报"), { name: "everything__get-sum", arguments: { a: "x", b: 1 } }] },
      { text: "搜索和服务器都失败了，改用计算器。", toolCalls: [calculate("24-17")] },
      { text: "够了。" },
    );
    scene.provider.script("strong", { text: "温差 7 度；搜索失败，没有实时预报。" });
    const config = await configFile({ mcpServers: everything });
    const { outcome, events, code } = await hear(scene, "上海明天的温差？", ["--config", config]);
    expect(outcome.tool_calls.map(({ tool, ok }) => [tool, ok])).toEqual([
      ["web_search", false],
      ["everything__get-sum", false],
      // A search that fails for the moment is made once more; wrong arguments are not.
      ["web_search", false],
      ["calculator", true],
    ]);
    expect(told(request(scene, "cheap", 1))).toContain("SearXNG 搜索失败：HTTP 500");
    expect(lastMessage(request(scene, "cheap", 1))).toContain("工具调用参数格式错误");
    expect(verdictsOf(events)[0]).toBe("continue tool-failed");
    expect(told(request(scene, "strong"))).toContain("24-17 = 7");
    expect(outcome).toMatchObject({ status: "complete", response: "温差 7 度；搜索失败，没有实时预报。" });
    expect(code).toBe(0);
  });
});
