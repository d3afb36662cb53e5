import { globSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Source } from "../../../src/core/tools/tool.ts";
import { bocha } from "../../../src/tools/search/backends/bocha.ts";
import { brave } from "../../../src/tools/search/backends/brave.ts";
import { duckduckgo } from "../../../src/tools/search/backends/duckduckgo.ts";
import { exa, exaMcp } from "../../../src/tools/search/backends/exa.ts";
import { parallel } from "../../../src/tools/search/backends/parallel.ts";
import { searxng } from "../../../src/tools/search/backends/searxng.ts";
import { serper } from "../../../src/tools/search/backends/serper.ts";
import { tavily } from "../../../src/tools/search/backends/tavily.ts";
import { zhipu } from "../../../src/tools/search/backends/zhipu.ts";
import { readAnswer } from "../../../src/tools/search/read-answer.ts";
import type { SearchAnswer, SearchWire } from "../../../src/tools/search/wire.ts";
import { folderNamedBy, requires } from "../../runner/requirements.ts";
import { ownSamples, readSample, type SampleSet, toSharedSamples } from "./samples.ts";

const sharedFolder = process.env.DUET_SEARCH_DATA;

describe("our own samples", () => {
  describeSamples(ownSamples);

  test("the index beside them says of each file what it is there for", () => {
    const rows = readSample(ownSamples, "README.md").matchAll(/^\| `(\S+\/\S+)` *\| \S.* \|$/gm);
    const files = globSync("*/*", { cwd: ownSamples.folder });
    expect([...rows].map(([, name]) => name).toSorted()).toEqual(files.toSorted());
  });

  test("duckduckgo/html_challenge.html is no empty list but a service that blocks", async () => {
    const page = readSample(ownSamples, "duckduckgo/html_challenge.html");
    for (const status of [200, 202]) {
      await expect(read(duckduckgo, page, { status })).rejects.toMatchObject({ kind: "blocked" });
    }
  });
});

describe("shared samples", requires(folderNamedBy("DUET_SEARCH_DATA", "real answers of search services")), () =>
  describeSamples(toSharedSamples(sharedFolder ?? "")),
);

function read(wire: SearchWire, text: string, answer: Partial<SearchAnswer> = {}, most = 20): Promise<Source[]> {
  const answerer = { party: "Service", key: "a-key", keyVariable: "SERVICE_API_KEY" };
  return readAnswer(wire, answerer, { status: 200, headers: {}, text, ...answer }, most);
}

