import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readJournal } from "../client/servers.ts";
import { compileCache, configFile, temporaryFolder } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

// docs/development/agent-architecture.md#错误处理.
test("a server's read-only tool that does not answer is called once more only when a person has approved its definition", async () => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const folder = await temporaryFolder();
  const journal = join(folder, "journal");
  const args = [resolve("test/fakes/mcp.ts"), "--mode", "hang-on-call", "--journal", journal];
  const slow = { command: process.execPath, args, timeout: 1, env: compileCache() };
  const config = await configFile({
    models: { functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl } },
    mcpServers: { slow },
  });
  const env = { DUET_HOME: join(folder, "home"), OPENAI_API_KEY: "sk-test-openai-0001" };
  const run = (...words: string[]) => runProgram([...words, "--config", config], { env });
  const calls = (): number => readJournal(journal).filter(({ method }) => method === "tools/call").length;
  const ask = async (): Promise<string[]> => {
    provider.script(
      "cheap",
      { toolCalls: [{ name: "slow__echo", arguments: { text: "hi" } }] },
      { text: "No answer." },
    );
    const { stdout } = await run("ask", "Say hi", "--mode", "agent", "--output", "jsonl");
    const events: { type: string; code?: string }[] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    return events.flatMap(({ type, code }) =>
      type.startsWith("tool-") ? [type] : code === "tool-retry" ? [code] : [],
    );
  };

  expect(await ask()).toEqual(["tool-start", "tool-end"]);
  expect(calls()).toBe(1);

  const shown = await run("tools", "approve", "slow__echo");
  expect(shown).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/slow__echo · slow · trusted on first use[\s\S]*annotations\.readOnly: true/),
  });
  expect(await run("tools", "approve", "slow__echo", "--yes")).toMatchObject({
    code: 0,
    stderr: "Approved slow__echo\n",
  });
  expect(await run("tools", "approve", "slow__echo")).toMatchObject({
    code: 0,
    stdout: "No tools are waiting for approval.\n",
  });

  expect(await ask()).toEqual(["tool-start", "tool-end", "tool-retry", "tool-start", "tool-end"]);
  expect(calls()).toBe(3);
});
