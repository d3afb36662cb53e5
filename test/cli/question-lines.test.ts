import { expect, onTestFinished, test } from "vitest";
import { configFile } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram } from "../fakes/warm-program.ts";

test("ask --input jsonl answers each line in order with its id; a wrong line is located, and the others are answered", async () => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const model = { provider: "openai", model: "only", baseUrl: provider.openaiUrl };
  const config = await configFile({ models: { functionCall: model } });
  provider.script("only", { text: "First." }, { text: "Second." });
  const stdin = [
    '{"id":"a","question":"one"}',
    '{"id":2,"question":"x" "y"}',
    "",
    '{"id":"7","qestion":"x"}',
    '{"id":3,"question":"two"}',
  ];
  const { code, stdout, stderr } = await runWarmProgram(
    ["ask", "--input", "jsonl", "--mode", "chat", "--config", config],
    {
      env: { OPENAI_API_KEY: "sk-test-openai-0001", LANG: "en_US.UTF-8" },
      stdin: stdin.join("\n"),
    },
  );
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(rows.map(({ id, line, result, error }) => [id, line, result?.response ?? error.message])).toEqual([
    ["a", 1, "First."],
    [null, 2, "stdin:2:24: expected a comma"],
    ["7", 4, "stdin:4: qestion: unknown key; did you mean question? (allowed: id, question, conversation_id)"],
    [3, 5, "Second."],
  ]);
  expect(rows[0].result.conversation_id).not.toBe(rows[3].result.conversation_id);
  expect(stderr.match(/^duet: stdin:\d/gm)).toHaveLength(2);
  expect(code).toBe(2);
});

test("tools call reads its arguments from stdin, and tells a fault in them with its line and column", async () => {
  expect(await runWarmProgram(["tools", "call", "echo", "-"], { stdin: '{"text": "hi"}' })).toMatchObject({
    code: 0,
    stdout: "hi\n",
  });
  const wrong = await runWarmProgram(["tools", "call", "echo", "-", "--locale", "en"], {
    stdin: '{"text":\n "hi" oops}',
  });
  expect(wrong).toMatchObject({ code: 2, stderr: "duet: stdin:2:7: unknown symbol (strings need double quotes)\n" });
  const argument = await runWarmProgram(["tools", "call", "echo", '{"text": hi}', "--locale", "en"]);
  expect(argument.stderr).toContain("JSON:1:10: ");
});
