import { expect, onTestFinished, test } from "vitest";
import { configFile, temporaryFolder } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";
import { runWarmProgram } from "../../fakes/warm-program.ts";

const busy = {
  status: 429,
  body: '{"error":{"message":"Slow down.","type":"tokens"}}',
  headers: { "retry-after": "30" },
};
const calculate = { toolCalls: [{ name: "calculator", arguments: { expression: "6*7" } }] };

async function setScene() {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const env = {
    HOME: await temporaryFolder(),
    OPENAI_API_KEY: "sk-test-openai-1",
    OPENAI_BASE_URL: provider.openaiUrl,
    ANTHROPIC_API_KEY: "sk-test-claude-2",
    ANTHROPIC_BASE_URL: provider.anthropicUrl,
  };
  return { provider, env };
}

test("a fallback of another wire goes on after a tool call, without a wait, and the bill has the price of each", async () => {
  const { provider, env } = await setScene();
  provider.script("gpt-4o", { ...calculate, usage: { input: 1000, output: 100 } }, busy);
  provider.script("claude-haiku-4-5", { text: "42.", usage: { input: 2000, output: 10 } });
  const models = { functionCall: { provider: "openai", model: "gpt-4o", fallbacks: ["anthropic/claude-haiku-4-5"] } };
  const config = await configFile({ locale: "en", models });
  const { code, stdout, stderr } = await runWarmProgram(["ask", "6 times 7?", "--config", config, "--output", "json"], {
    env,
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { meta, ...outcome } = JSON.parse(stdout);
  expect(outcome).toMatchObject({ status: "complete", response: "42.", error: null });
  expect(meta.models.function_call).toMatchObject({
    ...{ provider: "openai", model: "gpt-4o", calls: 3, cost_usd: 0.00555 },
    by_model: [
      { provider: "openai", model: "gpt-4o", calls: 2, input_tokens: 1000, cost_usd: 0.0035 },
      { provider: "anthropic", model: "claude-haiku-4-5", calls: 1, input_tokens: 2000, cost_usd: 0.00205 },
    ],
  });
  expect(meta.cost_usd).toBe(0.00555);
  // The other vendor's request is in its own form, with the call and its result.
  const [request] = provider.requests("claude-haiku-4-5");
  expect(JSON.stringify(request?.body)).toContain("tool_result");
  expect([provider.requests("gpt-4o").length, provider.unused()]).toEqual([2, []]);
});

test("whoever follows the run is told why the fallback answers", async () => {
  const { provider, env } = await setScene();
  provider.script("gpt-4o", { status: 402, body: '{"error":{"message":"No credit.","code":"insufficient_quota"}}' });
  provider.script("claude-haiku-4-5", { text: "Hello." });
  const functionCall = { provider: "openai", model: "gpt-4o", fallbacks: ["anthropic/claude-haiku-4-5"] };
  const config = await configFile({ locale: "en", models: { functionCall } });
  const { stdout } = await runWarmProgram(["ask", "Hi", "--config", config, "--output", "jsonl"], { env });
  const events: unknown[] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events).toContainEqual(
    expect.objectContaining({
      ...{ type: "notice", code: "model-fallback", level: "warning" },
      message: expect.stringMatching(
        /^openai\/gpt-4o failed, the fallback model anthropic\/claude-haiku-4-5 takes over: /,
      ),
    }),
  );
});
