import { describe, expect, test } from "vitest";
import { readChangedModel } from "../../src/config/models/changed-model.ts";
import { describeUnused } from "../../src/config/unused.ts";
import { load, refusal } from "./workplace.ts";

const unset = `\${NOT_SET}`;
const key = "sk-test-0123456789abcdef";

describe("a variable that is not set leaves out what needs it", () => {
  test("one server, which is named with its variable; the others are used", async () => {
    const config = await load({
      file: {
        mcpServers: {
          amap: { command: "npx", args: ["-y", unset], env: { KEY: unset, OTHER: `\${ALSO_NOT_SET}` } },
          good: { command: "x" },
          off: { command: unset, disabled: true },
        },
        servers: { docs: { url: `https://\${NOT_SET}/mcp` } },
      },
    });
    expect(config.servers.map(({ name }) => name)).toEqual(["good"]);
    expect(config.unsetParts.map(({ kind, name, variable }) => [kind, name, variable])).toEqual([
      ["server", "amap", "NOT_SET"],
      ["server", "docs", "NOT_SET"],
    ]);
    expect(describeUnused(config).map(({ en }) => en)).toEqual([
      expect.stringMatching(
        /^the server amap is left out: duet\.config\.json: mcpServers\.amap\.args\[1\]: the variable NOT_SET is not set/,
      ),
      expect.stringMatching(/^the server docs is left out: /),
    ]);
    expect(describeUnused(config)[0]?.zh).toMatch(/^不使用服务器 amap：/);
  });

  test("one provider, which matters for a model of it alone", async () => {
    const providers = { local: { baseUrl: unset }, openai: { baseUrl: unset } };
    const environment = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key };
    const config = await load({ file: { providers, models: { functionCall: "anthropic/claude-x" } }, environment });
    expect(config.models.functionCall).toMatchObject({ provider: "anthropic", apiKey: key });
    expect(describeUnused(config)).toEqual([]);
    const line = /^duet\.config\.json: providers\.(local|openai)\.baseUrl: the variable NOT_SET is not set/;
    for (const functionCall of ["local/m", { provider: "anthropic", model: "m", fallbacks: ["openai"] }]) {
      expect(await refusal({ file: { providers, models: { functionCall } }, environment })).toMatch(line);
    }
  });

  test("a known vendor whose address is not set gets its key at no other address", async () => {
    const providers = { openai: { baseUrl: unset } };
    const config = await load({ file: { providers }, environment: { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key } });
    expect(config.candidates.map(({ provider }) => provider)).toEqual(["anthropic"]);
    const role = { role: "answer", name: "/model", maxTokens: 10 } as const;
    await expect(readChangedModel("openai/gpt-4o", role, config)).rejects.toThrow(/NOT_SET is not set/);
  });

  test("the key of a search service, but never the address of one", async () => {
    const config = await load({ file: { search: { brave: { apiKey: unset } } } });
    expect(config.search.brave?.apiKey).toBeUndefined();
    expect(describeUnused(config).map(({ en }) => en)).toEqual([
      expect.stringMatching(/^the key of brave is left out: /),
    ]);
    expect(await refusal({ file: { search: { searxng: { url: unset } } } })).toMatch(/search\.searxng\.url: .*NOT_SET/);
    expect(await refusal({ file: { search: { backend: "brave", brave: { apiKey: unset } } } })).toMatch(
      /BRAVE_API_KEY/,
    );
  });
});

describe("a model of the file may be written as provider/model", () => {
  test("in both roles and in the list of fallbacks, with the origins of an object", async () => {
    const functionCall = { provider: "deepseek", fallbacks: ["openai/gpt-4o-mini"] };
    const file = { models: { functionCall, answer: "openrouter/meta-llama/llama-4:free" } };
    const { models, origins } = await load({ file });
    expect(models.functionCall).toMatchObject({ fallbacks: [{ provider: "openai", model: "gpt-4o-mini" }] });
    expect(models.answer).toMatchObject({ provider: "openrouter", model: "meta-llama/llama-4:free" });
    expect(origins["models.answer.model"]).toMatchObject({ from: "file" });
    const short = await load({ file: { models: { functionCall: "openai/gpt-4o-mini" } } });
    const long = await load({ file: { models: { functionCall: { provider: "openai", model: "gpt-4o-mini" } } } });
    expect(short.models).toEqual(long.models);
    expect((await load({ file: { models: { functionCall: "offline" } } })).models.functionCall?.provider).toBe(
      "offline",
    );
  });

  test.each([
    ["", '"" is not allowed (allowed: provider, provider/model, or an object)'],
    ["openai/", '"openai/" is not allowed (allowed: provider, provider/model, or an object)'],
    [5, "5 is not allowed (allowed: provider, provider/model, or an object)"],
  ])("%j is refused, and both forms are named", async (functionCall, line) => {
    expect(await refusal({ file: { models: { functionCall } } })).toBe(
      `duet.config.json: models.functionCall: ${line}`,
    );
  });

  test("a provider that does not exist is named as in an object", async () => {
    const line = await refusal({ file: { models: { functionCall: "opnai/gpt-4o" } } });
    expect(line).toMatch(
      /^duet\.config\.json: models\.functionCall\.provider: "opnai" is not allowed \(allowed: deepseek,/,
    );
  });
});
