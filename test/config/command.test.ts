import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { type ConfigCommand, runConfigCommand } from "../../src/cli/config-command.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import { parseJson } from "../../src/config/sources/parse-json.ts";
import { createStarterFile } from "../../src/config/starter-file.ts";
import { findUnusedSettings } from "../../src/config/unused.ts";
import { lineOf, workplace } from "./workplace.ts";

type Action = Parameters<typeof runConfigCommand>[0];

/** What the command prints. */
async function printed(action: Action, directory: string, command: Partial<ConfigCommand> = {}): Promise<string> {
  const written: string[] = [];
  const environment = { HOME: directory, ...command.environment };
  await runConfigCommand(action, {
    flags: {},
    output: "text",
    directory,
    ...command,
    environment,
    write: (text) => written.push(text),
  });
  return written.join("");
}

/** The cells of the row of a key. */
function row(table: string, key: string): string[] | undefined {
  const lines = table.split("\n").map((line) => line.split(/ {2,}/));
  return lines.find(([name]) => name === key);
}

describe("duet config show", () => {
  const file = JSON.stringify({
    models: { functionCall: { provider: "deepseek", temperature: 0 }, answer: { provider: "anthropic" } },
    agent: { maxIterations: 2 },
    mcpServers: { a: { command: "x", args: ["-y"], env: { LEVEL: "1" } } },
  });

  test("prints each value with where it came from", async () => {
    const directory = workplace({ "duet.config.json": file, ".env": "AGENT_MAX_TOOL_CALLS=7" });
    const path = join(directory, "duet.config.json");
    const table = await printed("show", directory, {
      environment: {
        AGENT_MAX_EXECUTION_TIME: "20",
        DEEPSEEK_API_KEY: "sk-0123456789-0123456789",
        DEEPSEEK_MODEL_VARIANT: "deepseek-reasoner",
        OPENAI_BASE_URL: "http://x/v1",
      },
      flags: { maxTokens: 300 },
    });
    expect(row(table, "key")).toEqual(["key", "value", "origin"]);
    expect(row(table, "agent.maxIterations")).toEqual(["agent.maxIterations", "2", path]);
    expect(row(table, "agent.maxExecutionTime")).toEqual(["agent.maxExecutionTime", "20", "AGENT_MAX_EXECUTION_TIME"]);
    expect(row(table, "agent.maxToolCalls")?.slice(1)).toEqual(["7", `AGENT_MAX_TOOL_CALLS (${directory}/.env)`]);
    expect(row(table, "agent.tokenBudget")?.slice(1)).toEqual(["100000", "default"]);
    expect(row(table, "models.functionCall.provider")?.slice(1)).toEqual(["deepseek", path]);
    expect(row(table, "models.functionCall.model")?.slice(1)).toEqual(["deepseek-reasoner", "DEEPSEEK_MODEL_VARIANT"]);
    expect(row(table, "models.functionCall.apiKey")?.slice(1)).toEqual(["sk-…6789", "DEEPSEEK_API_KEY"]);
    expect(row(table, "models.functionCall.maxTokens")?.slice(1)).toEqual(["2000", "default"]);
    expect(row(table, "models.answer.apiKey")?.slice(1)).toEqual(["null", "ANTHROPIC_API_KEY"]);
    expect(row(table, "models.answer.maxTokens")?.slice(1)).toEqual(["300", "--max-tokens"]);
    expect(row(table, "mcpServers.a.args")?.slice(1)).toEqual(['["-y"]', path]);
    expect(row(table, "mcpServers.a.env.LEVEL")?.slice(1)).toEqual(["…", path]);
    expect(row(table, "mcpServers.a.timeout")?.slice(1)).toEqual(["60", "default"]);
  });

  test("starts all values of a column at one place", async () => {
    const table = await printed("show", workplace(), { environment: { LANG: "zh_CN.UTF-8" } });
    const [header = "", ...lines] = table.trimEnd().split("\n");
    expect(header).toMatch(/^键 +值 +来源$/);
    const ends = lines.map((line) => /^\S+ +/.exec(line)?.[0].length);
    expect(new Set(ends).size).toBe(1);
    expect(header.indexOf("值") + 1).toBe(ends[0]);
  });

  test("shows the model that a key chooses when none is configured, and that none is", async () => {
    const table = await printed("show", workplace(), { environment: { DASHSCOPE_API_KEY: "x" } });
    expect(row(table, "models.functionCall.provider")?.slice(1)).toEqual(["qwen", "DASHSCOPE_API_KEY"]);
    expect(row(await printed("show", workplace()), "models.functionCall")?.slice(1)).toEqual(["null", "default"]);
  });

  test("gives values and origins as JSON", async () => {
    const directory = workplace({ "duet.config.json": file });
    const view: unknown = JSON.parse(await printed("show", directory, { output: "json", flags: { locale: "zh" } }));
    expect(view).toMatchObject({
      values: {
        locale: "zh",
        agent: { maxIterations: 2, maxToolCalls: 5 },
        models: { functionCall: { provider: "deepseek", temperature: 0, apiKey: null } },
        mcpServers: { a: { command: "x", env: { LEVEL: "…" } } },
      },
      origins: {
        locale: { from: "flag", name: "--locale" },
        "agent.maxIterations": { from: "file", name: join(directory, "duet.config.json") },
        "agent.maxToolCalls": { from: "default" },
      },
    });
  });

  test("never prints a secret, wherever it stands", async () => {
    const canary = (place: string): string => `CANARY-${place}-0123456789-end`;
    const says = {
      models: { functionCall: { provider: "local", model: "m", apiKeyEnv: "LOCAL" } },
      providers: { local: { baseUrl: `http://me:${canary("provider")}@127.0.0.1:1/v1` } },
      mcpServers: {
        a: {
          command: "npx",
          args: [
            "--api-key",
            canary("next"),
            `--token=${canary("same")}`,
            `\${SOME_SECRET}`,
            `http://x/?k=${canary("arg")}`,
          ],
          env: { WHATEVER: canary("env") },
        },
        "b-off": { url: `http://x/${canary("segment")}/mcp`, headers: { "X-Odd": canary("header") }, disabled: true },
        env: { url: `http://x/mcp?key=${canary("query")}` },
      },
      email: { host: "smtp.example", from: "a@b.example", password: canary("email") },
      search: { tavily: { apiKey: canary("search") }, searxng: { url: `http://me:${canary("searx")}@x` } },
    };
    const environment = {
      LOCAL: canary("local"),
      SOME_SECRET: canary("expanded"),
      BRAVE_API_KEY: canary("brave"),
      DUET_HTTP_TOKEN: canary("http"),
      DUET_SIGN_IN_SECRET: canary("signin"),
      SMTP_PASSWORD: canary("smtp"),
    };
    const directory = workplace({ "duet.config.json": JSON.stringify(says) });
    for (const output of ["text", "json"] as const) {
      const text = await printed("show", directory, { output, environment });
      expect(text).not.toContain("CANARY");
      expect(text).not.toContain("0123456789");
      expect(text).toContain("http://x/mcp?key=…");
    }
  });

  test("refuses a wrong configuration in one line", async () => {
    const directory = workplace({ "duet.config.json": '{"agent":{"maxIterations":1001}}' });
    expect(await lineOf(printed("show", directory))).toBe(
      "duet.config.json: agent.maxIterations: 1001 is not allowed (allowed: an integer from 1 to 1000)",
    );
  });
});

