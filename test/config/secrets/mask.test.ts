import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isDatabaseAddress } from "../../../src/config/schema/database-address.ts";
import { hideSecrets, maskAddress, maskSecret, maskTree, maskValue } from "../../../src/config/secrets/mask.ts";
import { listSecrets } from "../../../src/config/secrets/secrets.ts";
import { load, refusal } from "../workplace.ts";

describe("a masked secret", () => {
  test.each([
    ["sk-abcdefghijklmnopcdef", "sk-…cdef"],
    ["tvly-abcdefghijklmnop", "tvly-…mnop"],
    ["abcdefghijklmnop", "…mnop"],
    ["abcdefghijklmno", "…"],
    ["", "…"],
  ])("%s is shown as %s", (secret, shown) => {
    expect(maskSecret(secret)).toBe(shown);
  });

  test("shows never more than its last four characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 80 }), (secret) => {
        const shown = maskSecret(secret)
          .replace(/^(sk-|tvly-)/, "")
          .replace("…", "");
        expect(shown.length).toBeLessThanOrEqual(4);
        expect(secret.endsWith(shown)).toBe(true);
      }),
    );
  });
});

test.each([
  ["https://x.com/v1", "https://x.com/v1"],
  ["https://me:pass1word@x.com:81/mcp", "https://…@x.com:81/mcp"],
  ["https://x.com/sse?key=abcdefghijklmnop1&v=1", "https://x.com/sse?key=…nop1&v=…"],
  ["https://x.com/s/abcdefghij0123456789/mcp", "https://x.com/s/…6789/mcp"],
  ["https://x.com/#token", "https://x.com/#…"],
  ["not an address", "…"],
])("the address %s is shown as %s", (address, shown) => {
  expect(maskAddress(address)).toBe(shown);
});

test.each([
  ["key sk-abcdefghijklmnop1234 refused", "key sk-…1234 refused"],
  ["Authorization: Bearer sk-abcdefghijklmnop1234", "Authorization: Bearer sk-…1234"],
  ['{"api_key":"canary-canary-canary"}', '{"api_key":"…nary"}'],
  ["password=hunter2", "password=…"],
  ["the known-secret-of-mine", "the …mine"],
  ["postgres://bob:hunter2pass99@db/x, redis://:p@ss@h", "postgres://bob:…@db/x, redis://:…@h"],
  ["http://h:80/a@b and https://h/x:y@z", "http://h:80/a@b and https://h/x:y@z"],
  ["api_key_env is OPENAI_API_KEY, max_tokens: 2000", "api_key_env is OPENAI_API_KEY, max_tokens: 2000"],
])("in %j secrets are hidden", (text, shown) => {
  expect(hideSecrets(text, ["known-secret-of-mine", "is"])).toBe(shown);
});

test("the secrets of a configuration are all those that a log could repeat", async () => {
  const file = {
    models: { functionCall: { provider: "local", model: "m", apiKeyEnv: "LOCAL" } },
    providers: { local: { baseUrl: "http://me:provider-pass@127.0.0.1:1/v1" } },
    mcpServers: {
      amap: {
        command: "npx",
        args: [
          "-y",
          "--api-key",
          "argument-one",
          "--token=argument-two",
          "http://x/?key=argument-three",
          "pg://u:argument-4@h/d",
        ],
        env: { AMAP_MAPS_API_KEY: "amap-secret", LOG_LEVEL: "information" },
      },
      docs: {
        url: "https://x.com/mcp?key=query%2Dsecret",
        headers: { Authorization: "Bearer header-secret", Accept: "application/json" },
      },
    },
    search: { searxng: { url: "http://me:searx-pass@127.0.0.1:2" } },
    store: { url: "postgres://me:database-pass@127.0.0.1:3/duet" },
  };
  const environment = {
    LOCAL: "local-secret",
    TAVILY_API_KEY: "tavily-secret",
    DUET_HTTP_TOKEN: "http-token-secret",
    GITHUB_TOKEN: "github-secret",
    TINY_KEY: "tiny",
  };
  const secrets = listSecrets(await load({ file, environment }));
  expect([...secrets].sort()).toEqual(
    [
      "Bearer header-secret",
      "amap-secret",
      "argument-4",
      "argument-one",
      "argument-three",
      "argument-two",
      "database-pass",
      "github-secret",
      "header-secret",
      "http-token-secret",
      "local-secret",
      "provider-pass",
      "query%2Dsecret",
      "query-secret",
      "searx-pass",
      "tavily-secret",
    ].sort(),
  );
  expect(secrets.map(({ length }) => length)).toEqual(secrets.map(({ length }) => length).sort((a, b) => b - a));
});

