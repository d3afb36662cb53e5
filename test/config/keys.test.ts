import { describe, expect, test } from "vitest";
import { limitRows } from "../../src/core/limits/limits.ts";
import { searchBackendNames } from "../../src/tools/search/search-backends.ts";
import { load, refusal } from "./workplace.ts";

/** The tree that says `value` at `agent.maxIterations`. */
function at(path: string, value: unknown): unknown {
  return path.split(".").reduceRight((inner: unknown, key) => ({ [key]: inner }), value);
}

const accepted: [path: string, value: unknown][] = [
  ["$schema", "./schema.json"],
  ["agent.mode", "plan"],
  ["agent.rules", "first"],
  ["agent.maxIterations", 1],
  ["agent.maxIterations", 1000],
  ["agent.maxExecutionTime", 10],
  ["agent.maxExecutionTime", 86_400],
  ["agent.maxToolCalls", 1],
  ["agent.maxToolCalls", 10_000],
  ["agent.maxTokens", 1],
  ["agent.tokenBudget", 1],
  ["agent.evaluation.minResultLength", 0],
  ["agent.evaluation.stopWhenSufficient", true],
  ["agent.evaluation.module", "./evaluate.js"],
  ["agent.verbose", true],
  ["agent.acceptAnswer", true],
  ["models.functionCall", { provider: "deepseek", temperature: 0 }],
  ["models.functionCall", { provider: "deepseek", temperature: 1.99, topP: 1, maxTokens: 1 }],
  ["models.functionCall", { provider: "anthropic", temperature: 1 }],
  ["models.functionCall", { provider: "dashscope", model: "qwen-plus", reasoningEffort: "high" }],
  ["models.functionCall", { provider: "ollama", model: "qwen3", timeout: 3600, contextWindow: 1 }],
  ["models.functionCall", { provider: "openai", baseUrl: "http://localhost:1/v1", apiKeyEnv: "MY_KEY" }],
  ["models.functionCall", { provider: "openai", model: "m", wire: "anthropic-messages" }],
  ["models.functionCall", { provider: "ollama", model: "gemma3", toolCalls: "text" }],
  ["models.functionCall", { provider: "offline" }],
  ["providers.local", { wire: "openai-chat", baseUrl: "http://127.0.0.1:8000/v1", apiKeyEnv: "LOCAL_KEY" }],
  ["providers.openai", { baseUrl: "https://proxy.example/v1" }],
  ["providers.openai.prices", { "gpt-4o": { input: 2.5, output: 10, cachedInput: 0, cacheWrite: 3 } }],
  ["mcpServers.amap", { command: "npx", args: ["-y"], env: { A: "" }, cwd: "." }],
  ["servers.docs-1", { url: "https://example.com/mcp" }],
  ["inputs", [{ id: "key" }]],
  ["tools.allow", []],
  ["tools.deny", ["a*"]],
  ["tools.ask", ["*"]],
  ["tools.directory", "./tools"],
  ["tools.roots", ["/", "~/notes"]],
  ["search.enabled", false],
  ["search.keyless", false],
  ["web.hosts", ["api.example.com", "*.example.org:8443", "*"]],
  [
    "web.reach",
    ["localhost:8080", "*.corp.example", "*:80", "10.0.0.0/8", "10.0.0.1:*", "[::1]:80", "fd00::1", "fc00::/7"],
  ],
  ["web.ports", [1, 65_535]],
  ["web.proxy", "inherit"],
  ["network", { proxy: "http://ada:pw@proxy.example:3128", noProxy: ["10.0.0.0/8", "*.corp"] }],
  ["network.proxy", "direct"],
  ["providers.openai.proxy", "https://proxy.example"],
  ["mcpServers.docs", { url: "https://example.com/mcp", proxy: "direct" }],
  ["search.proxy", "proxy.example:3128"],
  ["email", { host: "smtp.example.com", user: "me@example.com", recipients: ["*@example.com"] }],
  ["email", { host: "::1", port: 25, secure: false, from: "Duet <duet@example.com>" }],
  ["email", { host: "smtp", from: '"Duet, Inc." <duet@example.com>' }],
  ["search.backend", "tavily"],
  ["search.maxResults", 20],
  ["search.snippetLength", 20],
  ["search.cacheSize", 0],
  ["search.tavily", { apiKey: "x", baseUrl: "http://127.0.0.1:1" }],
  ["search.searxng.url", "http://127.0.0.1:8888"],
  ["prompts.directory", "./prompts"],
  ["terminal", { theme: "light", screenReader: true }],
  ["store.keepDays", 1],
  ["store.maxSize", 1_000_000],
  ["locale", "zh"],
];

