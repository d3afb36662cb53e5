import { describe, expect, test } from "vitest";
import { createToolCatalog, type ToolFinder } from "../../../src/agent/tools/tool-catalog.ts";
import { createToolSearch } from "../../../src/app/tools/tool-search.ts";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import { clientSource, type Tool } from "../../../src/core/tools/tool.ts";
import { createOfflineModel } from "../../../src/providers/offline/model.ts";
import { createMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { makeTool, outcomeOf, verdictsOf } from "../../fakes/events.ts";
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";
import { realTools } from "../../fakes/real-tools.ts";
import { runAll } from "../../fakes/run.ts";
import { callsOf, lastAsked, written } from "../plan/planning.ts";

const own = [
  makeTool("calculator", () => ({ ok: true, text: "2" })),
  makeTool("shout", () => ({ ok: true, text: "e" })),
];
const tools = [...own, ...realTools()];

/** What the program brings for searching, by these rules, for one conversation. */
async function findingBy(rules: { share?: number; deny?: string[]; ask?: string[] } = {}): Promise<ToolFinder> {
  const { share: searchAbove = 0.1, deny = [], ask = [] } = rules;
  const rest = { allow: ["*"], newTools: "stop", directoryIsNamed: false, roots: ["."] } as const;
  const settings = {
    ...rest,
    allow: ["*"],
    roots: ["."],
    searchAbove,
    deny,
    ask,
    askBeforeSending: true,
    private: [],
    local: [],
  };
  return createToolSearch({ tools: settings }).open({
    reported: new Set(),
    approved: new Set(),
    refused: new Set(),
    hooks: { source: "startup" } as const,
    loaded: new Set(),
  });
}

function find(query: string, id = query, limit?: number) {
  return { id, name: "find_tools", input: { query, ...(limit === undefined ? {} : { limit }) } };
}

function ask(name: string, input = {}) {
  return { id: name, name, input };
}

/** The names of the tools of each request, in order. */
function offers({ requests }: ScriptedModel): string[][] {
  return requests.map((request) => request.tools.map(({ name }) => name));
}

function alone(...turns: ScriptedTurn[]) {
  const model = scriptedModel(turns);
  return { model, models: { functionCall: model, answer: model } };
}

function endsOf(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === "tool-end" ? [`${event.tool} ${event.ok}`] : []));
}

const question = "Hello!";
const unlisted = ["calculator", "shout", "find_tools"];

describe("tools that weigh little enough", () => {
  test("are all listed, and the request is the same as without anything to search with", async () => {
    const few = [...own, ...realTools().slice(0, 12)];
    const [plain, searching] = [alone("Hi."), alone("Hi.")];
    await runAll({ question, tools: few, models: plain.models });
    await runAll({ question, tools: few, models: searching.models, finding: await findingBy({ share: 1 }) });
    expect(JSON.stringify(searching.model.requests[0]?.tools)).toBe(JSON.stringify(plain.model.requests[0]?.tools));
    expect(offers(searching.model)[0]).toHaveLength(14);
  });

  test("of servers, if they are as few as a search loads, are listed whatever they weigh", async () => {
    const { model, models } = alone("Hi.");
    await runAll({ question, tools: tools.slice(0, 7), models, finding: await findingBy({ share: 0 }) });
    expect(offers(model)[0]).toHaveLength(7);
  });

  test("for a model that goes by rules are all there are", async () => {
    const weather = realTools().filter(({ name }) => name === "amap__maps_weather");
    const offline = createOfflineModel({ locale: "zh" });
    const models = { functionCall: offline, answer: offline };
    const finding = await findingBy({ share: 0 });
    const events = await runAll({ question: "北京天气", tools: [...realTools(), ...weather], models, finding });
    expect(endsOf(events)).toEqual(["amap__maps_weather true"]);
  });
});

