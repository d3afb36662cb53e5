import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createBuiltInPrompts, createPrompts } from "../../src/agent/prompts/prompts.ts";
import { readUserPrompts } from "../../src/app/agent/user-prompts.ts";
import { isRecord } from "../../src/kit/json.ts";
import { lineOf, workplace } from "../config/workplace.ts";
import type { Finished } from "../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

let provider: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider();
  onTestFinished(() => provider.close());
});

interface Place {
  /** Files of the folder `prompts`. */
  prompts: Record<string, string>;
  /** Command of a downstream server. */
  server?: string;
}

/** A directory with a configuration, its prompts, and two models: `cheap` of OpenAI, `claude-strong` of Anthropic. */
function setUp({ prompts, server }: Place): string {
  const config = {
    models: {
      functionCall: { provider: "openai", model: "cheap", baseUrl: provider.openaiUrl },
      answer: { provider: "anthropic", model: "claude-strong", baseUrl: provider.anthropicUrl },
    },
    mcpServers: server === undefined ? {} : { one: { command: "/bin/sh", args: ["-c", server] } },
    prompts: { directory: "./prompts" },
    search: { enabled: false },
  };
  const files = Object.entries(prompts).map(([name, text]) => [`prompts/${name}`, text]);
  return workplace({ "duet.config.json": JSON.stringify(config), ...Object.fromEntries(files) });
}

function run(cwd: string, ...args: string[]): Promise<Finished> {
  const env = { OPENAI_API_KEY: "sk-test-openai-0001", ANTHROPIC_API_KEY: "sk-test-anthropic-0002" };
  return runProgram(args, { cwd, env });
}

function scriptBoth(): void {
  provider.script("cheap", { text: "Enough." });
  provider.script("claude-strong", { text: "Hello." });
}

/** The system prompts that the two models got. */
function systemPrompts(): { decide: unknown; answer: unknown } {
  const messages = provider.requests("cheap")[0]?.body.messages;
  const first: unknown = Array.isArray(messages) ? messages[0] : undefined;
  return {
    decide: isRecord(first) ? first.content : undefined,
    answer: textOf(provider.requests("claude-strong")[0]?.body.system),
  };
}

/** Anthropic takes the system prompt as a text or as blocks. */
function textOf(system: unknown): unknown {
  if (!Array.isArray(system)) return system;
  return system.map((block: unknown) => (isRecord(block) ? block.text : undefined)).join("");
}

