import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { written } from "../agent/plan/planning.ts";
import { configFile, npmServer, runProgram as runInOwnProcess, temporaryFolder } from "../fakes/program.ts";
import { type FakeProvider, type FakeTurn, startFakeProvider } from "../fakes/provider.ts";
import { startTerminal, type Terminal } from "../fakes/terminal.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

interface Workplace {
  provider: FakeProvider;
  env: Record<string, string>;
  /** The folder that the real file server serves; `note.txt` is in it. */
  folder: string;
  config: string;
}

/** Two models on two wires and the reference server for files. */
async function openWorkplace(more: object = {}): Promise<Workplace> {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const folder = await temporaryFolder();
  await writeFile(join(folder, "note.txt"), "Duet plays in two voices.");
  const config = await configFile({
    models: {
      functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl },
      answer: { provider: "anthropic", model: "strong", baseUrl: provider.anthropicUrl },
    },
    mcpServers: { files: npmServer("mcp-server-filesystem", [folder]) },
    // The plan is what is asked about here, not its calls.
    tools: { ask: [] },
    ...more,
  });
  const env = { OPENAI_API_KEY: "sk-test-openai-0001", ANTHROPIC_API_KEY: "sk-test-anthropic-0002" };
  return { provider, env, folder, config };
}

/** Reads the note and writes it to a file of that name. */
function copyTo(name: string, { folder }: Workplace): FakeTurn {
  return {
    text: written(
      { description: "Read the note", tool: "files__read_text_file", parameters: { path: join(folder, "note.txt") } },
      {
        description: `Write ${name}`,
        tool: "files__write_file",
        parameters: { path: join(folder, name), content: "Copy: {{step_1}}" },
      },
    ),
  };
}

function copied(name: string, { folder }: Workplace): Promise<string> {
  return readFile(join(folder, name), "utf8").catch(() => "");
}

const copy = "Copy: Duet plays in two voices.";
const question = "Copy the note";

async function chat(it: Workplace, ...more: string[]): Promise<Terminal> {
  const terminal = await startTerminal(["chat", "--config", it.config, ...more], { env: it.env });
  await terminal.shows(" > ");
  return terminal;
}

describe("a plan in the terminal chat", () => {
  test("is listed, asked about, carried out at y and answered; takes no command but /exit, a no that leaves", async () => {
    const it = await openWorkplace();
    it.provider.script("cheap", copyTo("a.txt", it), copyTo("b.txt", it));
    it.provider.script("strong", { text: "It is copied." });
    const terminal = await chat(it, "--mode", "plan");
    terminal.type(`${question}\r`);
    await terminal.shows("📋 Plan (2 steps)");
    await terminal.shows(`  1. Read the note · files__read_text_file {"path":`);
    await terminal.shows("Run the plan? [y/n/what to change] ");
    expect(await copied("a.txt", it)).toBe("");
    await terminal.reply("y\r");
    await terminal.shows("☑ 1. Read the note");
    await terminal.shows("☑ 2. Write a.txt");
    await terminal.shows("It is copied.");
    expect(await copied("a.txt", it)).toBe(copy);
    terminal.type(`${question} again\r`);
    await terminal.repeats("[y/n/what to change]", 2);
    await terminal.reply("/help\r");
    await terminal.shows("Commands do not work here: type y, n or what to change");
    await terminal.reply("/exit\r");
    await terminal.shows("The plan was cancelled; nothing was run.");
    expect(await terminal.ended()).toBe(0);
    expect(it.provider.requests("cheap")).toHaveLength(2);
    expect(it.provider.unused()).toEqual([]);
    expect(await copied("b.txt", it)).toBe("");
  });

  test("is changed in words, listed and asked about again", async () => {
    const it = await openWorkplace();
    it.provider.script("cheap", copyTo("a.txt", it), copyTo("b.txt", it));
    it.provider.script("strong", { text: "It is copied." });
    const terminal = await chat(it, "--mode", "plan", "--locale", "zh");
    terminal.type(`${question}\r`);
    await terminal.shows("确认执行？[y/n/修改意见] ");
    await terminal.reply("写到 b.txt\r");
    await terminal.shows("2. Write b.txt · files__write_file");
    await terminal.reply("y\r");
    await terminal.shows("It is copied.");
    expect(JSON.stringify(it.provider.requests("cheap")[1]?.body.messages)).toContain("写到 b.txt");
    expect([await copied("a.txt", it), await copied("b.txt", it)]).toEqual(["", copy]);
  });

  test("is not carried out at n, nor at Ctrl-C, and the chat goes on; nor at the end of the input; takes no line that was typed before it was shown", async () => {
    const it = await openWorkplace();
    const typed = Promise.withResolvers<void>();
    const planned = { ...copyTo("a.txt", it), hang: "after-text", until: typed.promise } as const;
    it.provider.script("cheap", planned, { text: '{"steps":[]}' }, copyTo("b.txt", it), copyTo("c.txt", it));
    it.provider.script("strong", { text: "You are welcome." });
    const terminal = await chat(it, "--mode", "plan");
    terminal.type(`${question}\r`);
    await terminal.shows("⠋ 📋 planning");
    terminal.type("y\r");
    await terminal.shows("✉ y");
    typed.resolve();
    await terminal.shows("[y/n/what to change] ");
    await terminal.reply("n\r");
    await terminal.shows("The plan was cancelled; nothing was run.");
    // The line that was typed early is the next question.
    await terminal.shows("You are welcome.");
    expect(await copied("a.txt", it)).toBe("");
    terminal.type(`${question} again\r`);
    await terminal.shows("2. Write b.txt · files__write_file");
    await terminal.follows("2. Write b.txt", "[y/n/what to change] ");
    await terminal.reply("half a reply\u0003");
    await terminal.shows("[y/n/what to change] (not answered)");
    await terminal.shows("⏭ 2. Write b.txt");
    await terminal.stands("Plan mode > ");
    terminal.type(`${question} once more\r`);
    await terminal.shows("2. Write c.txt · files__write_file");
    await terminal.follows("2. Write c.txt", "[y/n/what to change] ");
    terminal.type("\u0004");
    expect(await terminal.ended()).toBe(0);
    for (const name of ["a.txt", "b.txt", "c.txt"]) expect(await copied(name, it)).toBe("");
  });

  test("is what DEFAULT_MODE=plan and /mode plan ask for", async () => {
    const it = await openWorkplace({ mcpServers: {} });
    const terminal = await startTerminal(["--config", it.config], { env: { ...it.env, DEFAULT_MODE: "plan" } });
    await terminal.shows("Plan mode > ");
    terminal.type("/mode agent\r");
    await terminal.shows("Switched to Agent mode");
    terminal.type("/mode plan\r");
    await terminal.shows("Switched to Plan mode; the history is cleared.");
    terminal.type("/help\r");
    await terminal.shows("Plan mode: plans first, then acts");
  });
});

