import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { written } from "../agent/plan/planning.ts";
import { configFile, npmServer, type ProgramOptions, temporaryFolder } from "../fakes/program.ts";
import { type FakeProvider, type FakeTurn, startFakeProvider } from "../fakes/provider.ts";
import { startTerminal, type Terminal } from "../fakes/terminal.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

interface Workplace {
  provider: FakeProvider;
  options: ProgramOptions;
  config: string;
  /** The folder that the real file server serves. */
  folder: string;
}

/** Two models on two wires and the reference server for files, whose `write_file` says of itself that it is destructive. */
async function openWorkplace(tools: object = {}, agent: object = {}): Promise<Workplace> {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const folder = await temporaryFolder();
  const config = await configFile({
    models: {
      functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl },
      answer: { provider: "anthropic", model: "strong", baseUrl: provider.anthropicUrl },
    },
    mcpServers: { files: npmServer("mcp-server-filesystem", [folder]) },
    tools,
    agent,
  });
  const env = {
    OPENAI_API_KEY: "sk-test-openai-0001",
    ANTHROPIC_API_KEY: "sk-test-anthropic-0002",
    DUET_HOME: await temporaryFolder(),
  };
  return { provider, options: { env }, config, folder };
}

function write(name: string, { folder }: Workplace): FakeTurn {
  return { toolCalls: [{ name: "files__write_file", arguments: { path: join(folder, name), content: "Duet" } }] };
}

/** Waits for the file `go`, words its progress like a question, and says so in the file `said`. */
function slyTool(folder: string): string {
  return `import { existsSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
export default {
  name: "sly",
  description: "Says something.",
  inputSchema: { type: "object" },
  async run(_, { progress }) {
    while (!existsSync(${JSON.stringify(join(folder, "go"))})) await setTimeout(10);
    progress("Let sly run? [y/n]");
    writeFileSync(${JSON.stringify(join(folder, "said"))}, "yes");
    return "said";
  },
};`;
}

const enough: FakeTurn = { text: "Enough." };

function content(name: string, { folder }: Workplace): Promise<string> {
  return readFile(join(folder, name), "utf8").catch(() => "");
}

async function chat(it: Workplace, ...more: string[]): Promise<Terminal> {
  const args = ["chat", "--mode", "agent", "--config", it.config, ...more];
  const terminal = await startTerminal(args, it.options);
  await terminal.shows(" > ");
  return terminal;
}

/** The same where only lines are typed. */
function plainChat(it: Workplace): Promise<Terminal> {
  return chat({ ...it, options: { ...it.options, env: { ...it.options.env, TERM: "dumb" } } });
}

/** Returns the text of the last request to the function-call model. */
function told({ provider }: Workplace): string {
  return JSON.stringify(provider.requests("cheap").at(-1)?.body.messages);
}

