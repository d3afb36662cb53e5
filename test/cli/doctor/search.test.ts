import { expect, test } from "vitest";
import { findSearchInUse } from "../../../src/app/models/check-models.ts";
import { toSearchFinding } from "../../../src/cli/doctor/doctor.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import { configFile } from "../../fakes/program.ts";

async function finding(variables: Record<string, string>, search: Record<string, unknown> = {}) {
  const config = await configFile({ search });
  return toSearchFinding(await findSearchInUse(await loadConfig({ config }, { HOME: "/nowhere", ...variables })));
}

test("without a key the line names the third parties, in their order", async () => {
  expect(await finding({})).toMatchObject({
    state: "ok",
    name: "Tavily",
    text: {
      en: "api.tavily.com keyless → Exa mcp.exa.ai keyless → Parallel search.parallel.ai keyless (not tried; keyless services are third parties and receive the query)",
      zh: "api.tavily.com 免密钥 → Exa mcp.exa.ai 免密钥 → Parallel search.parallel.ai 免密钥（未试用；免密钥的服务是第三方，会收到搜索词）",
    },
    details: { host: "api.tavily.com", third_party: true },
  });
});

test("it says who has a key, and never the key", async () => {
  const keys = {
    BRAVE_API_KEY: "brave-secret",
    ZHIPUAI_API_KEY: "zhipu-secret",
    SEARXNG_URL: "http://me:pass@sx.example",
  };
  const found = await finding(keys);
  expect(found).toMatchObject({
    name: "Brave",
    text: {
      en: "api.search.brave.com with a key → Zhipu open.bigmodel.cn with a key → SearXNG sx.example (not tried)",
    },
    details: {
      chain: [
        { name: "Brave", key: true, third_party: false },
        { name: "Zhipu", host: "open.bigmodel.cn", key: true },
        { name: "SearXNG", key: false, third_party: false },
      ],
    },
  });
  expect(JSON.stringify(found)).not.toMatch(/secret|pass/);
});

test("one that is named stands alone", async () => {
  expect((await finding({ TAVILY_API_KEY: "k" }, { backend: "parallel" })).text.en).toMatch(
    /^search\.parallel\.ai keyless \(not tried/,
  );
});

test("nobody to ask, and search that is off, are told apart", async () => {
  const nobody = await finding({}, { keyless: false });
  expect(nobody).toMatchObject({ state: "none", hint: { en: expect.stringContaining("TAVILY_API_KEY") } });
  expect(nobody.text.en).toContain("search.keyless is false");
  expect(await finding({}, { enabled: false })).toMatchObject({ state: "none", text: { en: "off" } });
});
