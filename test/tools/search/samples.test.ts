import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSearxng } from "../../../src/tools/search/searxng.ts";
import { readTavily } from "../../../src/tools/search/tavily.ts";

const answer = (status: number, body: unknown) => ({ status, body, retryAfterMs: undefined });

describe("answers as the services write them", () => {
  test("Tavily's keyless cap says how long to wait", () => {
    const body = { error: { code: "cap", message: "Daily cap reached", window: "day", retry_after_seconds: 3600 } };
    expect(() => readTavily(answer(429, body), 5)).toThrow(
      expect.objectContaining({ code: "rate_limit", retryAfterMs: 3_600_000 }),
    );
  });

  test("SearXNG with results and a dead engine is an answer", () => {
    const body = {
      results: [{ url: "https://a.example/", title: "A", content: "text" }],
      unresponsive_engines: [["brave", "timeout"]],
    };
    expect(readSearxng(answer(200, body), 5)).toEqual([{ title: "A", url: "https://a.example/", snippet: "text" }]);
  });

  test("SearXNG's own error text is shown", () => {
    expect(() => readSearxng(answer(400, { error: "No query" }), 5)).toThrow(/HTTP 400 No query/);
  });

  test.each([null, [], "x", {}, { results: {} }])("a 200 of another shape is an error: %j", (body) => {
    expect(() => readSearxng(answer(200, body), 5)).toThrow(/SearXNG/);
    expect(() => readTavily(answer(200, body), 5)).toThrow(/Tavily/);
  });

  test("entries of another shape are left out", () => {
    const results = [null, 7, { title: "no url" }, { url: 5 }, { url: "https://ok.example/", title: 3, content: null }];
    expect(readTavily(answer(200, { results }), 5)).toEqual([
      { title: "ok.example", url: "https://ok.example/", snippet: "" },
    ]);
  });
});

// Set to a directory with `searxng/` and `tavily/` samples of real answers to check against them too.
const samples = process.env.DUET_SEARCH_DATA;

describe.skipIf(samples === undefined || !existsSync(samples))(
  "recorded samples (skipped unless DUET_SEARCH_DATA is set)",
  () => {
    const read = (name: string): unknown => JSON.parse(readFileSync(join(samples ?? "", name), "utf8"));

    test.each(["vcr_basic_search.json", "vcr_include_domains.json"])("tavily/%s gives citable sources", (name) => {
      const sample = read(`tavily/${name}`) as { status: { code: number }; body: unknown };
      const sources = readTavily(answer(sample.status.code, sample.body), 5);
      expect(sources).toHaveLength(5);
      for (const source of sources) {
        expect(source.url).toMatch(/^https:/);
        expect(source.title).not.toBe("");
        expect(source.snippet).not.toBe("");
      }
    });

    test("tavily errors have their class", () => {
      expect(() => readTavily(answer(401, read("tavily/error_401.json")), 5)).toThrow(
        expect.objectContaining({ code: "auth" }),
      );
      expect(() => readTavily(answer(429, read("tavily/keyless_limit_429.json")), 5)).toThrow(
        expect.objectContaining({ code: "rate_limit", retryAfterMs: 3_600_000 }),
      );
    });

    test.each(["debian_searx_1.1.0_ok.json", "debian_searx_unresponsive.json", "searxng_2026_shape.json"])(
      "searxng/%s gives its result",
      (name) => {
        const [source] = readSearxng(answer(200, read(`searxng/${name}`)), 5);
        expect(source).toMatchObject({ url: "https://nodejs.org/api/sqlite.html" });
      },
    );

    test("searxng answers recorded with their headers are read by their status", () => {
      const recorded = (name: string) => {
        const [head = "", body = ""] = readFileSync(join(samples ?? "", "searxng", name), "utf8").split(/\r?\n\r?\n/);
        return answer(Number(head.split(" ")[1]), JSON.parse(body));
      };
      expect(readSearxng(recorded("debian_searx_formats_not_enforced_200.txt"), 5)).toEqual([]);
      expect(() => readSearxng(recorded("debian_searx_no_query.txt"), 5)).toThrow(/No query/);
    });
  },
);
