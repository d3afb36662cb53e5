import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { textOf, verdictsOf } from "../../fakes/events.ts";
import { configFile, npmServer, temporaryFolder } from "../../fakes/program.ts";
import { startTerminal } from "../../fakes/terminal.ts";
import {
  ask,
  calculate,
  embed,
  follow,
  hear,
  inOrder,
  lastMessage,
  modelsOf,
  offered,
  once,
  question,
  request,
  scriptTwoSearches,
  searchFor,
  setScene,
  told,
} from "./two-models.ts";

/** One question that takes two searches, as a person sees it and as a program hears it. */
const twoSearches = once(async () => {
  const [seen, heard] = await Promise.all([setScene(), setScene()]);
  for (const { provider } of [seen, heard]) scriptTwoSearches(provider);
  const [screen, run] = await Promise.all([ask(seen, question), hear(heard, question)]);
  return { ...heard, ...run, screen };
});

/** Lets a server reach nobody, also on a machine that has a network. */
const nowhere = { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: "http://127.0.0.1:9" };

describe("Agent 模式", () => {
  test("启用 Agent 模式: the chat confirms the switch, and from then on every tool is the agent's to use", async () => {
    const scene = await setScene();
    // Where there are many tools, those of servers are found when they are needed; all can be called.
    const sum = { toolCalls: [{ name: "everything__get-sum", arguments: { a: 1, b: 2 } }] };
    scene.provider.script("cheap", sum, { text: "够了。" }, { text: "这次也不需要。" });
    scene.provider.script("strong", { text: "这里是 Duet。" }, { text: "还在这里。" });
    const config = await configFile({ mcpServers: { everything: npmServer("mcp-server-everything") } });
    const terminal = await startTerminal(["--config", config], {
      cwd: await temporaryFolder(),
      env: { ...scene.env, DEFAULT_MODE: "chat" },
    });
    await terminal.shows("Chat 模式 > ");
    terminal.type("/mode\r");
    await terminal.stands("❯ Chat 模式");
    terminal.press("down");
    await terminal.stands("❯ Agent 模式");
    terminal.press("enter");
    await terminal.shows("已切换到 Agent 模式");
    await terminal.shows("Agent 模式 > ");
    terminal.type("你是谁？\r");
    await terminal.shows("这里是 Duet。");
    terminal.type("在吗？\r");
    await terminal.shows("还在这里。");
    terminal.type("/help\r");
    await terminal.shows("智能助手,自动决策是否需要联网搜索");
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
    expect(scene.provider.requests("cheap")).toHaveLength(3);
    const names = offered(request(scene, "cheap")).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["calculator", "file_search", "log_transform", "web_search"]));
    expect(JSON.stringify(scene.provider.requests("cheap")[1]?.body.messages)).toContain("The sum of 1 and 2 is 3");
  });

  test("Agent 自主决策搜索: the function-call model decides to search, and writes the query itself", async () => {
    const run = await twoSearches();
    expect(offered(request(run, "cheap")).map(({ name }) => name)).toContain("web_search");
    expect(run.search.journal[0]?.query).toBe("上海 明天 天气预报");
    expect(run.search.journal.map(({ query }) => query)).not.toContain(question);
  });

  test("Agent 自主决策搜索: it decides not to, nothing is searched, and the answer comes from what is known", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", { text: "这是常识，不需要搜索。" });
    scene.provider.script("strong", { text: "水的化学式是 H2O。" });
    const { events, outcome } = await follow(await embed(scene), "水的化学式是什么？");
    expect(scene.search.journal).toEqual([]);
    expect(outcome).toMatchObject({ status: "complete", response: "水的化学式是 H2O。", tool_calls: [] });
    expect(verdictsOf(events)).toEqual(["answer model-decided"]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "evaluation", message: expect.stringContaining("不需要工具") }),
    );
  });

  test("Agent 多轮搜索: it searches again with a new query, and the answer model gets both results", async () => {
    const run = await twoSearches();
    expect(run.search.journal.map(({ query }) => query)).toEqual(["上海 明天 天气预报", "上海 明天 最高气温"]);
    expect(lastMessage(request(run, "cheap", 1))).toContain("上海天气预报");
    expect(run.provider.requests("cheap")).toHaveLength(3);
    expect(run.provider.requests("strong")).toHaveLength(1);
    const handed = told(request(run, "strong"));
    for (const { query } of run.search.journal) expect(handed).toContain(query);
    expect(handed).toContain("最高气温 24 度");
    expect(run.outcome.response).toContain("上海明天多云[1]，最高 24 度[2]。");
  });

  test("Agent 执行过程可视化: thoughts, calls, results, the answer, and the model at work are on the screen, in order", async () => {
    const { screen } = await twoSearches();
    const order = [
      "🧭 工具调用阶段 · openai/cheap：",
      "💭 天气是实时数据，用 web_search 查上海明天的预报。",
      'web_search {"query":"上海 明天 天气预报"}',
      "4 条结果",
      "⚖ ",
      "💭 预报里没有气温，再查一次具体气温。",
      'web_search {"query":"上海 明天 最高气温"}',
      "💭 结果已经足够。",
      "切换到回答生成阶段 · openai/cheap → anthropic/strong",
    ];
    expect(inOrder(screen.stderr, order)).toEqual(order);
    expect(screen.stdout).toMatch(/^上海明天多云\[1\]，最高 24 度\[2\]。\n/);
    expect(screen.stdout).toContain("- [1] 上海天气预报 https://tianqi.example/shanghai");
  });

  test("双模型配置: two models of two vendors, each with parameters of its own", async () => {
    const scene = await setScene();
    const { openaiUrl, anthropicUrl } = scene.provider;
    scene.provider.script("cheap", { toolCalls: [calculate("6*7")] }, { text: "够了。" });
    scene.provider.script("strong", { text: "42。" });
    const env = {
      AGENT_FUNCTION_CALL_MODEL: JSON.stringify({
        provider: "openai",
        model: "cheap",
        base_url: openaiUrl,
        temperature: 0,
        max_tokens: 300,
      }),
      AGENT_ANSWER_MODEL: JSON.stringify({
        provider: "anthropic",
        model: "strong",
        base_url: anthropicUrl,
        temperature: 0.9,
        max_tokens: 1200,
      }),
    };
    const { outcome } = await hear(scene, "6 乘 7 是多少？", [], { env });
    for (const { wire, body } of scene.provider.requests("cheap")) {
      expect(wire).toBe("openai-chat");
      expect(body).toMatchObject({ temperature: 0, max_completion_tokens: 300 });
    }
    expect(request(scene, "strong")).toMatchObject({
      wire: "anthropic-messages",
      body: { temperature: 0.9, max_tokens: 1200 },
    });
    expect(outcome.meta.models).toMatchObject({
      function_call: { provider: "openai", model: "cheap", calls: 2 },
      answer: { provider: "anthropic", model: "strong", calls: 1 },
    });
    expect(outcome.response).toBe("42。");
  });

  test("单模型兼容模式: with one model configured its last turn is the answer, with no second call", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", { toolCalls: [calculate("6*7")] }, { text: "6 乘 7 是 42。", chunkSize: 2 });
    const { events, outcome, code } = await hear(scene, "6 乘 7 是多少？", [], { env: { AGENT_ANSWER_MODEL: "" } });
    expect(code).toBe(0);
    expect(scene.provider.requests("cheap")).toHaveLength(2);
    expect(scene.provider.journal).toHaveLength(2);
    expect(textOf(events, "answer-delta")).toBe("6 乘 7 是 42。");
    expect(outcome).toMatchObject({ status: "complete", response: "6 乘 7 是 42。" });
    expect(events.filter(({ type }) => type === "phase-start")).toHaveLength(2);
    expect(events.some((event) => event.type === "phase-start" && event.phase === "answer")).toBe(false);
  });

  test("单模型兼容模式: the same model named twice is one model", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", { toolCalls: [calculate("6*7")] }, { text: "6 乘 7 是 42。" });
    const { cheap } = modelsOf(scene);
    const duet = await embed(scene, { models: { functionCall: cheap, answer: { ...cheap } } });
    expect(await duet.ask("6 乘 7 是多少？")).toMatchObject({ status: "complete", response: "6 乘 7 是 42。" });
    expect(scene.provider.journal).toHaveLength(2);
  });

  test("Agent 使用 MCP 工具: it knows them by their schemas, its arguments reach the server, the result reaches the answer", async () => {
    const scene = await setScene();
    const config = await configFile({
      mcpServers: {
        amap: npmServer("mcp-amap", [], { AMAP_MAPS_API_KEY: "0f1e2d3c4b5a69788796a5b4c3d2e1f0", ...nowhere }),
        everything: npmServer("mcp-server-everything"),
      },
    });
    const route = { origin: "116.481028,39.989643", destination: "116.434446,39.90816" };
    scene.provider.script(
      "cheap",
      { toolCalls: [{ name: "amap__maps_direction_driving", arguments: route }] },
      { toolCalls: [{ name: "everything__get-sum", arguments: { a: 17, b: 25 } }] },
      { text: "够了。" },
    );
    scene.provider.script("strong", { text: "路线服务连不上；两段合计 42 公里。" });
    const { outcome } = await hear(scene, "从望京到北京站怎么走？两段共多少公里？", ["--config", config]);

    const tools = offered(request(scene, "cheap"));
    expect(tools.find(({ name }) => name === "amap__maps_direction_driving")).toMatchObject({
      description: expect.stringContaining("驾车"),
      parameters: { required: ["origin", "destination"] },
    });
    expect(outcome.tool_calls).toMatchObject([
      { tool: "amap__maps_direction_driving", arguments: route, ok: false },
      { tool: "everything__get-sum", arguments: { a: 17, b: 25 }, ok: true, result: expect.stringContaining("42") },
    ]);
    // The server has really been called: it says whom it could not reach.
    expect(lastMessage(request(scene, "cheap", 1))).toContain("restapi.amap.com");
    const handed = told(request(scene, "strong"));
    expect(handed).toContain("restapi.amap.com");
    expect(handed).toContain("42");
    expect(outcome).toMatchObject({ status: "complete", response: "路线服务连不上；两段合计 42 公里。" });
  });

  test("Agent 混合使用多种工具: a local tool, web_search and an MCP tool in one turn, and all results in the answer's request", async () => {
    const scene = await setScene();
    const folder = await temporaryFolder();
    await writeFile(join(folder, "note.txt"), "门票每张 120 元");
    const config = await configFile({ mcpServers: { files: npmServer("mcp-server-filesystem", [folder]) } });
    scene.provider.script(
      "cheap",
      {
        text: "三件事互不依赖，一起做。",
        toolCalls: [
          calculate("120*3"),
          searchFor("上海 明天 天气预报"),
          { name: "files__read_text_file", arguments: { path: join(folder, "note.txt") } },
        ],
      },
      { text: "够了。" },
    );
    scene.provider.script("strong", { text: "明天多云[1]，三张门票 360 元。" });
    const { outcome } = await hear(scene, "三张门票多少钱？明天适合去吗？", ["--config", config]);
    expect(outcome.tool_calls.map(({ tool, ok }) => [tool, ok])).toEqual([
      ["calculator", true],
      ["web_search", true],
      ["files__read_text_file", true],
    ]);
    for (const entry of [request(scene, "cheap", 1), request(scene, "strong")]) {
      expect(told(entry)).toContain("120*3 = 360");
      expect(told(entry)).toContain("明天多云，东南风三级");
      expect(told(entry)).toContain("门票每张 120 元");
    }
    expect(outcome).toMatchObject({ status: "complete", citations: [{ n: 1, title: "上海天气预报" }] });
  });
});

