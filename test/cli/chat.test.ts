import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { allDead, processesIn } from "../client/servers.ts";
import { compileCache, configFile, runProgram, startProgram, temporaryFolder } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { startTerminal } from "../fakes/terminal.ts";

describe("duet chat in a terminal", () => {
  test("greets with the mode, answers, helps, switches modes and leaves", async () => {
    const terminal = await startTerminal([], { cwd: await temporaryFolder() });
    await terminal.shows("Agent mode > ");
    terminal.type("计算 [1,2,3,4,5] 的平均值\r");
    await terminal.shows("平均值是 3。");
    terminal.type("/help\r");
    await terminal.shows("/mode [chat|agent|plan]");
    terminal.type("/mode chat\r");
    await terminal.shows("Switched to Chat mode; the history is cleared.");
    await terminal.shows("Chat mode > ");
    terminal.type("/nonsense\r");
    await terminal.shows("Unknown command /nonsense.");
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
  });

  test("keeps what is typed while an answer streams in its order, also when Ctrl-C stops the answer", async () => {
    const provider = await startFakeProvider();
    onTestFinished(() => provider.close());
    const model = { provider: "openai", model: "one", baseUrl: provider.openaiUrl };
    const config = await configFile({ models: { functionCall: model, answer: model } });
    const typed = Promise.withResolvers<void>();
    const first = { text: "First.", hang: "after-text", until: typed.promise } as const;
    provider.script("one", first, { text: "Second.", hang: "after-text" }, { text: "Third." });
    const env = { OPENAI_API_KEY: "sk-test-openai-0001" };
    const terminal = await startTerminal(["chat", "--mode", "chat", "--config", config], { env });
    await terminal.shows("Chat mode > ");
    terminal.type("one\r");
    await terminal.shows("First");
    terminal.type("hello ");
    await terminal.stands("Chat mode > hello");
    typed.resolve();
    await terminal.hides("Esc stops");
    terminal.type("world\r");
    await terminal.shows("Second");
    terminal.type("good ");
    await terminal.stands("Chat mode > good");
    terminal.type("\u0003");
    await terminal.shows("Cancelled.");
    await terminal.stands("Chat mode > good");
    terminal.type("bye\r");
    await terminal.shows("Third.");
    const asked = provider.requests("one").map(({ body }) => JSON.stringify(body.messages));
    expect(asked[1]).toContain("hello world");
    expect(asked[2]).toContain("good bye");
  });

  test("/trace after /resume is that of the conversation that goes on", async () => {
    const env = { DUET_HOME: await temporaryFolder() };
    const before = await runProgram(["chat"], { env, stdin: "calculate 1 + 2\n/conversations\n" });
    const id = /conv-\S+/.exec(before.stderr)?.[0];
    const stdin = `calculate 3 + 4\n/resume ${id}\n/trace\n`;
    const { stderr } = await runProgram(["chat"], { env, stdin });
    expect(stderr).toContain("Question: calculate 1 + 2");
    expect(stderr).not.toContain("Question: calculate 3 + 4");
  });

  test("Ctrl-D leaves", async () => {
    const terminal = await startTerminal([], { cwd: await temporaryFolder() });
    await terminal.shows("> ");
    terminal.type("\u0004");
    expect(await terminal.ended()).toBe(0);
  });

  test("DEFAULT_MODE chooses the mode in which it starts", async () => {
    const terminal = await startTerminal([], { cwd: await temporaryFolder(), env: { DEFAULT_MODE: "chat" } });
    await terminal.shows("Chat mode > ");
    terminal.type("\u0004");
    expect(await terminal.ended()).toBe(0);
  });
});

test.each([
  ["at the prompt", []],
  ["while a call waits for consent", [{ toolCalls: [{ name: "fake__echo", arguments: { text: "x" } }] }]],
  ["while a model speaks", [{ text: "Half of", hang: "after-text" as const }]],
])("a terminal that goes away %s ends the program and its servers", async (_, turns) => {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const journal = join(await temporaryFolder(), "journal");
  const config = await configFile({
    models: { functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl } },
    mcpServers: {
      fake: {
        command: process.execPath,
        args: [resolve("test/fakes/mcp.ts"), "--journal", journal],
        env: compileCache(),
      },
    },
    tools: { ask: ["*"] },
  });
  const env = { OPENAI_API_KEY: "sk-test-openai-0001" };
  const terminal = await startTerminal(["chat", "--mode", "agent", "--config", config], { env });
  await terminal.shows(" > ");
  const servers = await processesIn(journal, 1);
  provider.script("cheap", ...turns);
  if (turns.length > 0) {
    terminal.type("Echo x\r");
    await terminal.shows(turns.some((turn) => "toolCalls" in turn) ? "Let fake__echo run?" : "🧭 deciding");
  }
  const programs = servers.map(parentOf);
  terminal.vanish();
  await allDead([...servers, ...programs]);
});

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

test("a pipe that closes early ends the program quietly", async () => {
  const child = await startProgram(["tools"]);
  child.stdout.destroy();
  child.stdin.end();
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  await new Promise((resolve) => child.once("close", resolve));
  expect(stderr).toBe("");
});
