import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { withOwnProxy } from "../../src/kit/net/proxy-rules.ts";
import { vendors } from "../../src/providers/vendors.ts";
import { load, refusal, workplace } from "./workplace.ts";

const vendorNames = Object.keys(vendors).filter((id) => vendors[id]?.regionOf === undefined);

const understood: [name: string, value: string, read: (config: Config) => unknown, result: unknown][] = [
  ["AGENT_MAX_ITERATIONS", "1", (config) => config.agent.maxIterations, 1],
  ["AGENT_MAX_ITERATIONS", " 10 ", (config) => config.agent.maxIterations, 10],
  ["AGENT_MAX_ITERATIONS", "", (config) => config.agent.maxIterations, 5],
  ["AGENT_MAX_EXECUTION_TIME", "10", (config) => config.agent.maxExecutionTime, 10],
  ["AGENT_MAX_EXECUTION_TIME", "300", (config) => config.agent.maxExecutionTime, 300],
  ["AGENT_MAX_TOOL_CALLS", "50", (config) => config.agent.maxToolCalls, 50],
  ["AGENT_RESULT_MIN_LENGTH", "0", (config) => config.agent.evaluation.minResultLength, 0],
  ["AGENT_VERBOSE", "true", (config) => config.agent.verbose, true],
  ["AGENT_VERBOSE", "FALSE", (config) => config.agent.verbose, false],
  ["AGENT_VERBOSE", "1", (config) => config.agent.verbose, true],
  ["DUET_SCREEN_READER", "1", (config) => config.terminal.screenReader, true],
  ["DUET_SCREEN_READER", "0", (config) => config.terminal.screenReader, false],
  ["DEFAULT_MODE", "plan", (config) => config.agent.terminalMode, "plan"],
  ["DEFAULT_MODE", "agent", (config) => config.agent.mode, undefined],
  ["OLLAMA_BASE_URL", "http://10.0.0.1:11434/v1/", (config) => config.ollama.baseUrl, "http://10.0.0.1:11434/v1"],
  ["OPENAI_API_KEY", "sk-1", (config) => config.candidates.map(({ provider }) => provider), ["openai"]],
  ["TAVILY_API_KEY", "tvly-1", (config) => config.search.tavily?.apiKey, "tvly-1"],
  ["TAVILY_BASE_URL", "http://x/", (config) => config.search.tavily?.baseUrl, "http://x"],
  ["BRAVE_API_KEY", "b", (config) => config.search.brave?.apiKey, "b"],
  ["SERPER_API_KEY", "s", (config) => config.search.serper?.apiKey, "s"],
  ["EXA_API_KEY", "e", (config) => config.search.exa?.apiKey, "e"],
  ["BOCHA_API_KEY", "b", (config) => config.search.bocha?.apiKey, "b"],
  ["ZHIPUAI_API_KEY", "z", (config) => config.search.zhipu?.apiKey, "z"],
  ["ZHIPUAI_BASE_URL", "http://z", (config) => config.search.zhipu?.baseUrl, "http://z"],
  ["SEARXNG_URL", "http://127.0.0.1:8888/", (config) => config.search.searxng?.url, "http://127.0.0.1:8888"],
  ["DUET_HOME", "/var/duet", (config) => config.home, "/var/duet"],
  ["XDG_STATE_HOME", "/var/state", (config) => config.home, "/var/state/duet"],
  ["DUET_HTTP_TOKEN", "t0ken", (config) => config.httpToken, "t0ken"],
  ["DUET_SIGN_IN_SECRET", "s3cret", (config) => config.signInSecret, "s3cret"],
  ["DUET_LOG", "json", (config) => config.serve.log, "json"],
  ["NODE_EXTRA_CA_CERTS", "/etc/ca.pem", (config) => config.network.certificates, "/etc/ca.pem"],
  ["https_proxy", "http://a:1", (config) => config.network.rules, { https: "http://a:1/", noProxy: [] }],
  ["HTTP_PROXY", "a:1", (config) => config.network.rules, { http: "http://a:1/", https: "http://a:1/", noProxy: [] }],
  [
    "ALL_PROXY",
    "https://a",
    (config) => config.network.rules,
    { http: "https://a/", https: "https://a/", noProxy: [] },
  ],
  ["NO_PROXY", "a, b", (config) => config.network.rules, undefined],
  ["LANG", "zh_CN.UTF-8", (config) => config.locale, "zh"],
  ["LANG", "de_DE.UTF-8", (config) => config.locale, "en"],
];