describe("the prompts that a model gets", () => {
  test("are the program's own where the folder has none, read from beside the bundle", async () => {
    scriptBoth();
    const { code } = await run(setUp({ prompts: { "chat.md": "x" } }), "ask", "Say hello");
    expect(code).toBe(0);
    const { decide, answer } = systemPrompts();
    const marker = /<<<result ([0-9a-f]+)/.exec(String(decide))?.[1] ?? "";
    const prompts = createPrompts();
    const reader = { model: { provider: "openai", model: "cheap" }, locale: "en" } as const;
    const [, place = ""] = /^You are an agent\.\n(.*)\nUse the tools/.exec(String(decide)) ?? [];
    const values = { marker, place, calls: "5", rounds: "5", search: "", cite: "" };
    expect(decide).toBe(prompts.render("decide", reader, values));
    expect(answer).toBe(prompts.render("answer", reader, values));
  });

  test("are the user's, filled, with JSON left as it is, for the family and language at hand", async () => {
    scriptBoth();
    const directory = setUp({
      prompts: {
        "decide.md": 'Give {"step": {"n": 1}} or {{marker}}.\r\n{untrusted}\r\n',
        "decide.claude.md": "For the other model. {marker}",
        "answer.md": "For any model. {marker}",
        "answer.claude.md": "\uFEFFFor Claude, {marker}.",
        "zh/answer.claude.md": "中文 {marker}",
        "untrusted.md": "Beware of {marker}.",
        "README.md": "Mine: {anything}",
        ".DS_Store": "",
      },
    });
    const { code, stderr } = await run(directory, "ask", "Say hello", "--output", "json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { decide, answer } = systemPrompts();
    expect(decide).toMatch(/^Give \{"step": \{"n": 1\}\} or \{marker\}\.\nBeware of [0-9a-f]{8}\.$/);
    expect(answer).toMatch(/^For Claude, [0-9a-f]{8}\.$/);
  });

  test("tell of a call that failed in the user's words, and of one that could not be made in its own", async () => {
    const toolCalls = ["none.txt", 5].map((path) => ({ name: "read_file", arguments: { path } }));
    provider.script("cheap", { toolCalls }, { text: "Enough." });
    provider.script("claude-strong", { text: "Hello." });
    const directory = setUp({ prompts: { "error.md": "Oh dear, {tool}! {error} Think." } });
    const { code } = await run(directory, "ask", "Read none.txt");
    expect(code).toBe(0);
    const messages = provider.requests("cheap")[1]?.body.messages;
    const results = (Array.isArray(messages) ? messages : []).filter(isRecord).filter(({ role }) => role === "tool");
    expect(results.map(({ content }) => content)).toEqual([
      expect.stringMatching(/^Oh dear, read_file! <<<result (\w+)\n[\s\S]*none\.txt[\s\S]*\nresult \1>>> Think\.$/),
      expect.stringMatching(
        /^<<<result (\w+)\nThe tool call's arguments are not valid:[\s\S]*\nresult \1>>>\nLeft for this question: /,
      ),
    ]);
  });

  test("are the user's Chinese ones for a Chinese question", async () => {
    scriptBoth();
    const prompts = { "zh/answer.md": "中文 {marker}", "en/answer.md": "English {marker}" };
    await run(setUp({ prompts }), "ask", "你好");
    expect(systemPrompts().answer).toMatch(/^中文 [0-9a-f]{8}$/);
  });
});

describe("a folder with a wrong prompt", () => {
  test.each([["ask", "hello"], ["chat"], ["serve"]])(
    "ends duet %s with 2 and one line, before anything runs",
    async (...args) => {
      const directory = setUp({ prompts: { "answer.md": "{marker} {qestion}" }, server: "touch started" });
      const { code, stdout, stderr } = await run(directory, ...args);
      expect(stderr).toBe(
        `duet: ${join(directory, "prompts/answer.md")}: unknown variable {qestion} (allowed: {today}, {day}, {place}, {marker}, {calls}, {rounds}, ` +
          "{guide}, {search}, {cite}, {mark}, {untrusted}; for the braces themselves write {{qestion}})\n",
      );
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(existsSync(join(directory, "started"))).toBe(false);
      expect(provider.journal).toEqual([]);
    },
  );

  test("is a finding of duet doctor, which checks the rest", async () => {
    const directory = setUp({ prompts: { "answer.md": "{marker} {qestion}" } });
    const { code, stdout, stderr } = await run(directory, "doctor", "--locale", "en");
    expect(stdout).toMatch(/^✗ configuration error: .*prompts\/answer\.md: unknown variable \{qestion\}/m);
    expect(stdout).toMatch(/^. model .*cheap/m);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  });

  test("is refused in the reader's language", async () => {
    const directory = setUp({ prompts: { "anser.md": "x" } });
    const { code, stderr } = await run(directory, "ask", "你好", "--locale", "zh");
    expect(stderr).toBe(
      `duet: ${join(directory, "prompts/anser.md")}: 未知的提示词文件，是否想写 answer.md？（允许：NAME.md 或 NAME.模型系列.md，` +
        "可放在 zh/ 或 en/ 下；NAME 是 decide, decide-alone, answer, chat, plan, compress, error, guide, search, cite, mark, untrusted）\n",
    );
    expect(code).toBe(2);
  });

  const names = "decide, decide-alone, answer, chat, plan, compress, error, guide, search, cite, mark, untrusted";
  const allowed = `(allowed: NAME.md or NAME.MODEL-FAMILY.md, also in zh/ or en/, where NAME is one of ${names})`;
  const unmarked = "(the marker of external data, whose instructions a model must not follow)";
  test.each([
    ["an unknown name", { "zh/foo.md": "x" }, `zh/foo.md: unknown prompt file ${allowed}`],
    ["a name in capitals", { "Chat.md": "x" }, `Chat.md: unknown prompt file; did you mean chat.md? ${allowed}`],
    ["another ending", { "chat.txt": "x" }, `chat.txt: unknown prompt file; did you mean chat.md? ${allowed}`],
    [
      "a family of no letters",
      { "chat.-.md": "x" },
      `chat.-.md: unknown prompt file; did you mean chat.md? ${allowed}`,
    ],
    ["an unknown language", { "fr/chat.md": "x" }, `fr: unknown prompt file ${allowed}`],
    ["an empty file", { "chat.md": " \n" }, "chat.md: is empty (a prompt is needed)"],
    ["no file", { "chat.md/x": "" }, "chat.md: is not a file (a text file is needed)"],
    [
      "a misspelt variable",
      { "chat.md": "{toda}" },
      "chat.md: unknown variable {toda}; did you mean {today}? (allowed: {today}, {day}, {place}, {marker}, {calls}, {rounds}, {guide}, {search}, {cite}, {mark}, {untrusted}; for the braces themselves write {{toda}})",
    ],
    [
      "a part in a part",
      { "cite.md": "{untrusted}" },
      "cite.md: unknown variable {untrusted} (allowed: {today}, {day}, {place}, {marker}, {calls}, {rounds}; for the braces themselves write {{untrusted}})",
    ],
    ["no mark", { "decide.md": "x" }, `decide.md: the variable {untrusted} or {marker} is missing ${unmarked}`],
    [
      "an escaped mark",
      { "en/compress.md": "{{marker}}" },
      `en/compress.md: the variable {untrusted} or {marker} is missing ${unmarked}`,
    ],
    [
      "no mark for a family",
      { "answer.gpt.md": "x" },
      `answer.gpt.md: the variable {untrusted} or {marker} is missing ${unmarked}`,
    ],
    ["no mark in the part", { "untrusted.md": "x" }, `untrusted.md: the variable {marker} is missing ${unmarked}`],
    [
      "a plan without tools",
      { "plan.md": "{marker}" },
      "plan.md: the variable {tools} is missing (the available tools)",
    ],
    [
      "an error without its reason",
      { "error.md": "{tool}" },
      "error.md: the variable {error} is missing (the reason of the failure)",
    ],
  ])("is refused for %s", async (_, files, line) => {
    const directory = workplace(files);
    expect(await lineOf(readUserPrompts(directory))).toBe(`${directory}/${line}`);
  });

  test("that is not there is refused by its key", async () => {
    const missing = join(workplace(), "none");
    expect(await lineOf(readUserPrompts(missing))).toBe(
      `prompts.directory: ${missing}: cannot be read: ENOENT (a folder of prompts is needed)`,
    );
  });

  test("that is a file is refused by its key", async () => {
    const file = join(workplace({ "chat.md": "x" }), "chat.md");
    expect(await lineOf(readUserPrompts(file))).toBe(
      `prompts.directory: ${file}: cannot be read: ENOTDIR (a folder of prompts is needed)`,
    );
  });

  test("a pipe is refused instead of read for ever", async () => {
    const directory = workplace();
    execFileSync("mkfifo", [join(directory, "chat.md")]);
    expect(await lineOf(readUserPrompts(directory))).toBe(
      `${directory}/chat.md: is not a file (a text file is needed)`,
    );
  });
});

test("every name, also with families and languages, is taken", async () => {
  const directory = workplace({
    "chat.md": "x",
    "chat.gpt-4.1.md": "x",
    "decide-alone.deepseek.md": "{marker}",
    "zh/plan.md": "{tools}{untrusted}",
    "en/guide.qwen3.md": "{today}",
  });
  const own = await readUserPrompts(directory);
  expect(own.map(({ name, family, locale }) => [name, family, locale])).toEqual([
    ["chat", "gpt-4.1", undefined],
    ["chat", undefined, undefined],
    ["decide-alone", "deepseek", undefined],
    ["guide", "qwen3", "en"],
    ["plan", undefined, "zh"],
  ]);
});

describe("duet prompts", () => {
  test("lists each prompt with its use and the files that replace it, and shows the one that the models in use get", async () => {
    const directory = setUp({ prompts: { "answer.claude.md": "Mine {marker}", "zh/chat.md": "聊" } });
    const list = await run(directory, "prompts");
    expect(list).toMatchObject({ code: 0, stderr: "" });
    const rows = list.stdout.split("\n").map((line) => line.split(/ {2,}/));
    expect(rows).toContainEqual(["answer", "the answer", `built in, ${join(directory, "prompts/answer.claude.md")}`]);
    expect(rows).toContainEqual(["error", "what the model reads of a call that failed", "built in"]);
    const json: unknown = JSON.parse((await run(directory, "prompts", "list", "--output", "json")).stdout);
    expect(json).toMatchObject({
      directory: join(directory, "prompts"),
      prompts: expect.arrayContaining([
        expect.objectContaining({
          name: "chat",
          files: [{ file: join(directory, "prompts/zh/chat.md"), language: "zh", family: null }],
        }),
      ]),
    });
    expect((await run(directory, "prompts", "show", "answer")).stdout).toBe("Mine {marker}\n");
    expect((await run(directory, "prompts", "show", "chat")).stdout).toMatch(/^You are a helpful assistant/);
    expect((await run(directory, "prompts", "show", "chat", "--locale", "zh")).stdout).toBe("聊\n");
    const wrong = await run(directory, "prompts", "show", "anser");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/^duet: prompts: "anser" .*\(allowed: decide, .*; did you mean answer\?\)\n$/);
  });

  test("exports the built-in prompts into a folder that the configuration can name, and keeps what is there", async () => {
    const directory = setUp({ prompts: { "en/error.md": "Mine: {error}" } });
    const { code, stdout } = await run(directory, "prompts", "export", "prompts", "error", "plan");
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      "Wrote prompts/en/plan.md",
      "Wrote prompts/zh/error.md",
      "Wrote prompts/zh/plan.md",
      "Exists and stays as it is: prompts/en/error.md",
      expect.stringContaining('"prompts": { "directory": "./prompts" }'),
      "",
    ]);
    expect((await run(directory, "prompts", "export", "all", "--output", "json")).code).toBe(0);
    // What was exported is accepted as it is, and says the same as what is built in.
    const own = await readUserPrompts(join(directory, "all"));
    const texts = createBuiltInPrompts();
    expect(own).toHaveLength(24);
    expect(own.filter(({ name, locale = "en", text }) => text !== texts(name, locale))).toEqual([]);
    const refused = await run(directory, "prompts", "export", "duet.config.json");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toBe("duet: duet.config.json/en: cannot be written (ENOTDIR)\n");
    // Node's recursive mkdir never returns there.
    const nowhere = await run(directory, "prompts", "export", "/proc/duet-prompts");
    expect(nowhere).toMatchObject({ code: 2, stdout: "" });
    expect(nowhere.stderr).toMatch(/^duet: \/proc\/duet-prompts\/en: cannot be written \(\w+\)\n$/);
  });
});
