// The real Amap package through the whole program, in Chinese; Amap's own service is a fake with data of our own making.
import { expect, onTestFinished, test } from "vitest";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { isRecord } from "../../src/kit/json.ts";
import { type AmapService, startAmapService } from "../fakes/amap-service.ts";
import { configFile, npmServer } from "../fakes/program.ts";
import { type FakeProvider, type JournalEntry, startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";
import { keys, redirecting } from "./nine.ts";

const key = keys.amap;

interface Scene {
  amap: AmapService;
  provider: FakeProvider;
  /** Runs `duet ask` with two scripted models and gives its outcome and all that it wrote. */
  ask(question: string): Promise<Outcome & { written: string }>;
}

async function setScene({ callsPerSecond }: { callsPerSecond?: number } = {}): Promise<Scene> {
  const amap = await startAmapService(key);
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const config = await configFile({
    models: {
      functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl },
      answer: { provider: "anthropic", model: "strong", baseUrl: provider.anthropicUrl },
    },
    mcpServers: { amap: { ...amapServer(amap), callsPerSecond } },
    agent: { maxToolCalls: 20, maxExecutionTime: 120 },
    locale: "zh",
  });
  const env = {
    OPENAI_API_KEY: "sk-test-openai-0001",
    ANTHROPIC_API_KEY: "sk-test-anthropic-0002",
    AGENT_VERBOSE: "true",
  };
  return {
    amap,
    provider,
    async ask(question) {
      const { stdout, stderr } = await runProgram(["ask", question, "--output", "json", "--config", config], { env });
      return { ...JSON.parse(stdout), written: stdout + stderr };
    },
  };
}

function amapServer(amap: AmapService) {
  const env = { ...redirecting({ "restapi.amap.com": amap.url }), AMAP_MAPS_API_KEY: key };
  return npmServer("mcp-amap", [], env);
}

const call = (tool: string, args: Record<string, string>) => ({ name: `amap__maps_${tool}`, arguments: args });

/** The texts of the tool results that reached the function-call model, the latest last. */
function resultsIn({ body }: JournalEntry): string[] {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isRecord) : [];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));
}

/** The values of a field in the JSON of results. */
function valuesIn(texts: readonly string[], field: string): string[] {
  return texts.flatMap((text) =>
    [...text.matchAll(new RegExp(`"${field}": "([^"]*)"`, "g"))].map(([, value = ""]) => value),
  );
}

test("routes of all kinds between two places found by name, and the weather there", async () => {
  const { amap, provider, ask } = await setScene();
  let ends = { origin: "", destination: "" };
  provider.script(
    "cheap",
    {
      toolCalls: [
        call("text_search", { keywords: "云帆图书馆", city: "北京" }),
        call("text_search", { keywords: "青禾茶馆" }),
      ],
    },
    (request) => ({ toolCalls: valuesIn(resultsIn(request), "id").map((id) => call("search_detail", { id })) }),
    (request) => {
      const [origin = "", destination = ""] = valuesIn(resultsIn(request), "location");
      ends = { origin, destination };
      return {
        toolCalls: [
          ...["direction_walking", "direction_driving", "bicycling"].map((tool) => call(tool, ends)),
          call("direction_transit_integrated", { ...ends, city: "北京", cityd: "北京" }),
          call("weather", { city: "北京" }),
        ],
      };
    },
    { text: "够了。" },
  );
  // It knows nothing but what it was sent.
  provider.script("strong", ({ body }) => {
    const told = JSON.stringify(body);
    const facts = ["松涛路18号", "映月湖西岸3号", "1034", "517", "371", "1266", "地铁31号线", "小雨"];
    return { text: `步行、驾车、骑行、公交：${facts.filter((fact) => told.includes(fact)).join("，")}。` };
  });
  const { written, ...outcome } = await ask(
    "从云帆图书馆到青禾茶馆怎么走？步行、驾车、骑行和公交各要多久？那里天气如何？",
  );
  expect(outcome.tool_calls.filter(({ ok }) => !ok)).toEqual([]);
  expect(outcome).toMatchObject({
    status: "complete",
    response: "步行、驾车、骑行、公交：松涛路18号，映月湖西岸3号，1034，517，371，1266，地铁31号线，小雨。",
  });
  expect(ends).toEqual({ origin: "116.397001,39.918002", destination: "116.412003,39.921004" });
  expect(amap.hits.map(({ path }) => path).sort()).toEqual([
    "/v3/direction/driving",
    "/v3/direction/transit/integrated",
    "/v3/direction/walking",
    "/v3/place/detail",
    "/v3/place/detail",
    "/v3/place/text",
    "/v3/place/text",
    "/v3/weather/weatherInfo",
    "/v4/direction/bicycling",
  ]);
  expect(amap.hits[0]?.search.keywords).toMatch(/^(?:云帆图书馆|青禾茶馆)$/);
  // The service got the key, and nobody else.
  expect(amap.hits.every(({ search }) => search.key === key)).toBe(true);
  expect(written).not.toContain(key);
  expect(JSON.stringify(provider.journal)).not.toContain(key);
});