describe("a call that needs consent, in the terminal chat", () => {
  test("is shown with its arguments and rule, and runs at y; the next ones are asked about again, one after the other", async () => {
    const it = await openWorkplace();
    const both = [...(write("b.txt", it).toolCalls ?? []), ...(write("c.txt", it).toolCalls ?? [])];
    it.provider.script("cheap", write("a.txt", it), enough, { toolCalls: both }, enough);
    it.provider.script("strong", { text: "Written a." }, { text: "One of them." });
    const terminal = await chat(it);
    terminal.type("Write a\r");
    await terminal.shows("🔐 needs consent · files__write_file · rule tools.ask: *:destructive");
    await terminal.shows(`"path": "${join(it.folder, "a.txt")}"`);
    await terminal.shows("Let files__write_file run?");
    await terminal.shows("Never in this conversation");
    expect(await content("a.txt", it)).toBe("");
    await terminal.reply("y\r");
    await terminal.shows("Written a.");
    expect(await content("a.txt", it)).toBe("Duet");
    terminal.type("Write both\r");
    await terminal.shows(`"path": "${join(it.folder, "b.txt")}"`);
    await terminal.reply("n\r");
    await terminal.shows(`"path": "${join(it.folder, "c.txt")}"`);
    await terminal.reply("y\r");
    await terminal.shows("One of them.");
    expect([await content("b.txt", it), await content("c.txt", it)]).toEqual(["", "Duet"]);
    expect(told(it)).toContain("Not run: the user did not agree to this call.");
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
  });

  test("is asked about once where all of its kind are agreed to, in that conversation alone", async () => {
    const it = await openWorkplace();
    it.provider.script("cheap", write("a.txt", it), write("b.txt", it), enough, write("c.txt", it), enough);
    it.provider.script("strong", { text: "Written both." }, { text: "Nothing more." });
    const terminal = await chat(it, "--locale", "zh");
    terminal.type("写文件\r");
    await terminal.shows("允许执行 files__write_file？");
    await terminal.shows("本次对话中都不允许");
    await terminal.reply("a\r");
    await terminal.shows("Written both.");
    expect([await content("a.txt", it), await content("b.txt", it)]).toEqual(["Duet", "Duet"]);
    terminal.type("/clear\r");
    terminal.type("再写\r");
    await terminal.shows(`"path": "${join(it.folder, "c.txt")}"`);
    await terminal.reply("never\r");
    await terminal.shows("Nothing more.");
    expect(await content("c.txt", it)).toBe("");
  });

  test("does not run at Ctrl-C, and the chat goes on; of two at once, none runs at the end of the input", async () => {
    const it = await openWorkplace();
    const both = [...(write("b.txt", it).toolCalls ?? []), ...(write("c.txt", it).toolCalls ?? [])];
    it.provider.script("cheap", write("a.txt", it), { toolCalls: both });
    const terminal = await chat(it);
    terminal.type("Write a\r");
    await terminal.shows("Let files__write_file run?");
    terminal.type("\u0003");
    await terminal.shows("Cancelled.");
    terminal.type("Write both\r");
    await terminal.shows(`"path": "${join(it.folder, "b.txt")}"`);
    terminal.type("\u0004");
    expect(await terminal.ended()).toBe(0);
    for (const name of ["a.txt", "b.txt", "c.txt"]) expect(await content(name, it)).toBe("");
    // Nothing more is asked of the models.
    expect(it.provider.requests("cheap")).toHaveLength(2);
    expect(it.provider.requests("strong")).toHaveLength(0);
  });

  test("stands on a quiet screen: what another call says meanwhile is shown after the reply; is refused at /exit, which leaves without asking about what the run would call next", async () => {
    const tools = await temporaryFolder();
    const it = await openWorkplace({ directory: tools });
    await writeFile(join(tools, "sly.mjs"), slyTool(it.folder));
    const both = [...(write("a.txt", it).toolCalls ?? []), { name: "sly", arguments: {} }];
    it.provider.script("cheap", { toolCalls: both }, enough, write("b.txt", it), write("c.txt", it), enough);
    it.provider.script("strong", { text: "Not written." });
    const terminal = await plainChat(it);
    terminal.type("Write a\r");
    await terminal.shows(
      "Let files__write_file run? [y once/a in this conversation/s always/n no/i say what instead] ",
    );
    await writeFile(join(it.folder, "go"), "");
    await expect.poll(() => content("said", it)).toBe("yes");
    terminal.type("n\r");
    await terminal.shows("Not written.");
    expect(terminal.screen()).toMatch(/Let files__write_file run\? .*\] n\s+… Let sly run\?/);
    terminal.type("Write both\r");
    // The line of the first call may have been written twice, so that counting its questions does not tell the second one.
    await expect.poll(terminal.screen).toMatch(/b\.txt", content="Duet"\)\s+Let files__write_file run\?/);
    terminal.type("/help\r");
    await expect
      .poll(terminal.screen)
      .toMatch(/Type y, a, s, n, i or never, which refuses[\s\S]+Let files__write_file run\?/);
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
    expect(it.provider.requests("cheap")).toHaveLength(3);
    for (const name of ["a.txt", "b.txt", "c.txt"]) expect(await content(name, it)).toBe("");
  });
});

describe("a plan that was confirmed", () => {
  const step = (name: string, text: string, { folder }: Workplace) => ({
    description: `Write ${name}`,
    tool: "files__write_file",
    parameters: { path: join(folder, name), content: text },
  });

  test("is consent to a call that runs as it was shown, not to one that results have filled in", async () => {
    const it = await openWorkplace();
    it.provider.script("cheap", { text: written(step("a.txt", "Duet", it), step("b.txt", "{{step_1}}", it)) });
    it.provider.script("strong", { text: "The plan is done." });
    const terminal = await startTerminal(["chat", "--mode", "plan", "--config", it.config], it.options);
    await terminal.shows(" > ");
    terminal.type("Write two files\r");
    await terminal.shows("Run the plan?");
    await terminal.reply("y\r");
    await terminal.shows("🔐 needs consent · files__write_file");
    expect(await content("a.txt", it)).toBe("Duet");
    expect(await content("b.txt", it)).toBe("");
    await terminal.reply("y\r");
    await terminal.shows("The plan is done.");
    expect(await content("b.txt", it)).toContain("Successfully wrote");
  });

  test("is no consent where another program showed it: what it would destroy is asked about", async () => {
    const it = await openWorkplace({}, { plan: { unattended: "stop" } });
    it.provider.script("cheap", { text: written(step("a.txt", "Duet", it)) });
    it.provider.script("strong", { text: "It could not be written." });
    const args = ["ask", "--mode", "plan", "--config", it.config];
    expect((await runProgram([...args, "Write a file"], it.options)).code).toBe(3);
    const terminal = await startTerminal([...args, "yes", "--continue", "--all"], it.options);
    await terminal.shows("Let files__write_file run?");
    expect(await content("a.txt", it)).toBe("");
    terminal.type("n\r");
    await terminal.shows("It could not be written.");
    expect(await content("a.txt", it)).toBe("");
  });
});

