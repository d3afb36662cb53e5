import { describe, expect, test } from "vitest";
import type { SearchError } from "../../../src/tools/search/backend.ts";
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
import type { SearchWire } from "../../../src/tools/search/wire.ts";

const wires = { tavily, searxng, exa, exaMcp, parallel, brave, serper, bocha, zhipu, duckduckgo };

interface Parts {
  status?: number;
  headers?: Record<string, string>;
  key?: string | undefined;
}

function read(wire: SearchWire, body: unknown, { status = 200, headers = {}, ...more }: Parts = {}) {
  const answerer = { party: "Service", key: "key-1234", keyVariable: "SERVICE_API_KEY", ...more };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return readAnswer(wire, answerer, { status, headers, text }, 5);
}

async function failureOf(...args: Parameters<typeof read>): Promise<SearchError> {
  return read(...args).then(
    (sources) => Promise.reject(new Error(`found ${JSON.stringify(sources)}`)),
    (thrown) => thrown,
  );
}

describe("whatever is not a list of results is a failure", () => {
  const shapes = [
    "",
    "null",
    "[]",
    '"x"',
    "{}",
    '{"results": {}}',
    '{"organic": 7}',
    "<html><body>Sign in</body></html>",
  ];
  test.each(Object.entries(wires))("%s", async (_, wire) => {
    for (const shape of shapes) {
      expect(await failureOf(wire, shape, { headers: { "content-type": "text/x" } })).toMatchObject({
        kind: "bad-response",
        message: "The search with Service failed: the response is not a list of results (HTTP 200, text/x)",
      });
    }
  });

  test.each(Object.entries(wires))("%s: a page instead of an answer is no refusal of the key", async (_, wire) => {
    expect(await failureOf(wire, "<h1>Bad Gateway</h1>", { status: 502 })).toMatchObject({ kind: "blocked" });
    if (wire === searxng) return;
    expect(await failureOf(wire, "<h1>Access denied</h1>", { status: 403 })).toMatchObject({ kind: "blocked" });
  });

  test.each(Object.entries(wires))("%s: entries of another shape are left out", async (name, wire) => {
    if (name === "duckduckgo" || name === "exaMcp") return;
    const list = [null, 7, { title: "no url" }, { url: 5, link: 5 }, { url: "javascript:1", link: "javascript:1" }];
    const good = { url: "https://ok.example/", link: "https://ok.example/", title: 3, name: null };
    const results = [...list, good];
    const content = { results, content: [], structuredContent: { results } };
    const body = {
      ...{ results, organic: results, search_result: results, web: { results } },
      ...{ code: 200, data: { webPages: { value: results } } },
      ...{ jsonrpc: "2.0", id: 1, result: content },
    };
    expect(await read(wire, body)).toEqual([{ title: "ok.example", url: "https://ok.example/", snippet: "" }]);
  });
});

describe("blocked is not empty", () => {
  const challenge =
    '<html><body><form id="challenge-form" action="//duckduckgo.com/anomaly.js?cc=botnet"></form></body></html>';
  test.each([
    [202, challenge],
    [200, challenge],
    [202, "<html></html>"],
    [403, ""],
  ])("DuckDuckGo's proof of being no robot, as %i", async (status, page) => {
    expect(await failureOf(duckduckgo, page, { status })).toMatchObject({ kind: "blocked" });
  });

  test("a DuckDuckGo page about challenges and anomalies is read", async () => {
    const page = `<html><body><input value="anomaly challenge-form"><div class="result">
      <a class="result__a" href="https://a.example/">anomaly.js challenge</a></div></body></html>`;
    expect(await read(duckduckgo, page)).toEqual([
      { title: "anomaly.js challenge", url: "https://a.example/", snippet: "" },
    ]);
  });

  test("SearXNG without results is an outage where engines are dead, an answer where none is", async () => {
    const dead = { results: [], unresponsive_engines: [["brave", "timeout"], "google"] };
    expect(await failureOf(searxng, dead)).toMatchObject({
      kind: "blocked",
      reason: { en: "its engines did not respond: brave (timeout), google" },
    });
    expect(await read(searxng, { results: [], unresponsive_engines: [] })).toEqual([]);
  });

  test.each([
    ["Search error (429): slow down", "rate"],
    ["Search error (401): Invalid API key", "auth"],
    ["Search error (402): no more credits", "quota"],
    ["Search error: socket hang up", "blocked"],
  ])("an MCP tool that failed says so in an answer of status 200: %s", async (text, kind) => {
    const result = { isError: true, content: [{ type: "text", text }] };
    for (const wire of [exaMcp, parallel])
      expect(await failureOf(wire, { jsonrpc: "2.0", id: 1, result })).toMatchObject({ kind });
  });

  test("Exa's mark of a limit counts, whatever the text", async () => {
    const result = { _meta: { "ai.exa/rateLimited": true }, content: [{ type: "text", text: "Title: Get a key" }] };
    expect(await failureOf(exaMcp, { jsonrpc: "2.0", id: 1, result })).toMatchObject({ kind: "rate" });
  });

  test("Exa's sentence for no results is an answer, another sentence is not", async () => {
    const said = (text: string) => ({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }] } });
    expect(await read(exaMcp, said("No search results found. Please try a different query."))).toEqual([]);
    expect(await failureOf(exaMcp, said("We are moving house."))).toMatchObject({ kind: "bad-response" });
  });

  test("a long run of empty lines from Exa is gone through once", async () => {
    const text = `${"\n".repeat(200_000)}Title: A\nURL: https://a.example/\nHighlights:\nx`;
    const said = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }] } };
    expect(await read(exaMcp, said)).toEqual([{ title: "A", url: "https://a.example/", snippet: "x" }]);
  });

  test.each([
    [brave, { type: "search", query: { original: "x" } }],
    [serper, { searchParameters: { q: "x" }, credits: 1 }],
    [bocha, { code: 200, data: { webPages: null } }],
    [tavily, { results: [] }],
  ])("a search that found nothing is an answer: %#", async (wire, body) => {
    expect(await read(wire, body)).toEqual([]);
  });
});