describe("duet config path", () => {
  test("prints the file in force", async () => {
    const directory = workplace({ "duet.config.json": "{}" });
    const file = join(directory, "duet.config.json");
    expect(await printed("path", directory)).toBe(`${file}\n`);
    expect(JSON.parse(await printed("path", directory, { output: "json" }))).toMatchObject({ file });
  });

  test("prints where one would be looked for when there is none", async () => {
    const directory = workplace();
    const searched = [join(directory, "duet.config.json"), join(directory, ".config/duet/config.json")];
    expect((await printed("path", directory)).trimEnd().split("\n").slice(1)).toEqual(searched);
    expect(JSON.parse(await printed("path", directory, { output: "json" }))).toEqual({ file: null, searched });
  });

  test("does not care what is in the file", async () => {
    expect(await printed("path", workplace({ "duet.config.json": "{" }))).toMatch(/duet\.config\.json\n$/);
  });
});

describe("duet config init", () => {
  test.each(["zh", "en"])("writes a starter file in %s that loads without an error", async (locale) => {
    const directory = workplace();
    const said = await printed("init", directory, { flags: { locale } });
    expect(said).toContain(join(directory, "duet.config.json"));
    expect(readFileSync(join(directory, "duet.config.json"), "utf8").includes("两个模型")).toBe(locale === "zh");
    const config = await loadConfig({}, { HOME: directory }, directory);
    expect(config).toMatchObject({
      locale,
      agent: { maxIterations: 10, maxToolCalls: 25, maxTokens: 8000, functionCallTemperature: 0 },
      servers: [],
      models: {},
    });
    expect(findUnusedSettings(config)).toEqual([]);
  });

  test("writes where --config says", async () => {
    const directory = workplace();
    await printed("init", directory, { flags: { config: "mine.json" } });
    expect(existsSync(join(directory, "mine.json"))).toBe(true);
    expect(existsSync(join(directory, "duet.config.json"))).toBe(false);
  });

  test("never overwrites", async () => {
    const directory = workplace({ "duet.config.json": "mine" });
    const file = join(directory, "duet.config.json");
    expect(await lineOf(printed("init", directory))).toBe(`${file}: already exists and is not overwritten`);
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  test("says so when the file cannot be written", async () => {
    const directory = workplace();
    const file = join(directory, "gone", "duet.json");
    expect(await lineOf(printed("init", directory, { flags: { config: file } }))).toBe(
      `${file}: cannot be written (ENOENT)`,
    );
  });

  test("the starter's examples are right when their comments are taken away", async () => {
    const uncommented = createStarterFile("en").replace(/^( *)\/\/ (?=["}]| {2})/gm, "$1");
    const directory = workplace({ "duet.config.json": uncommented });
    const environment = { HOME: directory, AMAP_MAPS_API_KEY: "a", DOCS_TOKEN: "b" };
    const config = await loadConfig({}, environment, directory);
    expect(config.servers.map(({ name }) => name)).toEqual(["amap", "docs"]);
    expect(config.models).toMatchObject({ functionCall: { provider: "deepseek" }, answer: { provider: "anthropic" } });
    expect(config.providers.local?.baseUrl).toBe("http://127.0.0.1:8000/v1");
    expect(config.tools.directory).toBe(join(directory, "tools"));
    expect(config.web).toMatchObject({ hosts: ["api.example.com", "*.example.org"], reach: ["localhost:8080"] });
    expect(config.email).toMatchObject({ host: "smtp.example.com", from: "Me <me@example.com>" });
  });
});

describe("duet config schema", () => {
  test("is a draft-07 schema that takes the starter and refuses what the program refuses", async () => {
    const schema: unknown = JSON.parse(await printed("schema", workplace()));
    if (typeof schema !== "object" || schema === null) throw new Error("not a schema");
    expect(schema).toMatchObject({
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { agent: { properties: { maxIterations: { minimum: 1, maximum: 1000, default: 5 } } } },
    });
    // The editors' own keywords: the file has comments.
    const validate = new Ajv({ strict: true, keywords: ["allowComments", "allowTrailingCommas"] }).compile(schema);
    const written = { model: "deepseek/deepseek-chat", providers: { mine: { baseUrl: "http://x/v1" } } };
    for (const starter of [createStarterFile("zh"), createStarterFile("en", written)])
      expect(validate(await parseJson(starter, "starter"))).toBe(true);
    expect(validate({ models: { functionCall: "openai/gpt-4o", answer: { provider: "x", fallbacks: ["y/z"] } } })).toBe(
      true,
    );
    expect(validate({ providers: { x: { apiKeyCommand: "a b" }, y: { apiKeyCommand: ["a", "b"] } } })).toBe(true);
    expect(validate({ models: { functionCall: "openai/" } })).toBe(false);
    expect(validate({ providers: { x: { apiKeyCommand: [] } } })).toBe(false);
    expect(validate({ models: { functionCall: { provider: "x", temperature: 2 } } })).toBe(false);
    expect(validate({ agent: { maxIterations: 1001 } })).toBe(false);
    expect(validate({ agent: { maxIteration: 1 } })).toBe(false);
    expect(validate({ mcpServers: { a: { command: 1 } } })).toBe(false);
  });

  test("is where the starter file names it: in the published package of this version", async () => {
    const { $schema } = JSON.parse(JSON.stringify(await parseJson(createStarterFile("en"), "starter")));
    const { name, version, exports, files } = JSON.parse(readFileSync("package.json", "utf8"));
    expect($schema).toBe(`https://unpkg.com/${name}@${version}/dist/config.schema.json`);
    expect(exports["./config.schema.json"]).toBe("./dist/config.schema.json");
    expect(files).toContain("dist");
    expect(readFileSync("dist/config.schema.json", "utf8")).toBe(await printed("schema", workplace()));
  });

  test("describes every key of the agent and of a model", async () => {
    const schema = await printed("schema", workplace());
    expect(schema).toContain('"description": "Rounds of deciding and calling tools."');
    expect(schema).toContain(
      '"description": "0 to below 2 (anthropic: to 1, mistral: to 1.5, moonshot: to 1, zai: to 1, zhipu: to 1, bedrock: to 1, vertex: to 1). Default 0.7."',
    );
  });
});

test("jsonc-parser is loaded only when there is a file", () => {
  const config = new URL("../../src/config/load-config.ts", import.meta.url).href;
  const directory = workplace({ "duet.config.json": "{}" });
  const script = `
    import { createRequire } from "node:module";
    import { loadConfig } from ${JSON.stringify(config)};
    const { cache } = createRequire(${JSON.stringify(config)});
    const isLoaded = () => Object.keys(cache).some((file) => file.includes("jsonc-parser"));
    await loadConfig({}, { HOME: "/nowhere" }, "/nowhere");
    const before = isLoaded();
    await loadConfig({}, { HOME: "/nowhere" }, ${JSON.stringify(directory)});
    console.log(before, isLoaded());
  `;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(output.trim()).toBe("false true");
});
