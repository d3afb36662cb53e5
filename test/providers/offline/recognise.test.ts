import { describe, expect, test } from "vitest";
import { allTools, firstCall, offer, takeTurn } from "./turns.ts";

const statistics: [string, number[], string[]][] = [
  ["计算 [1,2,3,4,5] 的平均值", [1, 2, 3, 4, 5], ["mean"]],
  ["计算 [10,20,30] 的平均值、最大值和最小值", [10, 20, 30], ["mean", "max", "min"]],
  ["请帮我计算【1，2，3】的总和", [1, 2, 3], ["sum"]],
  ["求（１，２，３）的中位数", [1, 2, 3], ["median"]],
  ["[-1.5, 2.25, −3] 的最小值是多少？", [-1.5, 2.25, -3], ["min"]],
  ["求 3，5，7 的平均数和方差", [3, 5, 7], ["mean", "variance"]],
  ["把 3、5、7 加起来", [3, 5, 7], ["sum"]],
  ["3 和 5 的乘积", [3, 5], ["product"]],
  ["数字：4,8 的标准差", [4, 8], ["std"]],
  ["1 到 5 的和", [1, 2, 3, 4, 5], ["sum"]],
  ["average of 1.5, -2 and 3", [1.5, -2, 3], ["mean"]],
  ["what is the mean of [3, 4.5, -2]?", [3, 4.5, -2], ["mean"]],
  ["Calculate the max and min of [7, 3]", [7, 3], ["max", "min"]],
  ["calculate the standard deviation of 2, 4, 4", [2, 4, 4], ["std"]],
  ["sum of 1 to 4", [1, 2, 3, 4], ["sum"]],
  ["average of 1,000 and 2,000", [1000, 2000], ["mean"]],
  ["median of 100,200,300", [100, 200, 300], ["median"]],
];

test.each(statistics)("statistics: %s", async (question, numbers, operations) => {
  expect(await firstCall(question)).toEqual(["calculator", { numbers, operations }]);
});

const expressions: [string, string][] = [
  ["计算 2+3*4", "2+3*4"],
  ["1+1等于几？", "1+1"],
  ["(1+2)*3 = ?", "(1+2)*3"],
  ["３×４", "3*4"],
  ["3 加 4 乘以 5 等于多少", "3 + 4 * 5"],
  ["2的10次方", "2 ^ 10"],
  ["根号 16", "sqrt(16)"],
  ["80 的 12.5%", "80 * 12.5 / 100"],
  ["计算 1,200 减 200", "1200 - 200"],
  ["计算 5!", "5!"],
  ["计算 gcd(100,200)", "gcd(100,200)"],
  ["负3的平方是多少", "(-3) ^ 2"],
  ["5-3的平方", "5-3 ^ 2"],
  ["what is 100 / 20% of 50", "100 / (20 / 100 * 50)"],
  ["用计算器算一下 负3 + 5", "-3 + 5"],
  ["计算 2+3*", "2+3*"],
  ["what is 12.5% of 80", "12.5 / 100 * 80"],
  ["What's 2+2?", "2+2"],
  ["how much is 3 plus 4", "3 + 4"],
  ["100 divided by 7", "100 / 7"],
  ["compute sqrt(16) + 1", "sqrt(16) + 1"],
  ["3 x 4", "3 * 4"],
  ["15*23", "15*23"],
];

test.each(expressions)("expression: %s", async (question, expression) => {
  expect(await firstCall(question)).toEqual(["calculator", { expression }]);
});

const fileSearches: [string, Record<string, unknown>][] = [
  ["搜索包含 'calculator' 的文件", { query: "calculator" }],
  ["search files containing calculator", { query: "calculator" }],
  ["在 ./data/docs 目录下搜索 'openSkill'，最多返回 5 条", { query: "openSkill", root_dir: "./data/docs", limit: 5 }],
  ["请在 docs/ 里搜索包含“模型”的文件，最多五条", { query: "模型", root_dir: "docs/", limit: 5 }],
  ["哪些文件包含 TODO？", { query: "TODO" }],
  ["在文件中搜索 calculator", { query: "calculator" }],
  ["搜索 src 目录下包含 export 的文件", { query: "export", root_dir: "src" }],
  ["docs 文件夹里哪些文件提到 agent", { query: "agent", root_dir: "docs" }],
  ["查找名为 readme 的文件", { query: "readme" }],
  ["搜索不存在的文件", { query: "不存在" }],
  ["find files named x", { query: "x" }],
  ["Find all files mentioning foo in the docs folder", { query: "foo", root_dir: "docs" }],
  [
    'search for files that contain the word "then agent" in ./src, at most 5 results',
    { query: "then agent", root_dir: "./src", limit: 5 },
  ],
  ["which files contain TODO?", { query: "TODO" }],
  ["grep TODO in src/", { query: "TODO", root_dir: "src/" }],
  ["find 'TODO' in ./src", { query: "TODO", root_dir: "./src" }],
  ["search files for x, up to 9999 results", { query: "x", limit: 200 }],
];

test.each(fileSearches)("file search: %s", async (question, args) => {
  expect(await firstCall(question)).toEqual(["file_search", args]);
});