describe("each error has its class", () => {
  const cases: [string, SearchWire, number, unknown, string][] = [
    ["Brave, no plan", brave, 404, { error: { code: "SUBSCRIPTION_NOT_FOUND", detail: "No." } }, "auth"],
    ["Brave, credit used up", brave, 402, { error: { code: "X", detail: "Payment" } }, "quota"],
    ["Brave, a bad query", brave, 422, { error: { code: "VALIDATION", detail: "q" } }, "bad-response"],
    ["Brave, a code that all objects have", brave, 422, { error: { code: "constructor" } }, "bad-response"],
    ["Bocha, a limit in a 200", bocha, 200, { code: 429, msg: "limit", data: null }, "rate"],
    ["Bocha, an outage in a 200", bocha, 200, { code: "500", msg: "oops" }, "blocked"],
    ["Zhipu, an empty account as 429", zhipu, 429, { error: { code: "1113", message: "欠费" } }, "quota"],
    ["Zhipu, too fast", zhipu, 429, { error: { code: "1302", message: "并发" } }, "rate"],
    ["Zhipu, the day's calls", zhipu, 429, { error: { code: "1304", message: "限额" } }, "quota"],
    ["Zhipu, what it will not search", zhipu, 400, { error: { code: "1301", message: "敏感" } }, "blocked"],
    ["Exa, no credit", exa, 402, { error: "Payment", message: "credits" }, "quota"],
    ["Tavily, pay as you go used up", tavily, 433, { detail: { error: "limit" } }, "quota"],
    ["Serper, a limit", serper, 429, { message: "Too many" }, "rate"],
    ["SearXNG without JSON", searxng, 403, "<h1>Forbidden</h1>", "settings"],
  ];
  test.each(cases)("%s", async (_, wire, status, body, kind) => {
    expect(await failureOf(wire, body, { status })).toMatchObject({ kind });
  });

  test("a wait in seconds or as a date is read from the header", async () => {
    const limited = (value: string) => failureOf(exa, {}, { status: 429, headers: { "retry-after": value } });
    expect(await limited("7")).toMatchObject({ retryAfterMs: 7000 });
    const { retryAfterMs = 0 } = await limited(new Date(Date.now() + 600_000).toUTCString());
    expect(retryAfterMs).toBeGreaterThan(500_000);
    expect((await limited("soon")).retryAfterMs).toBeUndefined();
  });

  test("a key that a service repeats is not shown", async () => {
    const { message, reason } = await failureOf(tavily, { detail: { error: "Bad key key-1234!" } }, { status: 401 });
    expect(message).toContain("Bad key ***!");
    expect(reason.zh).not.toContain("key-1234");
  });

  test("advice names the key, or that there could be one", async () => {
    const hint = async (status: number, key: string | undefined) =>
      (await failureOf(exa, { message: "x" }, { status, key })).hint?.en;
    expect(await hint(401, "k")).toBe("Check SERVICE_API_KEY.");
    expect(await hint(429, undefined)).toBe("Try again later, or set SERVICE_API_KEY.");
    expect(await hint(402, "k")).toContain("set SEARXNG_URL");
    expect(await hint(500, "k")).toBeUndefined();
  });
});

test("Brave's escaped texts are read as what they mean, once", async () => {
  const item = {
    url: "https://a.example/",
    title: "A &amp;lt; B &#x27;&#39; &nope;",
    description: "<strong>x</strong> &lt;b&gt;",
  };
  expect(await read(brave, { web: { results: [item] } })).toEqual([
    { title: "A &lt; B '' &nope;", url: "https://a.example/", snippet: "x <b>" },
  ]);
});
