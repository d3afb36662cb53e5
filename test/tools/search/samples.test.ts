import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Source } from "../../../src/core/tool.ts";
import { bocha } from "../../../src/tools/search/bocha.ts";
import { brave } from "../../../src/tools/search/brave.ts";
import { duckduckgo } from "../../../src/tools/search/duckduckgo.ts";
import { exa, exaMcp } from "../../../src/tools/search/exa.ts";
import { parallel } from "../../../src/tools/search/parallel.ts";
import { readAnswer } from "../../../src/tools/search/read-answer.ts";
import { searxng } from "../../../src/tools/search/searxng.ts";
import { serper } from "../../../src/tools/search/serper.ts";
import { tavily } from "../../../src/tools/search/tavily.ts";
import type { SearchAnswer, SearchWire } from "../../../src/tools/search/wire.ts";
import { zhipu } from "../../../src/tools/search/zhipu.ts";

// Set to a directory with a folder of real answers for each service.
const samples = process.env.DUET_SEARCH_DATA;

function sample(name: string): string {
  return readFileSync(join(samples ?? "", name), "utf8");
}

function read(wire: SearchWire, text: string, answer: Partial<SearchAnswer> = {}, most = 20): Promise<Source[]> {
  const answerer = { party: "Service", key: "a-key", keyVariable: "SERVICE_API_KEY" };
  return readAnswer(wire, answerer, { status: 200, headers: {}, text, ...answer }, most);
}

