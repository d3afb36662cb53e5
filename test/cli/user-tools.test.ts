import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { AgentEvent } from "../../src/core/run/events.ts";
import { allDead, processesIn } from "../client/servers.ts";
import { workplace } from "../config/workplace.ts";
import { scriptedModel } from "../fakes/model.ts";
import {
  collect,
  configFile,
  program,
  programEnvironment,
  runProgram as runInOwnProcess,
  startProgram,
} from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { startFakeSearch } from "../fakes/search.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";
import { patienceMs } from "../runner/patience.ts";

const files = {
  "tools/weather.ts": `import { defineTool } from "duet-mcp";
import { z } from "zod";

export default defineTool({
  name: "weather",
  description: "Tells the weather in a city today.",
  inputSchema: z.object({ city: z.string().describe("The city") }),
  run: ({ city }) => { console.log("\\u001b[2Jlooking"); return { city, temperature: 21 }; },
});
`,
  "tools/broken.mjs": "export default {",
  "tools/echo.js": `export default { name: "echo", description: "Mine.", inputSchema: {}, run: () => "mine" };`,
  "tools/word-count/SKILL.md":
    "---\nname: word-count\ndescription: Counts the words of a text.\n---\nRun scripts/count.sh.",
  "tools/word-count/scripts/count.sh": "wc -w",
  "tools/Bad/SKILL.md": "Text.",
};

const settings = { tools: { directory: "./tools" }, search: { enabled: false } };

function directory(more: Record<string, unknown> = {}, others: Record<string, string> = files): string {
  return workplace({ "duet.config.json": JSON.stringify({ ...settings, ...more }), ...others });
}

const left = [
  "✗ broken.mjs: does not load: SyntaxError: Unexpected end of input",
  "✗ Bad/SKILL.md: the name of its folder is not allowed (allowed: 1 to 64 lower-case letters, digits or -)",
  "✗ The tool echo is defined twice: the one from builtin is used, the one from user is skipped.",
];