const integers: [path: string, bad: unknown[], allowed: string][] = [
  ["agent.maxIterations", [0, 1001, 1.5, "5", true, [5]], "an integer from 1 to 1000"],
  ["agent.maxExecutionTime", [9, 86_401, 10.5], "an integer from 10 to 86400"],
  ["agent.maxToolCalls", [0, 10_001], "an integer from 1 to 10000"],
  ["agent.maxTokens", [0, -5], "an integer of at least 1"],
  ["agent.tokenBudget", [0, 1e300], "an integer of at least 1"],
  ["agent.evaluation.minResultLength", [-1], "an integer of at least 0"],
  ["search.maxResults", [0, 21], "an integer from 1 to 20"],
  ["search.snippetLength", [19, 2001], "an integer from 20 to 2000"],
  ["search.cacheSize", [-1, 1001], "an integer from 0 to 1000"],
  ["email.port", [0, 65_536, "25"], "an integer from 1 to 65535"],
  ["models.functionCall.maxTokens", [0, -1, "2000"], "an integer of at least 1"],
  ["models.functionCall.contextWindow", [0], "an integer of at least 1"],
  ["models.functionCall.temperature", [-0.1, 2, 2.5, "0"], "a number, 0 <= temperature < 2"],
  ["models.functionCall.topP", [0, 1.1], "a number, 0 < topP <= 1"],
  ["models.functionCall.timeout", [0, 3601], "a number, 1 <= timeout <= 3600"],
  ["mcpServers.a.timeout", [0, 600_000], "a number, 1 <= timeout <= 3600"],
  ["mcpServers.a.startTimeout", [0, 601], "a number, 1 <= startTimeout <= 600"],
  ["mcpServers.a.maxConcurrent", [0, 1.5], "an integer from 1 to 1000"],
  ["mcpServers.a.callsPerSecond", [0, 1001], "a number, 0 < callsPerSecond <= 1000"],
];

