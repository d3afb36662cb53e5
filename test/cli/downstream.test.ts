import { expect, onTestFinished, test } from "vitest";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { configFile, npmServer } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

const key = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

const amap = { amap: npmServer("mcp-amap", [], { AMAP_MAPS_API_KEY: key }) };

test("Amap with a made-up key: its twelve tools are listed", async () => {
  const config = await configFile({ mcpServers: amap });
  const { code, stdout } = await runProgram(["tools", "--output", "json", "--config", config]);
  expect(code).toBe(0);
  const names = (JSON.parse(stdout).tools as { name: string; source: string }[]).filter(
    ({ source }) => source === "amap",
  );
  expect(names).toHaveLength(12);
  expect(names.map(({ name }) => name)).toContain("amap__maps_weather");
  expect(stdout).not.toContain(key);
});

test("Amap out of reach: the failure reaches the model as a result, and the key appears nowhere", async () => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  provider.script(
    "cheap",
    { toolCalls: [{ name: "amap__maps_weather", arguments: { city: "北京" } }] },
    { text: "高德地图现在无法访问。" },
  );
  const config = await configFile({
    models: { functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl } },
    mcpServers: amap,
  });
  const env = { OPENAI_API_KEY: "sk-test-openai-0001", AGENT_VERBOSE: "true" };
  const { code, stdout, stderr } = await runProgram(["ask", "北京天气", "--output", "json", "--config", config], {
    env,
  });
  expect(code).toBe(0);
  const outcome: Outcome = JSON.parse(stdout);
  expect(outcome.tool_calls).toMatchObject([{ tool: "amap__maps_weather", ok: false }]);
  expect(outcome.response).toBe("高德地图现在无法访问。");
  const told = JSON.stringify(provider.journal);
  expect(told).toContain("restapi.amap.com");
  for (const text of [told, stdout, stderr]) expect(text).not.toContain(key);
});
