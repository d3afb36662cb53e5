import { describe, expect, test } from "vitest";
import type { Tool } from "../../../src/core/tools/tool.ts";
import { createToolIndex } from "../../../src/tools/find/tool-index.ts";
import { realTools } from "../../fakes/real-tools.ts";

const tools = realTools();
const index = createToolIndex(tools);

/** The servers' own names, the best first. */
function found(query: string, limit = 5): string[] {
  return index.find(query, limit).map(({ tool }) => tool.name.replace(/^[^_]+__/, ""));
}

/** What is asked, and the tools of which one must be among the first five. */
const questions: [string, ...string[]][] = [
  ["天气", "maps_weather"],
  ["今天杭州会下雨吗？", "maps_weather"],
  ["骑行路线", "maps_bicycling"],
  ["从天安门到故宫怎么走路过去", "maps_direction_walking"],
  ["开车去机场的路线", "maps_direction_driving"],
  ["查一下上海的公交换乘", "maps_direction_transit_integrated"],
  ["附近有什么好吃的餐厅", "maps_around_search", "brave_local_search"],
  ["经纬度转换成地址", "maps_regeocode"],
  ["读取文件", "read_file", "read_text_file"],
  ["写入文件", "write_file"],
  ["把文件改名", "move_file"],
  ["新建一个文件夹", "create_directory"],
  ["目录里有哪些文件", "list_directory"],
  ["文件的大小和修改时间", "get_file_info", "list_directory_with_sizes"],
  ["在知识图谱中删除关系", "delete_relations"],
  ["搜索新闻", "brave_news_search"],
  ["找一些猫的图片", "brave_image_search"],
  ["抓取网页内容", "web_fetch_exa", "tavily_extract"],
  ["爬取整个网站", "tavily_crawl"],
  ["环境变量", "get-env"],
  ["压缩文件", "gzip-file-as-resource"],
  ["directions by bus", "maps_direction_transit_integrated"],
  ["what is the weather in Beijing tomorrow", "maps_weather"],
  ["bike route between two places", "maps_bicycling"],
  ["how far is it from A to B", "maps_distance"],
  ["where is this IP address located", "maps_ip_location"],
  ["create entities knowledge graph", "create_entities"],
  ["rename a folder", "move_file"],
  ["search videos about cooking", "brave_video_search"],
  ["add two numbers", "get-sum"],
  ["think step by step about a problem", "sequentialthinking"],
  ["summarize search results", "brave_summarizer"],
];

describe("among the tools of nine real servers", () => {
  test("the right one is among the first five for all but two of thirty-two questions in Chinese and English", () => {
    const missed = questions.filter(([query, ...right]) => !found(query).some((name) => right.includes(name)));
    expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(2);
  });

  test("the right one is the first for most of them", () => {
    const first = questions.filter(([query, ...right]) => right.includes(found(query, 1)[0] ?? ""));
    expect(first.length).toBeGreaterThanOrEqual(24);
  });

  test.each(tools.map(({ name }) => name))("%s is found first by its name, with and without its server", (name) => {
    const own = name.slice(name.indexOf("__") + 2);
    expect(index.find(name, 1)[0]?.tool.name).toBe(name);
    expect(index.find(own, 1)[0]).toMatchObject({ tool: { name }, score: 1 });
    expect(index.find(own.replaceAll(/[_-]/g, " ").toUpperCase(), 1)[0]?.tool.name).toBe(name);
  });

  test("a server's name finds its tools", () => {
    expect(found("tavily")).toEqual(expect.arrayContaining(["tavily_search", "tavily_extract"]));
    expect(index.find("everything", 20).map(({ tool }) => tool.source)).toContain("everything");
  });

  test("the same words find the same tools in the same order", () => {
    const again = createToolIndex(realTools());
    for (const [query] of questions)
      expect(again.find(query, 10).map(({ tool }) => tool.name)).toEqual(
        index.find(query, 10).map(({ tool }) => tool.name),
      );
  });

  test.each(["", "   ", "？！…", "的了吗", "you are the", "zzzzqqq", "龘龘龘"])("nothing fits %j", (query) => {
    expect(index.find(query, 5)).toEqual([]);
  });

  test("scores are between 0 and 1, the best first, and no more are given than wanted", () => {
    for (const [query] of questions) {
      const scores = index.find(query, 7).map(({ score }) => score);
      expect(scores.length).toBeLessThanOrEqual(7);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      for (const score of scores) expect(score > 0 && score <= 1).toBe(true);
    }
  });
});

describe("tools that lie about themselves", () => {
  const odd = (changes: Partial<Tool>): Tool => ({
    name: "odd__tool",
    description: "",
    inputSchema: {},
    source: "odd",
    annotations: {},
    run: async () => ({ ok: true, text: "" }),
    ...changes,
  });

  test("a description of words repeated without end does not win over a name", () => {
    const spam = odd({ name: "spam__helper", description: "weather forecast ".repeat(50_000) });
    const honest = odd({ name: "maps__weather", description: "Tells the weather." });
    expect(createToolIndex([spam, honest]).find("weather", 1)[0]?.tool).toBe(honest);
  });

  test("schemas of any shape are read without harm", () => {
    const schemas = [
      { properties: [] },
      { properties: { a: null, b: { enum: "no list", description: 5 }, c: { enum: [null, 1, {}, "red"] } } },
      { properties: JSON.parse('{"__proto__": {"description": "hidden"}, "constructor": {"type": "string"}}') },
    ];
    const index = createToolIndex(schemas.map((inputSchema, at) => odd({ name: `odd__tool${at}`, inputSchema })));
    expect(index.find("red", 5).map(({ tool }) => tool.name)).toEqual(["odd__tool1"]);
    expect(index.find("constructor", 5).map(({ tool }) => tool.name)).toEqual(["odd__tool2"]);
  });

  test("among no tools there is nothing to find", () => {
    expect(createToolIndex([]).find("weather", 5)).toEqual([]);
  });
});