const others: [string, string, Record<string, unknown>][] = [
  ["echo hello", "echo", { text: "hello" }],
  ["please echo hello world, and more", "echo", { text: "hello world, and more" }],
  ['Echo: "hi there"', "echo", { text: "hi there" }],
  ["回显 你好", "echo", { text: "你好" }],
  ["请用 echo 工具回显 你好", "echo", { text: "你好" }],
  ["帮我分析一下 data/logs/app.log", "log_transform", { path: "data/logs/app.log" }],
  ["analyse logs/app.log", "log_transform", { path: "logs/app.log" }],
  ["Can you summarize 'logs/my app.log'?", "log_transform", { path: "logs/my app.log" }],
  ["总结 C:\\logs\\app.log.1", "log_transform", { path: "C:\\logs\\app.log.1" }],
  ["What errors are in /var/log/app.log?", "log_transform", { path: "/var/log/app.log" }],
  ["现在几点", "current_time", {}],
  ["今天星期几？", "current_time", {}],
  ["东京现在几点", "current_time", { timezone: "Asia/Tokyo" }],
  ["北京时间", "current_time", { timezone: "Asia/Shanghai" }],
  ["What time is it?", "current_time", {}],
  ["what's the date today", "current_time", {}],
  ["what time is it in Tokyo", "current_time", { timezone: "Asia/Tokyo" }],
  ["what time is it in New York?", "current_time", { timezone: "America/New_York" }],
  ["time in Europe/Berlin", "current_time", { timezone: "Europe/Berlin" }],
  ["搜索 Node.js 24 的最新消息", "web_search", { query: "Node.js 24 的最新消息" }],
  ["联网搜索 量子计算", "web_search", { query: "量子计算" }],
  ["最新的 AI 新闻有哪些", "web_search", { query: "最新的 AI 新闻" }],
  ["查一下 MCP 协议", "web_search", { query: "MCP 协议" }],
  ["search the web for openai news", "web_search", { query: "openai news" }],
  ["latest news about MCP", "web_search", { query: "latest news about MCP" }],
  ["打开 https://example.com/a?b=1", "fetch", { url: "https://example.com/a?b=1" }],
  ["fetch https://example.com.", "fetch", { url: "https://example.com" }],
  ["读取https://example.com/wiki/人工智能的内容", "fetch", { url: "https://example.com/wiki/人工智能" }],
  ["北京天气", "amap__maps_weather", { city: "北京" }],
  ["查一下上海明天的天气怎么样？", "amap__maps_weather", { city: "上海" }],
  ["what's the weather like in London tomorrow?", "amap__maps_weather", { city: "London" }],
];

test.each(others)("%s -> %s", async (question, tool, args) => {
  expect(await firstCall(question)).toEqual([tool, args]);
});

const notRequests = [
  "写一首诗",
  "你好",
  "什么是平均值",
  "what is love",
  "2024 年 5 月最大的新闻",
  "最大的 3 个文件",
  "2024-05-01",
  "火车几点开",
  "浪费时间",
  '他说"计算 1+1"很简单',
  "",
  "   ",
];

test.each(notRequests)("is no request for a tool: %s", async (question) => {
  expect(await firstCall(question)).toBeUndefined();
});

describe("the tools on offer", () => {
  test("a tool of a server is found by its own name", async () => {
    const tools = [offer("web__fetch", "url!", "max_length")];
    expect(await firstCall("fetch https://example.com", tools)).toEqual(["web__fetch", { url: "https://example.com" }]);
  });

  test("a page is read by our own tool where there is one", async () => {
    const url = "https://example.com";
    const tools = [offer("web__fetch", "url!"), offer("read_page", "url!", "start")];
    expect(await firstCall(`总结 ${url}`, tools)).toEqual(["read_page", { url }]);
    expect(await firstCall(`read ${url}`, tools)).toEqual(["read_page", { url }]);
  });

  test("an exact name goes before a server's", async () => {
    expect(await firstCall("echo hi", [offer("x__echo", "text"), offer("echo", "text")])).toEqual([
      "echo",
      { text: "hi" },
    ]);
  });

  test("arguments that the tool does not know are left out", async () => {
    const call = await firstCall("在 ./docs 目录下搜索 'x'，最多返回 5 条", [offer("file_search", "query!")]);
    expect(call).toEqual(["file_search", { query: "x" }]);
  });

  test("a tool that requires what the question does not give is not called", async () => {
    expect(await firstCall("echo hi", [offer("echo", "text!", "voice!")])).toBeUndefined();
    expect(await firstCall("echo hi", [offer("echo", "message!")])).toBeUndefined();
  });

  test("a request for files never goes to the web", async () => {
    const { message } = await takeTurn(
      [{ role: "user", content: "搜索包含 'secret' 的文件" }],
      [offer("web_search", "query!")],
    );
    expect(message.toolCalls).toEqual([]);
    expect(message.content).toContain("没有可用的 file_search 工具");
  });

  test("a plain search goes to the files where there is no web search, one of the web does not", async () => {
    const tools = allTools.filter(({ name }) => name !== "web_search");
    expect(await firstCall("搜索 calculator", tools)).toEqual(["file_search", { query: "calculator" }]);
    expect(await firstCall("联网搜索 calculator", tools)).toBeUndefined();
  });

  test("the weather is searched on the web where no weather tool is on offer", async () => {
    const tools = [offer("web_search", "query!")];
    expect(await firstCall("北京天气", tools)).toEqual(["web_search", { query: "北京天气" }]);
  });
});

test.each([
  ["分析日志", "请写出日志文件的路径"],
  ["计算平均值", "没有可用的数字"],
  ["计算 [1,2,3] 的平均值乘以 2", "看不懂"],
  ["计算 3+4 和 5*6", "一次只算一个算式"],
  ["what time is it in Atlantis", 'time zone of "Atlantis" is not known'],
  ["今天天气怎么样", "哪个城市"],
])("says what is missing instead of guessing: %s", async (question, said) => {
  const { message, finish } = await takeTurn([{ role: "user", content: question }]);
  expect(finish).toBe("stop");
  expect(message.content).toContain(said);
});