test.each([
  ["duet:abc/def+ghi=@db/duet"],
  ["duet:ge heim@db/duet"],
  ["duet:ge/he@im@db/duet"],
  ["duet:/geheim@db/duet"],
  ["duet:geheim-longer-pass#1234@db/duet"],
])("nothing of the password in the address of a database is shown: %s", (rest) => {
  expect(maskValue(`postgres://${rest}`, ["store", "url"], [])).toBe('"postgres://duet:***@db/duet"');
  expect(isDatabaseAddress(`postgres://${rest}`)).toBe(false);
});

describe("no error shows a secret", () => {
  const canary = "canary-0123456789-canary";
  const visible = canary.slice(0, 12);

  test.each([
    [{ models: { functionCall: { provider: "openai", apiKeyEnv: canary } } }],
    [{ models: { functionCall: { provider: "openai", apiKey: canary } } }],
    [{ models: { functionCall: { provider: "openai", model: [canary] } } }],
    [{ mcpServers: { a: { command: "x", env: { KEY: [canary] } } } }],
    [{ mcpServers: { a: { command: "x", env: canary } } }],
    [{ mcpServers: { a: { url: "http://x", headers: { Authorization: `${canary}\n` } } } }],
    [{ mcpServers: { a: { url: `ftp://me:${canary}@x` } } }],
    [{ mcpServers: { a: { command: "x", args: `--api-key=${canary}` } } }],
    [{ agent: { mode: `\${SECRET_KEY}` } }],
    [{ agent: { maxIterations: canary } }],
    [{ search: { tavily: { apiKey: { value: canary } } } }],
  ])("%j", async (file) => {
    expect(await refusal({ file, environment: { SECRET_KEY: canary } })).not.toContain(visible);
  });

  test.each([
    ["AGENT_FUNCTION_CALL_MODEL", `{"provider":"openai","api_key":"${canary}"`],
    ["AGENT_FUNCTION_CALL_MODEL", `{"provider":"openai","api_key":"${canary}"}`],
    ["AGENT_FUNCTION_CALL_MODEL", `{"provider":"openai","base_url":"ftp://${canary}@x"}`],
    ["AGENT_MAX_ITERATIONS", canary],
    ["OPENAI_BASE_URL", canary],
    ["DEEPSEEK_MODEL_VARIANT", canary],
    ["DUET_HTTP_TOKEN", `${canary} `],
  ])("%s=%s", async (name, value) => {
    expect(await refusal({ environment: { [name]: value, OTHER_KEY: canary } })).not.toContain(visible);
  });
});

test("what a provider's headers and query hold, and who a proxy is told we are, is masked where the configuration is shown", () => {
  const tree = {
    providers: { local: { headers: { "x-team": "team-secret-1234567" }, query: { code: "query-secret-1234567" } } },
    network: { proxy: "http://ada:pw@proxy.example:3128" },
    web: { proxy: "ada:pw@proxy.example:3128" },
  };
  expect(maskTree(tree, [])).toEqual({
    providers: { local: { headers: { "x-team": "…4567" }, query: { code: "…4567" } } },
    network: { proxy: "http://…@proxy.example:3128" },
    web: { proxy: "…@proxy.example:3128" },
  });
});