const model = (json: unknown): Record<string, string> => ({ AGENT_FUNCTION_CALL_MODEL: JSON.stringify(json) });

describe("variables", () => {
  test.each(understood)("%s=%s is understood", async (name, value, read, result) => {
    expect(read(await load({ environment: { [name]: value } }))).toEqual(result);
  });

  test.each([
    ["no-such.pem", "does not exist", "不存在"],
    [".", "cannot be read (EISDIR)", "无法读取（EISDIR）"],
    ["empty.pem", "holds no certificates in PEM (allowed: -----BEGIN CERTIFICATE-----)", "不是 PEM 格式的证书"],
  ])(
    "NODE_EXTRA_CA_CERTS=%s, of which Node only warns, is no error, and what is wrong with it is known",
    async (name, en, zh) => {
      const file = join(workplace({ "empty.pem": "" }), name);
      const { network } = await load({ environment: { NODE_EXTRA_CA_CERTS: file } });
      expect(network.rules?.unreadCa).toEqual({ file, problem: { en, zh: expect.stringContaining(zh) } });
      const own = withOwnProxy(network.rules, "http://127.0.0.1:3128/");
      expect([own?.unreadCa, withOwnProxy(network.rules, "direct")?.unreadCa]).toEqual(
        Array(2).fill(network.rules?.unreadCa),
      );
    },
  );

  test("NODE_EXTRA_CA_CERTS=~/ca.pem is read as Node does, which knows no home", async () => {
    const home = workplace({ "ca.pem": "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----" });
    const { network } = await load({ environment: { HOME: home, NODE_EXTRA_CA_CERTS: "~/ca.pem" } });
    expect(network.certificates).toMatch(/\/~\/ca\.pem$/);
    expect(network.rules?.unreadCa?.problem.en).toBe("does not exist");
  });

  test("the defaults are those of docs/development/contract.md#environment", async () => {
    const config = await load({});
    expect(config).toMatchObject({
      file: undefined,
      models: {},
      candidates: [],
      agent: {
        mode: undefined,
        terminalMode: "chat",
        maxIterations: 5,
        maxExecutionTime: 60,
        maxToolCalls: 5,
        maxTokens: 2000,
        tokenBudget: 100_000,
        evaluation: { minResultLength: 20, stopWhenSufficient: false },
        verbose: false,
      },
      servers: [],
      tools: { allow: ["*"], deny: [], ask: ["*:destructive"] },
      search: { enabled: undefined, backend: "auto", maxResults: 5, snippetLength: 200, cacheSize: 20 },
      ollama: { baseUrl: "http://127.0.0.1:11434/v1" },
      locale: "en",
      httpToken: undefined,
    });
    expect(config.models.functionCall).toBeUndefined();
    expect(config.home).toBe(`${config.environment.HOME}/.local/state/duet`);
    expect(config.tools.roots).toEqual([config.environment.HOME]);
  });

  test("LC_ALL is stronger than LANG", async () => {
    expect((await load({ environment: { LC_ALL: "zh_TW.UTF-8", LANG: "en_US.UTF-8" } })).locale).toBe("zh");
  });

  test.each([
    ["AGENT_MAX_ITERATIONS", "11", "11 is not allowed (allowed: an integer from 1 to 10)"],
    ["AGENT_MAX_ITERATIONS", "0", "0 is not allowed (allowed: an integer from 1 to 10)"],
    ["AGENT_MAX_ITERATIONS", "five", "five is not allowed (allowed: an integer from 1 to 10)"],
    ["AGENT_MAX_ITERATIONS", "0x5", "0x5 is not allowed (allowed: an integer from 1 to 10)"],
    ["AGENT_MAX_ITERATIONS", "5\nrm", "5\\nrm is not allowed (allowed: an integer from 1 to 10)"],
    ["AGENT_MAX_EXECUTION_TIME", "9", "9 is not allowed (allowed: an integer from 10 to 300)"],
    ["AGENT_MAX_EXECUTION_TIME", "301", "301 is not allowed (allowed: an integer from 10 to 300)"],
    ["AGENT_MAX_TOOL_CALLS", "10000", "10000 is not allowed (allowed: an integer from 1 to 50)"],
    ["AGENT_MAX_TOOL_CALLS", "51", "51 is not allowed (allowed: an integer from 1 to 50)"],
    ["AGENT_RESULT_MIN_LENGTH", "-1", "-1 is not allowed (allowed: an integer of at least 0)"],
    ["AGENT_VERBOSE", "yes", "yes is not allowed (allowed: true or false)"],
    ["DUET_LOG", "xml", "xml is not allowed (allowed: text, json)"],
    ["DUET_SCREEN_READER", "on", "on is not allowed (allowed: true or false)"],
    ["DEFAULT_MODE", "turbo", "turbo is not allowed (allowed: chat, agent, plan)"],
    ["SEARXNG_URL", "localhost", "localhost is not allowed (allowed: an http or https address)"],
    ["BRAVE_BASE_URL", "x", "x is not allowed (allowed: an http or https address)"],
    ["OPENAI_BASE_URL", "ftp://x", '"…" is not allowed (allowed: an http or https address)'],
    ["DUET_HTTP_TOKEN", "two words", "… is not allowed (allowed: ASCII without spaces)"],
  ])("%s=%s is refused", async (name, value, line) => {
    expect(await refusal({ environment: { [name]: value } })).toBe(`${name}: ${line}`);
  });

  test("an unsupported DEEPSEEK_MODEL_VARIANT is refused, whatever model is in use", async () => {
    const line = await refusal({ environment: { DEEPSEEK_MODEL_VARIANT: "gpt-4", ...model({ provider: "openai" }) } });
    expect(line).toMatch(/^DEEPSEEK_MODEL_VARIANT: "gpt-4" is not allowed \(allowed: deepseek-chat, deepseek-reasoner/);
  });
});

describe("models in variables", () => {
  test("all keys of docs/development/contract.md#environment are understood", async () => {
    const { models } = await load({
      environment: {
        ...model({
          provider: "openai",
          model: "m",
          temperature: 0.3,
          max_tokens: 500,
          top_p: 0.9,
          base_url: "http://127.0.0.1:1/v1/",
          api_key_env: "MY_KEY",
          timeout: 30,
          context_window: 8000,
          reasoning_effort: "low",
          wire: "openai-chat",
        }),
        MY_KEY: "secret",
      },
    });
    expect(models.functionCall).toMatchObject({
      provider: "openai",
      model: "m",
      temperature: 0.3,
      maxTokens: 500,
      topP: 0.9,
      baseUrl: "http://127.0.0.1:1/v1",
      apiKey: "secret",
      timeoutMs: 30_000,
      contextWindow: 8000,
      reasoningEffort: "low",
      wire: "openai-chat",
    });
    expect(models.answer).toBeUndefined();
  });

  test("only the provider is required; the rest has the requirement's defaults", async () => {
    const { models } = await load({ environment: model({ provider: "deepseek" }) });
    expect(models.functionCall).toMatchObject({ model: "deepseek-chat", temperature: 0.7, maxTokens: 2000 });
  });

  test("DEEPSEEK_MODEL_VARIANT is the model of deepseek when none is named", async () => {
    const { models } = await load({
      environment: { ...model({ provider: "deepseek" }), DEEPSEEK_MODEL_VARIANT: "deepseek-reasoner" },
    });
    expect(models.functionCall).toMatchObject({ model: "deepseek-reasoner" });
  });

  test.each([
    [
      '{"provider":"deepseek"',
      /^AGENT_FUNCTION_CALL_MODEL: \{"provider":"deepseek" is not valid JSON \(JSON:1:23: expected \}\); allowed: a JSON object such as/,
    ],
    ["deepseek", /^AGENT_FUNCTION_CALL_MODEL: deepseek is not valid JSON/],
    ['{"provider":"deepseek",}', /is not valid JSON \(JSON:1:24: /],
    ['{"provider":"deepseek"} // x', /is not valid JSON \(JSON:1:25: a comment is not allowed here/],
    ["[]", /^AGENT_FUNCTION_CALL_MODEL: \[\] is not allowed \(allowed: a JSON object such as/],
    ["{}", /^AGENT_FUNCTION_CALL_MODEL: provider: is missing/],
    [
      '{"provider":"deepseek","temperature":2.0}',
      /^AGENT_FUNCTION_CALL_MODEL: temperature: 2 is not allowed \(allowed: a number, 0 <= temperature < 2\)$/,
    ],
    [
      '{"provider":"deepseek","max_tokens":-1}',
      /^AGENT_FUNCTION_CALL_MODEL: max_tokens: -1 is not allowed \(allowed: an integer of at least 1\)$/,
    ],
    [
      '{"provider":"deepseek","top_p":0}',
      /^AGENT_FUNCTION_CALL_MODEL: top_p: 0 is not allowed \(allowed: a number, 0 < top_p <= 1\)$/,
    ],
    [
      '{"provider":"deepseek","maxTokens":1}',
      /^AGENT_FUNCTION_CALL_MODEL: maxTokens: unknown key; did you mean max_tokens\?/,
    ],
    ['{"provider":"deepseek","__proto__":{}}', /^AGENT_FUNCTION_CALL_MODEL: __proto__: unknown key/],
    [
      '{"provider":"anthropic","temperature":1.1}',
      /^AGENT_FUNCTION_CALL_MODEL\.temperature: 1\.1 is not allowed \(allowed: a number, 0 <= temperature <= 1\)$/,
    ],
    [
      '{"provider":"deepseke"}',
      new RegExp(`^AGENT_FUNCTION_CALL_MODEL.*provider.*"deepseke".*${vendorNames.join(", ")}`),
    ],
    ['{"provider":"ollama"}', /^AGENT_FUNCTION_CALL_MODEL.*model/],
  ])("%s is refused in one line that says what is allowed", async (value, line) => {
    expect(await refusal({ environment: { AGENT_FUNCTION_CALL_MODEL: value } })).toMatch(line);
  });

  test("an answer model alone is refused with what to set", async () => {
    const environment = { AGENT_ANSWER_MODEL: '{"provider":"deepseek"}' };
    expect(await refusal({ environment })).toBe(
      "AGENT_ANSWER_MODEL: is not allowed without a function-call model: set models.functionCall, AGENT_FUNCTION_CALL_MODEL or --function-call-model",
    );
  });
});

describe("models that are usable when none is configured", () => {
  test("are the vendors whose key is set, in the order of docs/development/contract.md#environment", async () => {
    const environment = {
      GEMINI_API_KEY: "g",
      DASHSCOPE_API_KEY: "q",
      ANTHROPIC_API_KEY: "a",
      OPENAI_API_KEY: "o",
      DEEPSEEK_API_KEY: "d",
    };
    const { candidates } = await load({ environment });
    expect(candidates.map(({ provider, apiKey }) => `${provider} ${apiKey}`)).toEqual([
      "deepseek d",
      "openai o",
      "anthropic a",
      "qwen q",
      "gemini g",
    ]);
  });

  test("leave out a key that is empty or blank", async () => {
    const { candidates } = await load({ environment: { DEEPSEEK_API_KEY: "", OPENAI_API_KEY: "  " } });
    expect(candidates).toEqual([]);
  });
});
