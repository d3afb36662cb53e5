import { expect, onTestFinished, test } from "vitest";
import { startFakeProvider } from "../../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";

test("in the terminal chat the next question is always sent, however many failed before it, and says what failed now", async () => {
  const fake = await startFakeProvider();
  onTestFinished(() => fake.close());
  const broken = { status: 500, body: '{"error":{"message":"boom"}}', headers: { "x-should-retry": "false" } };
  fake.script("gpt-4", ...Array.from({ length: 6 }, () => broken), { text: "Sunny." });
  const { stdout, stderr } = await runProgram(["chat", "--mode", "chat", "--function-call-model", "openai/gpt-4"], {
    env: { OPENAI_API_KEY: "sk-test-openai-0001", OPENAI_BASE_URL: fake.openaiUrl },
    stdin: "One?\nTwo?\nThree?\nFour?\nFive?\nSix?\nSeven?\n",
  });
  expect(fake.requests("gpt-4")).toHaveLength(7);
  expect(stdout).toContain("Sunny.");
  expect(stdout + stderr).not.toContain("is paused");
});