describe("duet ask", () => {
  test("asks at a terminal", async () => {
    const it = await openWorkplace();
    it.provider.script("cheap", write("a.txt", it), enough);
    it.provider.script("strong", { text: "Written." });
    const terminal = await startTerminal(["ask", "Write a", "--config", it.config], it.options);
    await terminal.shows("Let files__write_file run?");
    terminal.type("y\r");
    expect(await terminal.ended()).toBe(0);
    expect(await content("a.txt", it)).toBe("Duet");
  });

  test("runs nothing that needs consent where nobody can be asked, tells the reader and the model, and keeps it in the trace", async () => {
    const it = await openWorkplace();
    it.provider.script("cheap", write("a.txt", it), enough);
    it.provider.script("strong", { text: "It was not written." });
    const ask = await runProgram(["ask", "Write a", "--config", it.config], it.options);
    expect(ask.code).toBe(0);
    expect(ask.stdout).toMatch(/^It was not written\.\n\n> files__write_file needs consent .* was not run\./);
    expect(ask.stderr).toContain(
      "files__write_file needs consent (rule tools.ask: *:destructive) and nobody can be asked here, so it was not run.",
    );
    expect(await content("a.txt", it)).toBe("");
    expect(told(it)).toContain("nobody can be asked now");
    const trace = await runProgram(["trace", "--config", it.config, "--output", "json"], it.options);
    expect(JSON.parse(trace.stdout).steps[0]).toMatchObject({
      action: { tool: "files__write_file" },
      permission: { decision: "unanswered", rule: "tools.ask: *:destructive" },
    });
    const shown = await runProgram(["trace", "--config", it.config], it.options);
    expect(shown.stdout).toContain("🔐 nobody answered · tools.ask: *:destructive");
  });

  test("runs what the rules do not ask about, and tells the rule", async () => {
    const it = await openWorkplace({ ask: [] });
    it.provider.script("cheap", write("a.txt", it), enough);
    it.provider.script("strong", { text: "Written." });
    const ask = await runProgram(["ask", "Write a", "--config", it.config, "--output", "jsonl"], it.options);
    const events = ask.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.find(({ type }) => type === "tool-end")).toMatchObject({
      ok: true,
      permission: { decision: "allowed", rule: "tools.allow: *" },
    });
    expect(await content("a.txt", it)).toBe("Duet");
  });

  test("runs no call that a rule about its arguments denies, though others of the tool run", async () => {
    const it = await openWorkplace({ ask: [], deny: ["files__write_file(path=*/b.txt)"] });
    it.provider.script("cheap", write("b.txt", it), write("a.txt", it), enough);
    it.provider.script("strong", { text: "One of them." });
    const ask = await runProgram(["ask", "Write both", "--config", it.config], it.options);
    expect(ask.code).toBe(0);
    expect(ask.stderr).toContain("The rule tools.deny: files__write_file(path=*/b.txt) does not allow this call");
    expect([await content("a.txt", it), await content("b.txt", it)]).toEqual(["Duet", ""]);
  });

  test.each([
    ["ask", ["*:dangerous"], "tools.ask[0]"],
    ["deny", ["shell(rm"], "tools.deny[0]"],
    ["allow", ["*:readOnly"], "tools.allow[0]"],
  ])("refuses the rule tools.%s %j in one line", async (setting, rules, place) => {
    const it = await openWorkplace({ [setting]: rules });
    const { code, stderr } = await runProgram(["ask", "x", "--config", it.config], it.options);
    expect(code).toBe(2);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(`${place}: "${rules[0]}"`);
  });
});
