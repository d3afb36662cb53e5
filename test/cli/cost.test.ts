import { afterEach, beforeEach, expect, test } from "vitest";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { configFile } from "../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
});
afterEach(() => fake.close());

/** Asks a model of the fake provider, once, with 1,000 tokens in and 100 out. */
async function ask(answer: string, output: "json" | "text") {
  const config = await configFile({
    models: { functionCall: { provider: "openai", model: "gpt-4o" }, answer: { provider: "anthropic", model: answer } },
    providers: {
      openai: { baseUrl: fake.openaiUrl },
      anthropic: { baseUrl: fake.anthropicUrl, prices: { "claude-mine": { input: 1000, output: 5000 } } },
    },
  });
  fake.script("gpt-4o", { text: "Enough.", usage: { input: 1000, output: 100 } });
  fake.script(answer, { text: "Hello.", usage: { input: 1000, output: 100 } });
  const env = { OPENAI_API_KEY: "a", ANTHROPIC_API_KEY: "b" };
  return runProgram(["ask", "--config", config, "Say hello", "--output", output], { env });
}

test("the result says what each role cost, by the price list and by the user's own prices", async () => {
  const { meta }: Outcome = JSON.parse((await ask("claude-mine", "json")).stdout);
  expect(meta.models.function_call.cost_usd).toBe(0.0035);
  expect(meta.models.answer.cost_usd).toBe(1.5);
  expect(meta.cost_usd).toBe(1.5035);
});

test("the whole is not known when one model's price is not", async () => {
  const { meta }: Outcome = JSON.parse((await ask("claude-unheard-of", "json")).stdout);
  expect(meta.models.function_call.cost_usd).toBe(0.0035);
  expect(meta.models.answer.cost_usd).toBeNull();
  expect(meta.cost_usd).toBeNull();
});

test("the line below an answer shows it", async () => {
  const { stderr } = await ask("claude-mine", "text");
  expect(stderr).toMatch(/openai\/gpt-4o ×1 1000→100 tok [\d.]+ s \$0\.0035/);
  expect(stderr).toMatch(/anthropic\/claude-mine .*\$1\.50.* · \$1\.50/);
});