function describeSamples(samples: SampleSet): void {
  const sample = (name: string) => readSample(samples, name);

  const plainAnswers: [string, SearchWire][] = [
    ["searxng/debian_searx_1.1.0_ok.json", searxng],
    ["searxng/debian_searx_unresponsive.json", searxng],
    ["searxng/searxng_2026_shape.json", searxng],
    ["exa/search_ok.json", exa],
    ["brave/web_results_from_serp_page.json", brave],
    ["serper/search_shape.json", serper],
    ["bocha/web_search_ok.json", bocha],
    ["zhipu/web_search_ok.json", zhipu],
    ["duckduckgo/html_results_page1.html", duckduckgo],
    ["duckduckgo/html_uddg_result.html", duckduckgo],
  ];
  test.each(plainAnswers)("%s gives its results", async (name, wire) => {
    expect(await read(wire, sample(name))).toEqual(samples.sources[name]);
  });

  test.each(["tavily/vcr_basic_search.json", "tavily/vcr_include_domains.json"])(
    "%s gives citable sources",
    async (name) => {
      const { status, body } = JSON.parse(sample(name));
      expect(await read(tavily, JSON.stringify(body), { status: status.code })).toEqual(samples.sources[name]);
    },
  );

  test("searxng answers recorded with their headers are read by their status", async () => {
    const recorded = (name: string) => {
      const [head = "", body = ""] = sample(`searxng/${name}`).split(/\r?\n\r?\n/);
      return read(searxng, body, { status: Number(head.split(" ")[1]) });
    };
    expect(await recorded("debian_searx_formats_not_enforced_200.txt")).toEqual([]);
    await expect(recorded("debian_searx_no_query.txt")).rejects.toThrow(/No query/);
  });

  test("exa's request to its MCP server holds what the sample's does", () => {
    const { params, ...rest } = JSON.parse(sample("exa/mcp_tools_call_request.json"));
    const { query, numResults } = params.arguments;
    const { json } = exaMcp.ask(query, { maxResults: numResults, key: undefined });
    expect(json).toMatchObject({ ...rest, params });
  });

  test("exa's MCP text is read block by block", async () => {
    const name = "exa/mcp_tools_call_result_text.txt";
    const text = sample(name).replace(/^#.*$/m, "");
    const message = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }] } };
    for (const whole of [JSON.stringify(message), `event: message\ndata: ${JSON.stringify(message)}\n\n`]) {
      expect(await read(exaMcp, whole)).toEqual(samples.sources[name]);
    }
  });

  test("parallel's request and structured content are the samples'", async () => {
    const { params, ...rest } = JSON.parse(sample("parallel/mcp_tools_call_request.json"));
    const { session_id: _, ...args } = params.arguments;
    const { json } = parallel.ask(args.objective, { maxResults: 5, key: undefined });
    expect(json).toEqual({ ...rest, params: { ...params, arguments: args } });
    const name = "parallel/mcp_structured_content_shape.json";
    const content = JSON.parse(sample(name));
    const results = [
      { structuredContent: content, content: [] },
      { content: [{ type: "text", text: JSON.stringify(content) }] },
    ];
    for (const result of results) {
      const sources = await read(parallel, JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
      expect(sources).toEqual(samples.sources[name]);
    }
  });

  test("what has no link in zhipu/web_search_ok.json is left out", async () => {
    const name = "zhipu/web_search_ok.json";
    const body = JSON.parse(sample(name));
    body.search_result.unshift({ ...body.search_result[0], link: "" });
    expect(await read(zhipu, JSON.stringify(body))).toEqual(samples.sources[name]);
  });

  test("duckduckgo's advertisements are left out", async () => {
    const [ad, found] = ["html_ad_result.html", "html_uddg_result.html"].map((name) => sample(`duckduckgo/${name}`));
    expect(await read(duckduckgo, ad ?? "")).toEqual([]);
    expect(await read(duckduckgo, `<html><body>${ad}${found}</body></html>`)).toEqual(
      samples.sources["duckduckgo/html_uddg_result.html"],
    );
  });

  test.each(["html_no_results.html", "html_results_eof.html"])("duckduckgo/%s is no result", async (name) => {
    expect(await read(duckduckgo, sample(`duckduckgo/${name}`))).toEqual([]);
  });

  const errors: [string, SearchWire, number, string][] = [
    ["tavily/error_401.json", tavily, 401, "auth"],
    ["tavily/keyless_limit_429.json", tavily, 429, "rate"],
    ["brave/error_422_token_invalid.json", brave, 422, "auth"],
    ["brave/error_429_quota.json", brave, 429, "quota"],
    ["brave/error_429_rate.json", brave, 429, "rate"],
    ["serper/error_403.json", serper, 403, "auth"],
    ["serper/error_400_credits.json", serper, 400, "quota"],
    ["serper/error_400_missing.json", serper, 400, "bad-response"],
    ["exa/error_400.json", exa, 400, "bad-response"],
    ["exa/mcp_free_limit_429.json", exaMcp, 429, "rate"],
    // What a body says counts whatever status it comes with.
    ["exa/mcp_free_limit_429.json", exaMcp, 200, "rate"],
    ["zhipu/error_401_shape.json", zhipu, 400, "auth"],
    ["bocha/error_403_shape.json", bocha, 403, "quota"],
    ["bocha/error_403_shape.json", bocha, 200, "quota"],
    ["zhipu/error_401_shape.json", zhipu, 401, "auth"],
  ];
  test.each(errors)("%s is of its class", async (name, wire, status, kind) => {
    await expect(read(wire, sample(name), { status })).rejects.toMatchObject({ kind });
  });

  test("tavily's and brave's limits say how long they last", async () => {
    const capped = read(tavily, sample("tavily/keyless_limit_429.json"), { status: 429 });
    await expect(capped).rejects.toMatchObject({ retryAfterMs: samples.waits.tavily });
    const lines = sample("brave/response_headers.txt").matchAll(/^(X-\S+): (.*)$/gm);
    const headers = Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name.toLowerCase(), value]));
    const limited = read(brave, sample("brave/error_429_rate.json"), { status: 429, headers });
    await expect(limited).rejects.toMatchObject({ retryAfterMs: samples.waits.brave });
  });
}