describe("ReAct 循环", () => {
  test("Reasoning 阶段: it thinks when the question comes and after each result, and the thoughts are shown", async () => {
    const { events, screen } = await twoSearches();
    const reasons = events.flatMap((event) => (event.type === "phase-start" ? [event.reason] : []));
    expect(reasons.slice(0, 3)).toEqual([
      "分析问题，决定是否需要工具",
      "查看结果，判断是否还需要工具",
      "查看结果，判断是否还需要工具",
    ]);
    for (const thought of ["天气是实时数据", "预报里没有气温", "结果已经足够"])
      expect(screen.stderr).toContain(`💭 ${thought}`);
  });

  test("Acting 阶段: the call that it asked for is made, and is shown", async () => {
    const { events, search, screen } = await twoSearches();
    expect(events.find(({ type }) => type === "tool-start")).toMatchObject({
      step: 1,
      tool: "web_search",
      arguments: { query: "上海 明天 天气预报" },
    });
    expect(search.journal).toHaveLength(2);
    expect(screen.stderr).toContain('web_search {"query":"上海 明天 天气预报"}');
  });

  test("Observing 阶段: it reads the results, a summary of them is shown, and it decides what comes next", async () => {
    const run = await twoSearches();
    expect(lastMessage(request(run, "cheap", 1))).toContain("[2] 一周气温");
    expect(run.screen.stderr).toMatch(/✓ .*web_search \(\d+ ms\) 4 条结果: \[1\] 上海天气预报 \[2\] 一周气温/);
    expect(verdictsOf(run.events)).toEqual([
      "continue model-decides",
      "continue model-decides",
      "answer model-decided",
    ]);
  });

  test("循环终止: once it has enough the loop ends, and the whole answer is shown", async () => {
    const { events, outcome, screen, code } = await twoSearches();
    const last = events.findLastIndex(({ type }) => type === "evaluation");
    expect(events.slice(last).map(({ type }) => type)).not.toContain("tool-start");
    expect(outcome).toMatchObject({ status: "complete", stop_reason: "answered", meta: { iterations: 3 } });
    expect(textOf(events, "answer-delta")).toBe(outcome.response);
    expect(screen.stdout).toBe(`${outcome.response}\n`);
    expect(code).toBe(0);
  });

  test("最大迭代限制: the fifth turn is the last, the answer is made of what there is, and the screen says why", async () => {
    const scene = await setScene();
    // Arguments that no tool takes are turned down before the tool, so that the calls do not reach their own limit.
    const refused = { toolCalls: [{ name: "calculator", arguments: { sum: 1 } }] };
    const turns = [1, 2, 3, 4].map((number) => ({ toolCalls: [calculate(`${number}+0.5`)] }));
    scene.provider.script("cheap", refused, ...turns, { text: "never" });
    scene.provider.script("strong", { text: "目前得到 1.5 到 4.5。" });
    const { code, stdout, stderr } = await ask(scene, "一直算下去");
    expect(scene.provider.requests("cheap")).toHaveLength(5);
    expect(stderr).toContain("⚠ 这是不完整的回答：已达到最大迭代次数。上限是 5，可用 --max-iterations 20 调高。");
    expect(stderr.match(/最大迭代次数/g)).toHaveLength(1);
    expect(told(request(scene, "strong"))).toContain("4+0.5 = 4.5");
    expect(stdout).toBe("目前得到 1.5 到 4.5。\n");
    expect(code).toBe(3);
  });
});