const others: [path: string, value: unknown, line: string][] = [
  ["agent", null, "agent: null is not allowed (allowed: an object)"],
  ["agent.mode", "Chat", 'agent.mode: "Chat" is not allowed (allowed: chat, agent, plan)'],
  ["agent.verbose", "true", 'agent.verbose: "true" is not allowed (allowed: true or false)'],
  ["agent.evaluation.module", "", 'agent.evaluation.module: "" is not allowed (allowed: a non-empty string)'],
  ["tools.allow", "*", 'tools.allow: "*" is not allowed (allowed: a list)'],
  ["tools.deny", ["ok", ""], 'tools.deny[1]: "" is not allowed (allowed: a non-empty string)'],
  ["tools.ask", [1], "tools.ask[0]: 1 is not allowed (allowed: a non-empty string)"],
  ["tools.roots", [], "tools.roots: [] is not allowed (allowed: a non-empty list)"],
  ["search.backend", "bing", `search.backend: "bing" is not allowed (allowed: auto, ${searchBackendNames.join(", ")})`],
  ["search.searxng.url", "ftp://x", 'search.searxng.url: "ftp://x" is not allowed (allowed: an http or https address)'],
  [
    "search.tavily.baseUrl",
    "http://",
    'search.tavily.baseUrl: "http://" is not allowed (allowed: an http or https address)',
  ],
  ["search.backend", "searxng", "search.backend: searxng needs an address: set SEARXNG_URL or search.searxng.url"],
  ["search.backend", "brave", "search.backend: brave needs a key: set BRAVE_API_KEY"],
  ["search.backend", "zhipu", "search.backend: zhipu needs a key: set ZHIPUAI_API_KEY"],
  [
    "web.hosts",
    ["https://api.example.com"],
    'web.hosts[0]: "https://api.example.com" is not allowed (allowed: a host or a pattern of hosts, without https:// and path)',
  ],
  ...["10.0.0.0/33", "fc00::/129", "localhost:65536", "http://localhost", "a/8", "[::g]", ""].map(
    (entry): [string, unknown, string] => [
      "web.reach",
      ["*", entry],
      `web.reach[1]: ${JSON.stringify(entry)} is not allowed (allowed: a host, an address or a range, with a port or without, such as localhost:8080, 10.0.0.0/8)`,
    ],
  ),
  ["web.ports", [80, 0], "web.ports[1]: 0 is not allowed (allowed: an integer from 1 to 65535)"],
  [
    "email",
    { host: "smtp.example.com:465" },
    'email.host: "smtp.example.com:465" is not allowed (allowed: a host or an address, without a port)',
  ],
  ["email", { host: "smtp.example.com", user: "me" }, "email.host: mail needs a sender: set SMTP_FROM or email.from"],
  ...["nobody", "a@b.example, c@d.example", "a@b.example\r\nBcc: c"].map((from): [string, unknown, string] => [
    "email",
    { host: "smtp.example.com", from },
    `email.from: ${JSON.stringify(from)} is not allowed (allowed: name@example.com or Name <name@example.com>)`,
  ]),
  ["terminal.theme", "blue", 'terminal.theme: "blue" is not allowed (allowed: auto, dark, light)'],
  ["terminal.screenReader", "yes", 'terminal.screenReader: "yes" is not allowed (allowed: true or false)'],
  ["prompts.directory", 1, "prompts.directory: 1 is not allowed (allowed: a non-empty string)"],
  ["store.keepDays", 0, "store.keepDays: 0 is not allowed (allowed: an integer from 1 to 36500)"],
  ["locale", "fr", 'locale: "fr" is not allowed (allowed: zh, en)'],
  [
    "providers.local.wire",
    "soap",
    'providers.local.wire: "soap" is not allowed (allowed: openai-chat, openai-responses, anthropic-messages)',
  ],
  ["providers.local.baseUrl", "x", 'providers.local.baseUrl: "x" is not allowed (allowed: an http or https address)'],
  [
    "providers.offline",
    {},
    'providers.offline: "offline" is not allowed (allowed: 1 to 40 letters, digits, _ . -, and not offline)',
  ],
  ["models.functionCall.provider", "", 'models.functionCall.provider: "" is not allowed (allowed: a non-empty string)'],
  [
    "models.functionCall",
    { provider: "openai", wire: "x" },
    'models.functionCall.wire: "x" is not allowed (allowed: openai-chat, openai-responses, anthropic-messages)',
  ],
];