describe("tools of servers that weigh too much", () => {
  test("are not listed; one tool says which servers there are, and the rest stays as it was", async () => {
    const { model, models } = alone("Hi.");
    const events = await runAll({ question, tools, models, finding: await findingBy() });
    expect(offers(model)).toEqual([unlisted]);
    const [calculator, , finder] = model.requests[0]?.tools ?? [];
    expect(calculator).toEqual({
      name: "calculator",
      description: own[0]?.description,
      inputSchema: own[0]?.inputSchema,
    });
    expect(finder?.description).toContain("amap (12), everything (13), filesystem (14), memory (9)");
    expect(events[0]).toMatchObject({ type: "run-start", toolCount: 67 });
  });

  test.each([
    ["今天杭州会下雨吗？", "amap__maps_weather"],
    ["Which files are in this directory?", "filesystem__list_directory"],
    ["从天安门到故宫怎么走路过去", "amap__maps_direction_walking"],
  ])("are there already where the question asks for them: %s", async (asked, name) => {
    const { model, models } = alone([ask(name)], "Done.");
    const events = await runAll({ question: asked, tools, models, finding: await findingBy() });
    const [first = []] = offers(model);
    expect(first).toContain(name);
    expect(first.length).toBeLessThanOrEqual(unlisted.length + 5);
    expect(endsOf(events)).toEqual([`${name} true`]);
  });

  test("are found, join the end of the offer in the order they were found, and stay", async () => {
    const { model, models } = alone(
      [find("骑行路线", "1", 2)],
      [find("create entities", "2", 1)],
      [ask("amap__maps_bicycling")],
      "Done.",
    );
    const events = await runAll({ question, tools, models, finding: await findingBy() });
    const [first = [], second = [], third = [], fourth = []] = offers(model);
    expect(first).toEqual(unlisted);
    expect(second.slice(3)).toEqual(["amap__maps_bicycling"]);
    expect(third).toEqual([...second, "memory__create_entities"]);
    expect(fourth).toEqual(third);
    const told = lastAsked(model, 1);
    expect(told).toMatch(
      /<<<result [0-9a-f]{8}\n[\s\S]*- amap__maps_bicycling\(origin: string, destination: string\): 骑行路径规划/,
    );
    expect(endsOf(events)).toEqual(["find_tools true", "find_tools true", "amap__maps_bicycling true"]);
    expect(outcomeOf(events)).toMatchObject({ status: "complete", stop_reason: "answered" });
  });

  test("the offer of each turn begins with the offer of the turn before, byte for byte", async () => {
    const { model, models } = alone([find("weather")], [ask("memory__read_graph")], [find("news")], "Done.");
    await runAll({ question: "今天天气", tools, models, finding: await findingBy() });
    const texts = model.requests.map((request) => JSON.stringify(request.tools).slice(0, -1));
    for (const [index, text] of texts.entries()) expect(text.startsWith(texts[index - 1] ?? "[")).toBe(true);
  });

  test("are served by their names although they were not listed, and are from then on", async () => {
    const { model, models } = alone([ask("memory__read_graph")], "Done.");
    const events = await runAll({ question, tools, models, finding: await findingBy() });
    expect(endsOf(events)).toEqual(["memory__read_graph true"]);
    expect(offers(model)[1]).toEqual([...unlisted, "memory__read_graph"]);
  });

  test("are named where a model gets a name nearly right", async () => {
    const { model, models } = alone([ask("maps_weather")], "Done.");
    await runAll({ question, tools, models, finding: await findingBy() });
    expect(lastAsked(model, 1)).toContain("Did you mean amap__maps_weather?");
    expect(lastAsked(model, 1)).not.toContain("tavily_crawl");
  });

  test("loaded in a conversation come first in its next question, in the same order", async () => {
    const store = createMemoryStore();
    const { id: conversationId } = await store.create();
    const finding = await findingBy();
    const before = alone([find("weather", "1", 1)], [ask("memory__read_graph")], "Done.");
    await runAll({ question, tools, models: before.models, finding, store, conversationId });
    const after = alone("Done.");
    await runAll({ question: "And there?", tools, models: after.models, finding, store, conversationId });
    expect(offers(after.model)[0]).toEqual(offers(before.model).at(-1));
  });

  test("a question that says nothing is searched by the one before it, where the process knows nothing any more", async () => {
    const store = createMemoryStore();
    const { id: conversationId } = await store.create();
    const first = { question: "北京今天天气怎么样？", tools, store, conversationId, finding: await findingBy() };
    await runAll({ ...first, models: alone("Sunny.").models });
    const after = alone("Rain.");
    await runAll({ ...first, question: "那明天呢？", models: after.models, finding: await findingBy() });
    expect(offers(after.model)[0]).toContain("amap__maps_weather");
  });
});