describe.skipIf(samples === undefined || !existsSync(samples))(
  "recorded samples (skipped unless DUET_SEARCH_DATA names their folder)",
  () => {
    test.each(["vcr_basic_search.json", "vcr_include_domains.json"])(
      "tavily/%s gives citable sources",
      async (name) => {
        const { status, body } = JSON.parse(sample(`tavily/${name}`));
        const sources = await read(tavily, JSON.stringify(body), { status: status.code });
        expect(sources).toHaveLength(5);
        for (const { url, title, snippet } of sources) {
          expect(url).toMatch(/^https:/);
          expect([title, snippet]).not.toContain("");
        }
      },
    );

    test.each(["debian_searx_1.1.0_ok.json", "debian_searx_unresponsive.json", "searxng_2026_shape.json"])(
      "searxng/%s gives its result",
      async (name) => {
        const [source] = await read(searxng, sample(`searxng/${name}`));
        expect(source).toMatchObject({ url: "https://nodejs.org/api/sqlite.html" });
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

    test("exa/search_ok.json gives its result with the day and the highlights", async () => {
      expect(await read(exa, sample("exa/search_ok.json"))).toEqual([
        {
          title: "Result One",
          url: "https://example.com/one",
          snippet: "2026-04-01 · First highlight … Second highlight",
        },
      ]);
    });

    test("exa's request to its MCP server holds what the sample's does", () => {
      const { params, ...rest } = JSON.parse(sample("exa/mcp_tools_call_request.json"));
      const { json } = exaMcp.ask("rust async patterns", { maxResults: 8, key: undefined });
      expect(json).toMatchObject({ ...rest, params });
    });

    test("exa's MCP text is read block by block", async () => {
      const text = sample("exa/mcp_tools_call_result_text.txt").replace(/^#.*$/m, "");
      const message = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }] } };
      for (const whole of [JSON.stringify(message), `event: message\ndata: ${JSON.stringify(message)}\n\n`]) {
        expect(await read(exaMcp, whole)).toEqual([
          {
            title: "Result One",
            url: "https://example.com/one",
            snippet: "2026-04-01 · First highlight Second highlight",
          },
          { title: "example.com", url: "https://example.com/two", snippet: "..." },
        ]);
      }
    });

    test("parallel's request and structured content are the samples'", async () => {
      const { params, ...rest } = JSON.parse(sample("parallel/mcp_tools_call_request.json"));
      const { session_id: _, ...args } = params.arguments;
      const { json } = parallel.ask("rust async patterns", { maxResults: 5, key: undefined });
      expect(json).toEqual({ ...rest, params: { ...params, arguments: args } });
      const content = JSON.parse(sample("parallel/mcp_structured_content_shape.json"));
      const results = [
        { structuredContent: content, content: [] },
        { content: [{ type: "text", text: JSON.stringify(content) }] },
      ];
      for (const result of results) {
        const sources = await read(parallel, JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
        expect(sources).toEqual([{ title: "One", url: "https://example.com/one", snippet: "..." }]);
      }
    });

    test("brave/web_results_from_serp_page.json gives five results as plain text", async () => {
      const sources = await read(brave, sample("brave/web_results_from_serp_page.json"));
      expect(sources).toHaveLength(5);
      expect(sources[1]).toMatchObject({
        title: "Rust (programming language) - Wikipedia",
        url: "https://en.wikipedia.org/wiki/Rust_(programming_language)",
        snippet: expect.stringMatching(/^2025-12-04 · Rust is a general-purpose programming language\. It is noted/),
      });
      expect(JSON.stringify(sources)).not.toMatch(/<\/?strong|&quot;/);
    });

    test("serper/search_shape.json gives the organic results", async () => {
      expect(await read(serper, sample("serper/search_shape.json"))).toEqual([
        { title: "Apple", url: "https://www.apple.com/", snippet: "Discover the innovative world of Apple ..." },
        {
          title: "Apple Inc. - Wikipedia",
          url: "https://en.wikipedia.org/wiki/Apple_Inc.",
          snippet: "Jan 2, 2026 · Apple Inc. is an American multinational ...",
        },
      ]);
    });

    test("bocha/web_search_ok.json gives each page with Beijing's day", async () => {
      const sources = await read(bocha, sample("bocha/web_search_ok.json"));
      expect(sources).toHaveLength(7);
      expect(sources[3]).toMatchObject({
        title: expect.stringContaining("阿里云数据中心清洁能源占比"),
        url: "http://tech.cnr.cn/techph/20240722/t20240722_526807992.shtml",
        // 17:54 o'clock with a Z behind it, which is still the same day where it was written.
        snippet: expect.stringMatching(/^2024-07-22 · /),
      });
    });

    test("zhipu/web_search_ok.json gives its result, and what has no link is left out", async () => {
      const body = JSON.parse(sample("zhipu/web_search_ok.json"));
      const expected = [
        {
          title: "2025年5月23日财经早资讯",
          url: "https://www.sohu.com/a/897879632_121123890",
          snippet: "2025-05-23 · 1-4月我国对外直接投资575.4亿美元。",
        },
      ];
      expect(await read(zhipu, JSON.stringify(body))).toEqual(expected);
      body.search_result.unshift({ ...body.search_result[0], link: "" });
      expect(await read(zhipu, JSON.stringify(body))).toEqual(expected);
    });

    test("duckduckgo/html_results_page1.html gives its ten results", async () => {
      const sources = await read(duckduckgo, sample("duckduckgo/html_results_page1.html"));
      expect(sources).toHaveLength(10);
      expect(sources[0]).toEqual({
        title: "GitHub - cloudwego/eino: The ultimate LLM/AI application development ...",
        url: "https://github.com/cloudwego/eino",
        snippet: expect.stringMatching(/^Eino is a framework for building LLM applications in Golang/),
      });
      expect(sources[1]?.snippet).toMatch(/^2025-06-23 · Eino: 概述 简介/);
    });

    test("duckduckgo's links through itself lead to the page, and its advertisements are left out", async () => {
      const [ad, found] = ["html_ad_result.html", "html_uddg_result.html"].map((name) => sample(`duckduckgo/${name}`));
      const expected = [{ title: "Park page", url: "https://example.com/park?a=1&b=2", snippet: "Snippet one & more" }];
      expect(await read(duckduckgo, found ?? "")).toEqual(expected);
      expect(await read(duckduckgo, ad ?? "")).toEqual([]);
      expect(await read(duckduckgo, `<html><body>${ad}${found}</body></html>`)).toEqual(expected);
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
      ["bocha/error_403_shape.json", bocha, 403, "quota"],
      ["bocha/error_403_shape.json", bocha, 200, "quota"],
      ["zhipu/error_401_shape.json", zhipu, 401, "auth"],
    ];
    test.each(errors)("%s is of its class", async (name, wire, status, kind) => {
      await expect(read(wire, sample(name), { status })).rejects.toMatchObject({ kind });
    });

    test("tavily's and brave's limits say how long they last", async () => {
      const capped = read(tavily, sample("tavily/keyless_limit_429.json"), { status: 429 });
      await expect(capped).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
      const lines = sample("brave/response_headers.txt").matchAll(/^(X-\S+): (.*)$/gm);
      const headers = Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name.toLowerCase(), value]));
      const limited = read(brave, sample("brave/error_429_rate.json"), { status: 429, headers });
      await expect(limited).rejects.toMatchObject({ retryAfterMs: 1000 });
    });
  },
);