describe("duet ask --mode plan", () => {
  test.each([
    ["y\r", 0, copy],
    ["\u0003", 130, ""],
  ])("asks at a terminal: %j ends with %i", async (keys, code, content) => {
    const it = await openWorkplace();
    it.provider.script("cheap", copyTo("a.txt", it));
    it.provider.script("strong", { text: "It is copied." });
    const terminal = await startTerminal(["ask", question, "--mode", "plan", "--config", it.config], { env: it.env });
    await terminal.shows("Run the plan? [y/n/what to change] ");
    terminal.type(keys);
    expect(await terminal.ended()).toBe(code);
    await terminal.shows(code === 0 ? "\n▶ step 1 running" : "\n⏭ step 1 not run");
    expect(await copied("a.txt", it)).toBe(content);
  });

  test("takes no line for a reply that was typed before the plan was shown; n ends it with 130", async () => {
    const it = await openWorkplace();
    const typed = Promise.withResolvers<void>();
    it.provider.script("cheap", { ...copyTo("a.txt", it), hang: "after-text", until: typed.promise });
    const terminal = await startTerminal(["ask", question, "--mode", "plan", "--config", it.config], { env: it.env });
    terminal.type("y\r");
    await terminal.shows("reading the task");
    terminal.type("yes\r");
    await terminal.shows("yes\r\n");
    typed.resolve();
    await terminal.shows("Run the plan? [y/n/what to change] ");
    terminal.type("n\r");
    expect(await terminal.ended()).toBe(130);
    await terminal.shows("\n⏭ step 1 not run");
    expect(await copied("a.txt", it)).toBe("");
  });

  test("shows the plan at a terminal even where the output is JSON; the end of the input ends it with 130", async () => {
    const it = await openWorkplace();
    it.provider.script("cheap", copyTo("a.txt", it));
    const args = ["ask", question, "--mode", "plan", "--output", "json", "--config", it.config];
    const terminal = await startTerminal(args, { env: it.env });
    await terminal.shows("2. Write a.txt · files__write_file");
    await terminal.shows("Run the plan? [y/n/what to change] ");
    terminal.type("\u0004");
    expect(await terminal.ended()).toBe(130);
    expect(await copied("a.txt", it)).toBe("");
  });

  test("goes on without a word where there is no terminal", async () => {
    const it = await openWorkplace();
    it.provider.script("cheap", copyTo("a.txt", it));
    it.provider.script("strong", { text: "It is copied." });
    const args = ["ask", question, "--mode", "plan", "--config", it.config];
    const { code, stdout, stderr } = await runProgram(args, { env: it.env });
    expect([code, stdout]).toEqual([0, "It is copied.\n"]);
    expect(stderr).toContain("📋 Plan (2 steps)\n  1. Read the note · files__read_text_file");
    expect(stderr).toContain("☑ step 2 done: Write a.txt");
    expect(await copied("a.txt", it)).toBe(copy);
  });
});

test("where plans are to be confirmed, `duet ask` stops with the plan on stdout, and the yes of a later process carries it out", async () => {
  const it = await openWorkplace({ agent: { plan: { unattended: "stop" } } });
  it.provider.script("cheap", copyTo("a.txt", it));
  it.provider.script("strong", { text: "It is copied." });
  const cwd = await temporaryFolder();
  const env = { ...it.env, DUET_HOME: cwd };
  const args = ["--mode", "plan", "--config", it.config];
  const stopped = await runProgram(["ask", question, ...args], { env, cwd });
  expect(stopped.code).toBe(3);
  expect(stopped.stdout).toContain("1. Read the note — `files__read_text_file`");
  expect(stopped.stderr).toContain("The plan is waiting for confirmation.");
  expect(await copied("a.txt", it)).toBe("");
  const { code, stdout } = await runInOwnProcess(["ask", "y", "--continue", ...args], { env, cwd });
  expect([code, stdout]).toEqual([0, "It is copied.\n"]);
  expect(await copied("a.txt", it)).toBe(copy);
});

test("lines on a pipe: the plan waits for the next line where plans are to be confirmed", async () => {
  const it = await openWorkplace({ agent: { plan: { unattended: "stop" } }, conversations: { store: "memory" } });
  it.provider.script("cheap", copyTo("a.txt", it));
  it.provider.script("strong", { text: "It is copied." });
  const args = ["chat", "--mode", "plan", "--config", it.config];
  const { code, stdout } = await runProgram(args, { env: it.env, stdin: `${question}\ny\n` });
  expect(code).toBe(0);
  expect(stdout).toContain("It is copied.");
  expect(await copied("a.txt", it)).toBe(copy);
});