describe("searches for tools", () => {
  test("use up none of the calls that the reader allows", async () => {
    const { models } = alone([find("weather")], [find("rain")], [ask("amap__maps_weather")], "Done.");
    const events = await runAll({ question, tools, models, finding: await findingBy(), limits: { maxToolCalls: 1 } });
    expect(endsOf(events)).toEqual(["find_tools true", "find_tools true", "amap__maps_weather true"]);
    expect(verdictsOf(events).at(-1)).toBe("answer calls-used");
  });

  test("are at most ten in a run", async () => {
    const searches = Array.from({ length: 12 }, (_, index) => find(`weather ${index}`));
    const { models } = alone(searches, "Done.");
    const events = await runAll({ question, tools, models, finding: await findingBy() });
    expect(endsOf(events).filter((end) => end === "find_tools true")).toHaveLength(10);
    expect(endsOf(events).filter((end) => end === "find_tools false")).toHaveLength(2);
  });

  test("are no reason to stop where a run stops at the first results", async () => {
    const { models } = alone([find("weather")], [ask("amap__maps_weather")], "Done.");
    const limits = { stopWhenSufficient: true };
    const events = await runAll({ question, tools, models, finding: await findingBy(), limits });
    expect(endsOf(events)).toEqual(["find_tools true", "amap__maps_weather true"]);
  });

  test("are no results: the model that answers does not read them", async () => {
    const decide = scriptedModel([[find("weather")], [ask("amap__maps_weather")], "Enough."], "cheap");
    const answer = scriptedModel(["Sunny."], "strong");
    await runAll({ question, tools, models: { functionCall: decide, answer }, finding: await findingBy() });
    const asked = lastAsked(answer, 0);
    expect(asked).toContain("maps_weather was called with");
    expect(asked).not.toContain("find_tools");
  });

  test("that find nothing say so, and wrong arguments are told as of any tool", async () => {
    const { model, models } = alone([find("qqzzq")], [ask("find_tools", { words: "rain" })], "Done.");
    const events = await runAll({ question, tools, models, finding: await findingBy() });
    expect(lastAsked(model, 1)).toContain('No tool fits "qqzzq".');
    expect(lastAsked(model, 2)).toContain("query");
    expect(endsOf(events)).toEqual(["find_tools true", "find_tools false"]);
  });

  test("stop loading at 64 tools, keep those that were loaded first, and serve the rest by name", async () => {
    const many = Array.from({ length: 90 }, (_, index): Tool => {
      const tool = makeTool(`big__weather_${index}`, () => ({ ok: true, text: "rain" }));
      return { ...tool, source: "big" };
    });
    const searches = Array.from({ length: 9 }, (_, index) =>
      find(`weather ${index * 10} ${index * 10 + 1}`, `${index}`, 10),
    );
    const calls = Array.from({ length: 90 }, (_, index) => ask(`big__weather_${index}`));
    const { model, models } = alone(searches, calls.slice(0, 45), calls.slice(45), "Done.");
    const limits = { maxToolCalls: 100, tokenBudget: 10_000_000 };
    const finding = await findingBy({ share: 0 });
    const events = await runAll({ question, tools: [...own, ...many], models, finding, limits });
    const last = offers(model).at(-1) ?? [];
    expect(last).toHaveLength(3 + 64);
    expect(offers(model)[1]).toEqual(last.slice(0, offers(model)[1]?.length));
    expect(endsOf(events).filter((end) => end.startsWith("big__") && end.endsWith("true"))).toHaveLength(90);
  });

  test("are said to have no more room", async () => {
    const many = Array.from({ length: 90 }, (_, index) => ({
      ...makeTool(`big__tool_${index}`, () => ({ ok: true, text: "done" })),
      source: "big",
    }));
    const calls = many.slice(0, 45).map(({ name }) => ask(name));
    const more = many.slice(45, 80).map(({ name }) => ask(name));
    const { model, models } = alone(calls, more, [find("big__tool_89", "f", 1)], "Done.");
    const limits = { maxToolCalls: 100, tokenBudget: 10_000_000 };
    await runAll({ question, tools: many, models, finding: await findingBy({ share: 0 }), limits });
    expect(lastAsked(model, 3)).toContain("The list is full");
  });
});

describe("rules about find_tools", () => {
  test("that deny it have all tools listed", async () => {
    const { model, models } = alone("Hi.");
    await runAll({ question, tools, models, finding: await findingBy({ deny: ["find_*"] }) });
    expect(offers(model)[0]).toHaveLength(67);
  });

  test("that ask for consent are followed: where nobody can be asked it does not run", async () => {
    const { model, models } = alone([find("weather")], "Done.");
    const events = await runAll({ question, tools, models, finding: await findingBy({ ask: ["find_tools"] }) });
    expect(endsOf(events)).toEqual(["find_tools false"]);
    expect(offers(model)[1]).toEqual(unlisted);
  });

  test("leave a user's own tool of that name its name", async () => {
    const mine = makeTool("find_tools", () => ({ ok: true, text: "a hammer" }));
    const { model, models } = alone([ask("find_tools")], "Done.");
    await runAll({ question, tools: [mine, ...realTools()], models, finding: await findingBy() });
    expect(offers(model)[0]).toEqual(["find_tools", "duet_find_tools"]);
    expect(lastAsked(model, 1)).toContain("a hammer");
  });
});