test("the other tools of Amap answer too", async () => {
  const { provider, ask } = await setScene();
  const location = "116.397001,39.918002";
  provider.script(
    "cheap",
    {
      toolCalls: [
        call("geo", { address: "映月湖公园", city: "北京" }),
        call("regeocode", { location }),
        call("ip_location", { ip: "203.0.113.9" }),
        call("distance", { origins: location, destination: "116.415005,39.925006" }),
        call("around_search", { location, keywords: "茶馆", radius: "2000" }),
      ],
    },
    { text: "够了。" },
  );
  provider.script("strong", { text: "好。" });
  const { tool_calls: calls } = await ask("映月湖公园在哪里？附近有茶馆吗？");
  const [geo, regeo, ip, distance, around] = calls.map(({ ok, result }) => (ok ? result : `failed: ${result}`));
  expect(geo).toContain("116.415005,39.925006");
  expect(regeo).toContain("东城区");
  expect(ip).toContain("116.0119343");
  expect(distance).toContain("2461");
  expect(around).toContain("青禾茶馆(湖畔店)");
});

test("calls reach Amap no faster than callsPerSecond allows", async () => {
  const { amap, provider, ask } = await setScene({ callsPerSecond: 4 });
  const cities = ["北京", "杭州", "北京市", "110000", "330100", "上海"];
  provider.script("cheap", { toolCalls: cities.map((city) => call("weather", { city })) }, { text: "够了。" });
  provider.script("strong", { text: "好。" });
  const beganAt = performance.now();
  const { tool_calls: calls } = await ask("这几个城市的天气如何？");
  expect(calls.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false]);
  const times = amap.hits.map(({ at }) => at);
  expect(times).toHaveLength(6);
  // Five pauses of 250 ms. The first call may be under way for longer than the last one, but was not made before it was asked for.
  expect((times.at(-1) ?? 0) - beganAt).toBeGreaterThan(5 * 250);
});

test("without a model, the rules ask Amap for the weather and word it", async () => {
  const amap = await startAmapService(key);
  const config = await configFile({
    models: { functionCall: { provider: "offline" } },
    mcpServers: { amap: amapServer(amap) },
    locale: "zh",
  });
  const { code, stdout, stderr } = await runProgram(["ask", "北京明天天气怎么样", "--config", config]);
  expect(stderr).not.toContain(key);
  expect(code).toBe(0);
  expect(stdout).toContain("2026-11-23：小雨转阴，4～9℃");
  expect(amap.hits).toMatchObject([{ path: "/v3/weather/weatherInfo", search: { city: "北京" } }]);
});

test("a wrong key is explained, and not shown", async () => {
  const { amap, provider, ask } = await setScene();
  amap.refuse(1, "10001", "INVALID_USER_KEY");
  provider.script("cheap", { toolCalls: [call("weather", { city: "北京" })] }, { text: "够了。" });
  provider.script("strong", { text: "好。" });
  const { tool_calls: calls, written } = await ask("北京天气");
  expect(calls).toMatchObject([{ ok: false }]);
  expect(calls[0]?.result).toContain("Get weather failed: INVALID_USER_KEY");
  expect(calls[0]?.result).toContain("请检查该服务器 env 中的 Key，它须是“Web服务”类型。");
  expect(amap.hits).toHaveLength(1);
  expect(written).not.toContain(key);
});

test("a quota that is used up is understood, and not asked for again by us", async () => {
  const { amap, provider, ask } = await setScene();
  amap.refuse(1, "10044", "USER_DAILY_QUERY_OVER_LIMIT");
  provider.script("cheap", { toolCalls: [call("text_search", { keywords: "茶馆" })] }, { text: "够了。" });
  provider.script("strong", { text: "好。" });
  const { tool_calls: calls } = await ask("附近有茶馆吗？");
  expect(calls[0]?.result).toContain("账号的日调用量超出额度（10044 USER_DAILY_QUERY_OVER_LIMIT）");
  expect(amap.hits).toHaveLength(1);
});

test("too many calls per second: the call is sent once more after a pause, and the model sees the answer", async () => {
  const { amap, provider, ask } = await setScene();
  amap.refuse(1, "10021", "CUQPS_HAS_EXCEEDED_THE_LIMIT");
  provider.script("cheap", { toolCalls: [call("weather", { city: "北京" })] }, { text: "够了。" });
  provider.script("strong", { text: "好。" });
  const { tool_calls: calls } = await ask("北京天气");
  expect(calls).toMatchObject([{ ok: true }]);
  expect(calls[0]?.result).toContain("小雨");
  const [first, second] = amap.hits;
  expect(amap.hits).toHaveLength(2);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(800);
});

test("too many calls per second, still: the model is told what it means", async () => {
  const { amap, provider, ask } = await setScene();
  amap.refuse(9, "10021", "CUQPS_HAS_EXCEEDED_THE_LIMIT");
  provider.script("cheap", { toolCalls: [call("weather", { city: "北京" })] }, { text: "够了。" });
  provider.script("strong", { text: "好。" });
  const { tool_calls: calls } = await ask("北京天气");
  expect(calls[0]?.result).toContain("账号每秒调用次数超限（10021 CUQPS_HAS_EXCEEDED_THE_LIMIT）");
  expect(amap.hits).toHaveLength(2);
});

test("many calls at once, of which Amap answers three and refuses four: those are sent once more, and all are answered", async () => {
  const { amap, provider, ask } = await setScene();
  amap.refuse(4, "10021", "CUQPS_HAS_EXCEEDED_THE_LIMIT", 3);
  const words = ["茶馆", "图书馆", "公园", "青禾茶馆", "云帆图书馆", "映月湖公园", "餐饮服务"];
  const toolCalls = words.map((keywords) => call("text_search", { keywords }));
  provider.script("cheap", { toolCalls }, { text: "够了。" });
  provider.script("strong", { text: "好。" });
  const { tool_calls: calls } = await ask("附近有什么？");
  expect(calls.map(({ ok }) => ok)).toEqual(words.map(() => true));
  expect(amap.hits).toHaveLength(words.length + 4);
});