describe("the user's own tools, in the built program", () => {
  test("are listed beside the others, and what cannot be used is named", async () => {
    const cwd = directory();
    const { code, stdout, stderr } = await runProgram(["tools", "--locale", "en"], { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^user · ready · 1 tool · about \d+ tokens\n {2}weather +Tells the weather in a city today\.$/m,
    );
    expect(stdout).toMatch(/^skills · ready · 2 tools · about \d+ tokens\n {2}skill .*\n {2}skill_script /m);
    expect(stdout.trimEnd().split("\n").slice(-3)).toEqual(left);
    const { stdout: json } = await runProgram(["tools", "--output", "json", "--locale", "zh"], { cwd });
    const { tools, dropped } = JSON.parse(json);
    expect(tools).toContainEqual(expect.objectContaining({ name: "weather", source: "user" }));
    expect(tools).toContainEqual(
      expect.objectContaining({
        name: "skill_script",
        source: "skills",
        annotations: { destructive: true, openWorld: true },
      }),
    );
    expect(dropped).toContainEqual({
      name: "broken.mjs",
      source: "user",
      reason: "broken",
      message: "broken.mjs: 无法加载：SyntaxError: Unexpected end of input",
    });
  });

  test("can be called by hand, and what a module prints stays off stdout", async () => {
    const cwd = directory({ tools: { ...settings.tools, ask: [] } });
    const call = (...args: string[]) => runProgram(["tools", "call", ...args], { cwd });
    expect(await call("weather", '{"city":"Kyoto"}')).toEqual({
      code: 0,
      stdout: '{"city":"Kyoto","temperature":21}\n',
      stderr: "\\u{1b}[2Jlooking\n",
    });
    expect(await call("weather", "{}", "--locale", "zh")).toEqual({
      code: 1,
      stdout: "",
      stderr: "工具调用参数格式错误：\n- city: 字段是必需的（缺失）\n\n请修正参数后重试。\n",
    });
    const script = { name: "word-count", script: "count.sh", stdin: "one two three" };
    expect(await call("skill_script", JSON.stringify(script))).toMatchObject({ code: 0, stdout: "3\n" });
  });

  test("answer a question, beside a notice of what is left out", async () => {
    const provider = await startFakeProvider();
    onTestFinished(() => provider.close());
    provider.script("cheap", { toolCalls: [{ name: "weather", arguments: { city: "Kyoto" } }] }, { text: "Enough." });
    provider.script("strong", { text: "It is 21 degrees." });
    const model = (id: string) => ({ provider: "openai", model: id, baseUrl: provider.openaiUrl });
    const cwd = directory({ models: { functionCall: model("cheap"), answer: model("strong") } });
    const env = { OPENAI_API_KEY: "sk-test-openai-0001" };
    const { code, stdout } = await runProgram(["ask", "Weather?", "--output", "jsonl", "--locale", "en"], { cwd, env });
    expect(code).toBe(0);
    const events = stdout
      .trim()
      .split("\n")
      .map((line): AgentEvent => JSON.parse(line));
    expect(events.filter(({ type }) => type === "tool-end")).toMatchObject([{ tool: "weather", ok: true }]);
    const notices = events.filter((event) => event.type === "notice" && event.code === "tool-broken");
    expect(notices).toMatchObject(
      left.map((line) => ({
        level: "warning",
        message: line.replace("✗", "One of your own tools was skipped:"),
      })),
    );
    const [first, second] = provider.requests("cheap");
    expect(JSON.stringify(first?.body?.tools)).toContain("- word-count: Counts the words of a text.");
    expect(JSON.stringify(second?.body?.messages)).toContain("temperature");
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: { response: "It is 21 degrees." } });
  });

  test("lie in the directory of configuration when nobody says where", async () => {
    const home = workplace({ "duet/tools/weather.ts": files["tools/weather.ts"] });
    const { code, stdout } = await runProgram(["tools"], { env: { XDG_CONFIG_HOME: home } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^user · ready · 1 /m);
  });

  test("are told by duet doctor", async () => {
    const cwd = directory();
    const { code, stdout } = await runProgram(["doctor", "--locale", "en"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain(`✓ own tools ${join(cwd, "tools")}: weather, skill, skill_script\n`);
    for (const line of left) expect(stdout).toContain(`${line.replace("✗", "✗ own tools:")}\n`);
  });

  test("leave no script behind when Duet is killed", async () => {
    const body = `require("node:fs").appendFileSync("journal", JSON.stringify({ pid: process.pid }) + "\\n");
process.on("SIGTERM", () => {});
setInterval(() => {}, 1000);`;
    const cwd = directory(
      { tools: { ...settings.tools, ask: [] } },
      {
        "tools/stay/SKILL.md": "Stays.",
        "tools/stay/scripts/stay.cjs": body,
      },
    );
    const child = await startProgram(["tools", "call", "skill_script", '{"name":"stay","script":"stay.cjs"}'], { cwd });
    const finished = collect(child);
    const pids = await processesIn(join(cwd, "tools/stay/journal"), 1);
    child.kill("SIGKILL");
    await finished;
    await allDead(pids);
  });
});

describe("a directory of tools that somebody named and that is not there", () => {
  test.each(["ask", "tools", "serve", "doctor"])("ends duet %s with 2 and one line", async (command) => {
    const cwd = directory({}, {});
    const { code, stdout, stderr } = await runProgram([command, "--locale", "zh"], { cwd, stdin: "1+1" });
    expect(stderr).toBe(
      `duet: tools.directory: ${join(cwd, "tools")}: 无法读取：ENOENT（需要：放工具和技能的文件夹）\n`,
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
});

describe("the user's own tools, in the agent", () => {
  async function open(cwd: string, model: ReturnType<typeof scriptedModel>, more: Record<string, string> = {}) {
    const config = await loadConfig({ locale: "en" }, { HOME: cwd, ...more }, cwd);
    const duet = await openDuet(config, { models: { functionCall: model, answer: model } });
    onTestFinished(() => duet.close());
    return duet;
  }

  test("what is left out is told once a conversation", async () => {
    const duet = await open(directory({}, { "tools/Bad/SKILL.md": "Text." }), scriptedModel(["a", "b", "c"]));
    const told = async (conversationId: string): Promise<number> => {
      const events = await Array.fromAsync(duet.ask({ question: "Hi", conversationId }));
      return events.filter((event) => event.type === "notice" && event.code === "tool-broken").length;
    };
    expect([await told("one"), await told("one"), await told("two")]).toEqual([1, 0, 1]);
  });

  test("are not loaded for a chat that only searches", async () => {
    const search = await startFakeSearch({ "*": [{ title: "t", url: "https://a.example", content: "c" }] });
    onTestFinished(() => search.close());
    const module = `import { writeFileSync } from "node:fs";
writeFileSync(new URL("loaded", import.meta.url), "");
export default { name: "own", description: "d", inputSchema: {}, run: () => 1 };`;
    const cwd = workplace({ "duet.config.json": JSON.stringify({ tools: settings.tools }), "tools/own.mjs": module });
    const duet = await open(cwd, scriptedModel(["One [1].", "Two."]), { SEARXNG_URL: search.url });
    const loaded = join(cwd, "tools/loaded");
    await Array.fromAsync(duet.ask({ question: "What?", mode: "chat", search: true }));
    expect({ searched: search.journal.length, loaded: existsSync(loaded) }).toEqual({ searched: 1, loaded: false });
    await Array.fromAsync(duet.ask({ question: "What?" }));
    expect(existsSync(loaded)).toBe(true);
  });

  test("a program that embeds Duet has none unless it says where", async () => {
    const { createDuet } = await import("../../src/app/create-duet.ts");
    const file = await configFile({ search: { enabled: false } });
    await using duet = await createDuet({ configFile: file });
    expect((await duet.tools()).filter(({ source }) => source !== "builtin")).toEqual([]);
  });
});

describe("a module that misbehaves beyond its call", () => {
  const lost = "What it kept in memory is lost; the next call starts it again.";
  const tool = (run: string): string =>
    `export default { name: "odd", description: "Odd.", inputSchema: {}, run: ${run} };`;

  test("what it throws later ends its call with a readable error", async () => {
    const late = `() => { setTimeout(() => { throw new Error("late"); }, 5); return new Promise(() => {}); }`;
    const cwd = directory({}, { "tools/odd.mjs": tool(late) });
    const { code, stdout, stderr } = await runInOwnProcess(["tools", "call", "odd", "{}"], { cwd });
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr: `odd.mjs ended: nothing caught its error: Error: late. ${lost}\n`,
    });
  });

  test("ending the process in its call ends the module alone, and is no success", async () => {
    const cwd = directory({}, { "tools/odd.mjs": tool("() => process.exit(0)") });
    const { code, stderr } = await runInOwnProcess(["tools", "call", "odd", "{}"], { cwd });
    expect(stderr).toBe(`odd.mjs ended: it called process.exit(0). ${lost}\n`);
    expect(code).toBe(1);
  });

  test("ending the process while it loads leaves the module out", async () => {
    const cwd = directory({}, { "tools/odd.mjs": `process.exit(0);\n${tool('() => "x"')}` });
    const { stdout } = await runInOwnProcess(["tools", "--locale", "en"], { cwd });
    expect(stdout).toContain("✗ odd.mjs: ended while it was loading: it called process.exit(0)\n");
  });

  test("a thread that never comes back leaves the server to answer others, and is ended when its caller leaves", async () => {
    // It blocks the thread as an endless loop does, but leaves the processor alone.
    const block = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";
    const cwd = directory(
      { tools: { ...settings.tools, ask: [] } },
      {
        "tools/odd.mjs": tool(
          `({ blocks }, { progress }) => { if (blocks) { progress("blocking"); ${block}; } return "odd"; }`,
        ),
        "tools/fine.mjs": `export default { name: "fine", description: "d", inputSchema: {}, run: () => "fine" };`,
      },
    );
    const env = await programEnvironment();
    const client = new Client({ name: "test", version: "0" });
    const args = [program, "serve", "--expose", "tools"];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: "pipe" }));
    onTestFinished(() => client.close());
    const leave = new AbortController();
    const blocking = Promise.withResolvers<void>();
    const endless = client.callTool({ name: "odd", arguments: { blocks: true } }, undefined, {
      signal: leave.signal,
      onprogress: () => blocking.resolve(),
    });
    endless.catch(() => {});
    await blocking.promise;
    const fine = { content: [{ type: "text", text: "fine" }] };
    expect(await client.callTool({ name: "fine", arguments: {} })).toMatchObject(fine);
    leave.abort();
    await expect(endless).rejects.toThrow();
    // The same module again, in the thread that is ended or in the next one.
    await vi.waitFor(
      async () => {
        const again = await client.callTool({ name: "odd", arguments: {} });
        expect(again).toMatchObject({ content: [{ type: "text", text: "odd" }] });
      },
      { timeout: patienceMs },
    );
  });
});

test("a call of a tool whose server has failed says why the server is not there", async () => {
  const mcpServers = { k8s: { command: process.execPath, args: ["-e", "process.exit(3)"] } };
  const cwd = workplace({ "duet.config.json": JSON.stringify({ mcpServers }) });
  const { code, stderr } = await runProgram(["tools", "call", "k8s__pods", "{}"], { cwd });
  expect(stderr).toMatch(/^duet: MCP server k8s cannot be used: .*exit code 3/m);
  expect(stderr).not.toContain("no tool named");
  expect(code).not.toBe(0);
});