describe("keys of the file", () => {
  test.each(accepted)("%s takes %j", async (path, value) => {
    await expect(load({ file: at(path, value) })).resolves.toBeDefined();
  });

  test.each(integers.flatMap(([path, values, allowed]) => values.map((value) => [path, value, allowed] as const)))(
    "%s refuses %j",
    async (path, value, allowed) => {
      const shown = Array.isArray(value) ? "[…]" : typeof value === "string" ? JSON.stringify(value) : String(value);
      const [first = "", second = ""] = path.split(".");
      const rest = first === "models" ? { provider: "openai" } : first === "mcpServers" ? { command: "x" } : undefined;
      const key = path.split(".").at(-1) ?? "";
      const file = rest ? { [first]: { [second]: { ...rest, [key]: value } } } : at(path, value);
      expect(await refusal({ file })).toBe(`duet.config.json: ${path}: ${shown} is not allowed (allowed: ${allowed})`);
    },
  );

  test.each(others)("%s refuses %j", async (path, value, line) => {
    expect(await refusal({ file: at(path, value) })).toBe(`duet.config.json: ${line}`);
  });

  test("an unknown key is refused with the key that was meant and all that are allowed", async () => {
    const limits = limitRows.map(({ key }) => key).join(", ");
    const allowed = `mode, ${limits}, budgets, functionCallTemperature, onLimit, finishAnswer, keepHistory, rules, acceptAnswer, repeatable, plan, evaluation, verbose`;
    expect(await refusal({ file: { agent: { max_iterations: 5 } } })).toBe(
      `duet.config.json: agent.max_iterations: unknown key; did you mean maxIterations? (allowed: ${allowed})`,
    );
    expect(await refusal({ file: { agent: { colour: 5 } } })).toBe(
      `duet.config.json: agent.colour: unknown key (allowed: ${allowed})`,
    );
    expect(await refusal({ file: { modles: {} } })).toMatch(
      /^duet\.config\.json: modles: unknown key; did you mean models\?/,
    );
  });

  test.each(["home", "httpToken", "terminalMode", "constructor", "toString"])(
    "%s is no key of the file",
    async (key) => {
      expect(await refusal({ file: { [key]: "x" } })).toMatch(`duet.config.json: ${key}: unknown key`);
    },
  );

  test("the file of docs/development/contract.md#configuration is understood", async () => {
    const config = await load({
      file: {
        models: {
          functionCall: { provider: "deepseek", model: "deepseek-chat", temperature: 0 },
          answer: { provider: "anthropic", model: "claude-sonnet-5-5", maxTokens: 3000 },
        },
        providers: { local: { wire: "openai-chat", baseUrl: "http://127.0.0.1:8000/v1", apiKeyEnv: "LOCAL_KEY" } },
        agent: {
          mode: "agent",
          maxIterations: 5,
          maxExecutionTime: 60,
          maxToolCalls: 5,
          maxTokens: 2000,
          tokenBudget: 100000,
          evaluation: { minResultLength: 20, stopWhenSufficient: false, module: "./evaluate.js" },
        },
        mcpServers: {
          amap: { command: "npx", args: ["-y", "x"], env: { AMAP_MAPS_API_KEY: `\${AMAP_MAPS_API_KEY}` } },
          docs: {
            type: "http",
            url: "https://example.com/mcp",
            headers: { Authorization: `Bearer \${DOCS_TOKEN}` },
            includeTools: ["search*"],
            timeout: 60,
            maxConcurrent: 4,
            callsPerSecond: 3,
          },
        },
        tools: { allow: ["*"], deny: [], ask: ["*:destructive"], directory: "./tools", roots: ["."] },
        search: { backend: "auto", maxResults: 5, snippetLength: 200, cacheSize: 20 },
        prompts: { directory: "./prompts" },
        locale: "zh",
      },
      environment: { AMAP_MAPS_API_KEY: "amap", DOCS_TOKEN: "docs" },
    });
    expect(config.models).toMatchObject({
      functionCall: { provider: "deepseek", model: "deepseek-chat", temperature: 0, maxTokens: 2000 },
      answer: { provider: "anthropic", model: "claude-sonnet-5-5", temperature: 0.7, maxTokens: 3000 },
    });
    expect(config.servers).toEqual([
      {
        name: "amap",
        transport: {
          type: "stdio",
          command: "npx",
          args: ["-y", "x"],
          env: { AMAP_MAPS_API_KEY: "amap" },
          inheritEnv: [],
        },
        timeoutMs: 60_000,
        startTimeoutMs: 30_000,
        start: "eager",
        sampling: false,
      },
      {
        name: "docs",
        transport: { type: "http", url: "https://example.com/mcp", headers: { Authorization: "Bearer docs" } },
        includeTools: ["search*"],
        timeoutMs: 60_000,
        startTimeoutMs: 30_000,
        start: "eager",
        sampling: false,
        maxConcurrent: 4,
        callsPerSecond: 3,
      },
    ]);
    expect(config.locale).toBe("zh");
  });
});