describe("in plan mode", () => {
  const answer = (): ScriptedModel => scriptedModel(["Done."], "strong");

  test("the planner reads the tools that fit the question, and how to find others", async () => {
    const functionCall = scriptedModel([written({ tool: "amap__maps_weather", parameters: { city: "北京" } })]);
    const models = { functionCall, answer: answer() };
    const events = await runAll({
      mode: "plan",
      question: "北京今天天气怎么样",
      tools,
      models,
      finding: await findingBy(),
    });
    const prompt = functionCall.requests[0]?.messages[0]?.content ?? "";
    expect(prompt).toContain('"name":"amap__maps_weather"');
    expect(prompt).toContain('"name":"find_tools"');
    expect(prompt).not.toContain("brave_web_search");
    expect(prompt).toContain("先只给出使用 find_tools 的步骤");
    expect(callsOf(events)).toEqual(['1 amap__maps_weather {"city":"北京"}']);
  });

  test("the planner may search first, and then plans with what was found", async () => {
    const functionCall = scriptedModel([
      written({ tool: "find_tools", parameters: { query: "knowledge graph read" } }),
      written({ tool: "memory__read_graph" }),
    ]);
    const models = { functionCall, answer: answer() };
    const events = await runAll({
      mode: "plan",
      question,
      tools,
      models,
      finding: await findingBy(),
      limits: { maxToolCalls: 1 },
    });
    expect(lastAsked(functionCall, 1)).toMatch(
      /<<<result [0-9a-f]{8}\n[\s\S]*- memory__read_graph\(\): Read the entire/,
    );
    expect(endsOf(events)).toEqual(["find_tools true", "memory__read_graph true"]);
    expect(events.flatMap((event) => (event.type === "plan" ? event.steps.map(({ tool }) => tool) : []))).not.toContain(
      "find_tools",
    );
    expect(outcomeOf(events).status).toBe("complete");
  });

  test("a step may use a tool that was not listed", async () => {
    const functionCall = scriptedModel([written({ tool: "memory__read_graph" })]);
    const models = { functionCall, answer: answer() };
    const events = await runAll({ mode: "plan", question, tools, models, finding: await findingBy() });
    expect(endsOf(events)).toEqual(["memory__read_graph true"]);
  });

  test("searches for a plan use up none of the calls of a run that goes on without a plan", async () => {
    const search = written({ tool: "find_tools", parameters: { query: "weather" } });
    const { models } = alone(search, "No.", "No.", "No.", [ask("amap__maps_weather")], "Done.");
    const limits = { maxToolCalls: 1 };
    const events = await runAll({ mode: "plan", question, tools, models, finding: await findingBy(), limits });
    expect(endsOf(events)).toEqual(["find_tools true", "amap__maps_weather true"]);
  });

  test("a planner that only ever searches comes to an end", async () => {
    const search = written({ tool: "find_tools", parameters: { query: "weather" } });
    const functionCall = scriptedModel([search, search, search, "Enough."]);
    const events = await runAll({
      mode: "plan",
      question,
      tools,
      models: { functionCall, answer: answer() },
      finding: await findingBy(),
    });
    expect(events.at(-1)?.type).toBe("run-end");
    expect(endsOf(events).length).toBeLessThanOrEqual(3);
  });
});

test("more than 100 tools of the asking program leave no place for ours, also where they come later, until they are fewer again", () => {
  const { model } = alone();
  const catalog = createToolCatalog({ tools: own, model, language: "en", questions: [question], finding: undefined });
  const many = Array.from({ length: 101 }, (_, index) => ({
    ...makeTool(`theirs_${index}`, () => ({ ok: true, text: "" })),
    source: clientSource,
  }));
  const namesOf = (): string[] => catalog.definitions().map(({ name }) => name);
  catalog.replaceClientTools(many);
  expect(namesOf()).toEqual(many.map(({ name }) => name));
  expect(catalog.findTool("calculator")).toBeUndefined();
  catalog.replaceClientTools(many.slice(0, 1));
  expect(namesOf().toSorted()).toEqual(["calculator", "shout", "theirs_0"]);
});
