import { mkdirSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { describe, expect, test } from "vitest";
import { getFallbackLocale, loadConfig } from "../../src/config/load-config.ts";
import { listSearchedPaths } from "../../src/config/sources/find-file.ts";
import { lineOf, load, refusal, workplace } from "./workplace.ts";

const iterations = (value: number): string => JSON.stringify({ agent: { maxIterations: value } });

describe("which file", () => {
  test("--config is stronger than the directory's file, which is stronger than the user's", async () => {
    const directory = workplace({
      "asked.json": iterations(1),
      "here/duet.config.json": iterations(2),
      "xdg/duet/config.json": iterations(3),
    });
    const environment = { HOME: directory, XDG_CONFIG_HOME: join(directory, "xdg") };
    const read = async (flags: { config?: string }, place: string) => {
      const { file, agent } = await loadConfig(flags, environment, join(directory, place));
      return [file, agent.maxIterations];
    };
    expect(await read({ config: "../asked.json" }, "here")).toEqual([join(directory, "asked.json"), 1]);
    expect(await read({}, "here")).toEqual([join(directory, "here/duet.config.json"), 2]);
    expect(await read({}, ".")).toEqual([join(directory, "xdg/duet/config.json"), 3]);
  });

  test.each(["", ".", "home"])(
    "a home of %j names no folder, so that nothing of the current one counts as the user's own",
    (HOME) => {
      const [, users] = listSearchedPaths({ HOME, USERPROFILE: HOME }, "/work");
      expect(isAbsolute(users)).toBe(true);
      expect(users).not.toContain("/work");
    },
  );

  test("the user's file is below ~/.config when XDG_CONFIG_HOME is absent or relative", async () => {
    const directory = workplace({ "home/.config/duet/config.json": iterations(3) });
    const environment = { HOME: join(directory, "home"), XDG_CONFIG_HOME: "relative" };
    expect((await loadConfig({}, environment, directory)).agent.maxIterations).toBe(3);
  });

  test("a file that was asked for and is not there is refused by name", async () => {
    expect(await refusal({ flags: { config: "gone.json" } })).toBe("gone.json: there is no such file");
  });

  test("seen from the root, a file keeps its whole path", async () => {
    const gone = join(workplace(), "gone.json");
    expect(await lineOf(loadConfig({ config: gone }, {}, "/"))).toBe(`${gone}: there is no such file`);
  });

  test("a directory, a file that is too large and bytes that are no text are refused", async () => {
    const directory = workplace({ "large.json": " ".repeat(1_000_001) });
    writeFileSync(join(directory, "bytes.json"), Buffer.from([0x7b, 0xff, 0x7d]));
    const line = (config: string) => lineOf(loadConfig({ config }, { HOME: directory }, directory));
    expect(await line(".")).toBe(`${directory}: is not a regular file`);
    expect(await line("large.json")).toBe("large.json: 1000001 bytes are too many (allowed: at most 1000000 bytes)");
    expect(await line("bytes.json")).toBe("bytes.json: is not UTF-8 text");
  });
});

describe("which value", () => {
  test("flags win over the environment, the environment over the file, the file over the defaults", async () => {
    const file = { agent: { maxIterations: 2, maxToolCalls: 2, maxExecutionTime: 20 } };
    const environment = { AGENT_MAX_ITERATIONS: "3", AGENT_MAX_TOOL_CALLS: "3" };
    const { agent, origins, file: path } = await load({ file, environment, flags: { maxIterations: 4 } });
    expect(agent).toMatchObject({ maxIterations: 4, maxToolCalls: 3, maxExecutionTime: 20, tokenBudget: 100_000 });
    expect(origins).toMatchObject({
      "agent.maxIterations": { from: "flag", name: "--max-iterations" },
      "agent.maxToolCalls": { from: "environment", name: "AGENT_MAX_TOOL_CALLS" },
      "agent.maxExecutionTime": { from: "file", name: path },
      "agent.tokenBudget": { from: "default" },
    });
  });

  test("a stronger source does not save a wrong value of a weaker one", async () => {
    const said = { file: { agent: { maxIterations: 9999 } }, flags: { maxIterations: 1 } };
    expect(await refusal(said)).toMatch(/^duet\.config\.json: agent\.maxIterations: 9999/);
  });

  test("a model is replaced as a whole", async () => {
    const file = { models: { functionCall: { provider: "deepseek", model: "deepseek-chat", temperature: 0 } } };
    const { models } = await load({ file, flags: { functionCallModel: "openai/gpt-6.1-terra" } });
    expect(models.functionCall).toMatchObject({ provider: "openai", model: "gpt-6.1-terra", temperature: 0.7 });
  });

  test.each([
    ["deepseek", "deepseek", "deepseek-chat"],
    ["ollama/library/qwen3:8b", "ollama", "library/qwen3:8b"],
    ['{"provider":"qwen","model":"qwen-plus","max_tokens":9}', "qwen", "qwen-plus"],
    ["offline", "offline", "rules"],
  ])("--function-call-model %s is understood", async (functionCallModel, provider, model) => {
    expect((await load({ flags: { functionCallModel } })).models.functionCall).toMatchObject({ provider, model });
  });

  test.each([
    [
      { functionCallModel: "deepseek/" },
      /^--function-call-model: "deepseek\/" is not allowed \(allowed: provider, provider\/model, or/,
    ],
    [{ functionCallModel: "" }, /^--function-call-model: "" is not allowed/],
    [{ functionCallModel: "{" }, /^--function-call-model: \{ is not valid JSON/],
    [{ answerModel: "deepseek" }, /^--answer-model: is not allowed without a function-call model/],
    [{ mode: "turbo" }, /^--mode: turbo is not allowed \(allowed: chat, agent, plan\)$/],
    [{ maxIterations: Number.NaN }, /^--max-iterations: NaN is not allowed \(allowed: an integer from 1 to 1000\)$/],
    [{ maxToolCalls: 10_001 }, /^--max-tool-calls: 10001 is not allowed/],
    [{ maxExecutionTime: 1 }, /^--max-execution-time: 1 is not allowed/],
    [{ maxTokens: 0 }, /^--max-tokens: 0 is not allowed/],
    [{ locale: "fr" }, /^--locale: fr is not allowed \(allowed: zh, en\)$/],
    [{ tools: [""] }, /^--tools: \[0\]: "" is not allowed/],
  ])("%j is refused", async (flags, line) => {
    expect(await refusal({ flags })).toMatch(line);
  });

  test("--no-tools adds to what the file denies, --tools replaces what it allows", async () => {
    const file = { tools: { allow: ["a*"], deny: ["secret*"] } };
    const { tools } = await load({ file, flags: { tools: ["b*"], noTools: ["c*"] } });
    expect(tools).toMatchObject({ allow: ["b*"], deny: ["secret*", "c*"] });
  });

  test("--mode is stronger than DEFAULT_MODE, which is stronger than the file in the terminal", async () => {
    const file = { agent: { mode: "plan" } };
    const modes = async (said: Parameters<typeof load>[0]) => {
      const { mode, terminalMode } = (await load(said)).agent;
      return { mode, terminalMode };
    };
    const environment = { DEFAULT_MODE: "chat" };
    expect(await modes({ file })).toEqual({ mode: "plan", terminalMode: "plan" });
    expect(await modes({ file, environment })).toEqual({ mode: "plan", terminalMode: "chat" });
    expect(await modes({ file, environment, flags: { mode: "agent" } })).toEqual({
      mode: "agent",
      terminalMode: "agent",
    });
    expect(await modes({ environment })).toEqual({ mode: undefined, terminalMode: "chat" });
  });

  test("--search and --no-search are told apart from silence", async () => {
    expect((await load({ flags: { search: true } })).search.enabled).toBe(true);
    expect((await load({ flags: { search: false } })).search.enabled).toBe(false);
    expect((await load({})).search.enabled).toBeUndefined();
  });

  test("agent.maxTokens is for models that name none, --max-tokens for the one that answers", async () => {
    const two = {
      agent: { maxTokens: 1000 },
      models: { functionCall: { provider: "deepseek" }, answer: { provider: "openai", maxTokens: 3000 } },
    };
    const limits = async (said: Parameters<typeof load>[0]) => {
      const { functionCall, answer } = (await load(said)).models;
      return [functionCall, answer].map((model) => (model && "wire" in model ? model.maxTokens : undefined));
    };
    expect(await limits({ file: two })).toEqual([1000, 3000]);
    expect(await limits({ file: two, flags: { maxTokens: 50 } })).toEqual([1000, 50]);
    expect(await limits({ flags: { functionCallModel: "deepseek", maxTokens: 50 } })).toEqual([50, undefined]);
  });

  test("agent.functionCallTemperature is for the model that picks tools, where it names none", async () => {
    const agent = { functionCallTemperature: 0.1 };
    const heats = async (models: unknown, environment = {}) => {
      const config = await load({ file: { agent, models }, environment });
      return [config.models.functionCall ?? config.candidates[0], config.models.answer].map((model) =>
        model && "wire" in model ? [model.temperature, model.temperatureSet] : undefined,
      );
    };
    const answer = { provider: "openai" };
    expect(await heats({ functionCall: { provider: "deepseek" }, answer })).toEqual([
      [0.1, false],
      [0.7, false],
    ]);
    expect(await heats({ functionCall: { provider: "deepseek", temperature: 1.5 } })).toEqual([[1.5, true], undefined]);
    expect(await heats({}, { ANTHROPIC_API_KEY: "key" })).toEqual([[0.1, false], undefined]);
  });

  test("the base URL of the environment wins over the file's vendor, a model's own over both", async () => {
    const file = { providers: { openai: { baseUrl: "http://file/v1" } } };
    const environment = { OPENAI_BASE_URL: "http://environment/v1" };
    const address = async (said: Parameters<typeof load>[0], functionCallModel: string) =>
      (await load({ ...said, flags: { functionCallModel } })).models.functionCall;
    expect(await address({ file }, "openai")).toMatchObject({ baseUrl: "http://file/v1" });
    expect(await address({ file, environment }, "openai")).toMatchObject({ baseUrl: "http://environment/v1" });
    const own = '{"provider":"openai","base_url":"http://own/v1"}';
    expect(await address({ file, environment }, own)).toMatchObject({ baseUrl: "http://own/v1" });
  });

  test("a flag's locale wins over the file's, the file's over LANG", async () => {
    const environment = { LANG: "zh_CN.UTF-8" };
    expect((await load({ file: { locale: "en" }, environment })).locale).toBe("en");
    expect((await load({ file: { locale: "en" }, environment, flags: { locale: "zh" } })).locale).toBe("zh");
  });

  test("a configuration that cannot be read is told in the language of the flag or of the terminal", () => {
    expect(getFallbackLocale({}, { LANG: "zh_CN.UTF-8" })).toBe("zh");
    expect(getFallbackLocale({ locale: "en" }, { LANG: "zh_CN.UTF-8" })).toBe("en");
    expect(getFallbackLocale({ locale: "fr" }, {})).toBe("en");
  });
});

describe("paths", () => {
  test("of the file start at the file, the default roots at the current directory", async () => {
    const says = {
      agent: { evaluation: { module: "./evaluate.js" } },
      tools: { directory: "tools", roots: [".", "~/notes", "/etc"] },
      prompts: { directory: "../prompts" },
      mcpServers: { a: { command: "x", cwd: "work" } },
    };
    const directory = workplace({ "etc/duet.json": JSON.stringify(says), "empty.json": "{}" });
    const read = (config: string) => loadConfig({ config }, { HOME: "/home/me" }, directory);
    const { agent, tools, prompts, servers } = await read("etc/duet.json");
    expect(agent.evaluation.module).toBe(join(directory, "etc/evaluate.js"));
    expect(tools.directory).toBe(join(directory, "etc/tools"));
    expect(tools.roots).toEqual([join(directory, "etc"), "/home/me/notes", "/etc"]);
    expect(prompts.directory).toBe(join(directory, "prompts"));
    expect(servers[0]?.transport).toMatchObject({ cwd: join(directory, "etc/work") });
    expect((await read("empty.json")).tools.roots).toEqual([directory]);
  });
});

describe(".env", () => {
  test("beside the file is read, and the environment wins over it unless it is empty", async () => {
    const directory = workplace({
      "etc/duet.json": JSON.stringify({ mcpServers: { a: { command: `\${SERVER}` } } }),
      "etc/.env": 'SERVER="from file"\nAGENT_MAX_ITERATIONS=2\nAGENT_MAX_TOOL_CALLS=2\nDUET_HOME=/env # x\n',
      ".env": "AGENT_MAX_ITERATIONS=9",
    });
    const environment = { HOME: directory, AGENT_MAX_TOOL_CALLS: "3", AGENT_MAX_ITERATIONS: "" };
    const config = await loadConfig({ config: "etc/duet.json" }, environment, directory);
    expect(config.agent).toMatchObject({ maxIterations: 2, maxToolCalls: 3 });
    expect(config.home).toBe("/env");
    expect(config.servers[0]?.transport).toMatchObject({ command: "from file" });
    expect(config.environment).toMatchObject({ SERVER: "from file", AGENT_MAX_TOOL_CALLS: "3" });
    expect(config.origins["agent.maxIterations"]).toEqual({
      from: "environment",
      name: "AGENT_MAX_ITERATIONS",
      file: join(directory, "etc/.env"),
    });
    expect(config.origins["agent.maxToolCalls"]).toEqual({ from: "environment", name: "AGENT_MAX_TOOL_CALLS" });
  });

  test("of the current directory is read when there is no file", async () => {
    const directory = workplace({ ".env": "DEFAULT_MODE=plan" });
    expect((await loadConfig({}, { HOME: directory }, directory)).agent.terminalMode).toBe("plan");
  });

  test("of the current directory is read beside the user's file that has none", async () => {
    const own = ".config/duet/.env";
    const files = { ".config/duet/config.json": "{}", ".env": "AGENT_MAX_ITERATIONS=9" };
    const read = async (directory: string) =>
      (await loadConfig({}, { HOME: directory }, directory)).agent.maxIterations;
    expect(await read(workplace(files))).toBe(9);
    expect(await read(workplace({ ...files, [own]: "AGENT_MAX_ITERATIONS=2" }))).toBe(2);
    expect(await read(workplace({ ...files, [own]: "" }))).toBe(5);
  });

  test("that cannot be read is refused", async () => {
    const directory = workplace();
    mkdirSync(join(directory, ".env"));
    expect(await lineOf(loadConfig({}, { HOME: directory }, directory))).toBe(".env: is not a regular file");
  });
});
