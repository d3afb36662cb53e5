import type { IncomingHttpHeaders } from "node:http";
import { isRecord } from "../../src/kit/json.ts";
import type { SearchBackendName } from "../../src/tools/search/search-backends.ts";

export interface FakeResult {
  title: string;
  url: string;
  content: string;
}

/** What came in, as far as services look at it. */
export interface FakeRequest {
  headers: IncomingHttpHeaders;
  search: URLSearchParams;
  /** JSON as a value, a form as a record. */
  body: unknown;
}

/** A text is sent as a page, anything else as JSON, unless the headers say what it is. */
export interface FakeAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** A search service as its users see it: its address, what it insists on, and its own words for each trouble. */
export interface FakeService {
  method: "GET" | "POST";
  path: string;
  /** The query, or what is said to a request that breaks the rules. */
  accept(request: FakeRequest): string | FakeAnswer;
  found(query: string, results: FakeResult[]): FakeAnswer;
  unauthorized: FakeAnswer;
  plan: FakeAnswer;
  rate: FakeAnswer;
}

const json = (status: number, body: unknown, headers?: Record<string, string>): FakeAnswer => ({
  status,
  body,
  headers,
});
const ok = (body: unknown): FakeAnswer => json(200, body);

/** Keys that begin with `bad` are not known. */
function isKey(header: string | string[] | undefined, prefix = ""): boolean {
  return typeof header === "string" && header.startsWith(prefix) && !/^(?:bad|$)/.test(header.slice(prefix.length));
}

function fieldOf(body: unknown, name: string): string | undefined {
  const value = isRecord(body) ? body[name] : undefined;
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

const tavily: FakeService = {
  method: "POST",
  path: "/search",
  accept({ headers, body }) {
    const isKeyless = headers["x-tavily-access-mode"] === "keyless" && headers.authorization === undefined;
    if (!isKeyless && !isKey(headers.authorization, "Bearer ")) return tavily.unauthorized;
    const query = fieldOf(body, "query");
    if (query === undefined) return json(400, { detail: { error: "Query is missing." } });
    return query.length > 400 ? json(400, { detail: { error: "Query is too long. Max 400 characters." } }) : query;
  },
  found: (query, results) =>
    ok({
      query,
      ...{ answer: null, follow_up_questions: null, images: [], response_time: 0.1, request_id: "fake" },
      results: results.map((result) => ({ ...result, score: 0.9, raw_content: null })),
    }),
  unauthorized: json(401, { detail: { error: "Unauthorized: missing or invalid API key." } }),
  plan: json(432, { detail: { error: "This request exceeds your plan's set usage limit." } }),
  rate: json(429, {
    error: {
      ...{ code: "daily_cap", message: "Keyless daily limit reached.", window: "day" },
      ...{ retry_after_seconds: 3600, next_actions: [] },
    },
  }),
};

const searxng: FakeService = {
  method: "GET",
  path: "/search",
  accept: ({ search }) =>
    search.get("format") === "json" ? search.get("q") || json(400, { error: "No query" }) : json(200, "<html></html>"),
  found: (query, results) => ok(searxngAnswer(query, results)),
  unauthorized: json(401, "<h1>Authorization Required</h1>"),
  plan: json(403, "<h1>Forbidden</h1>"),
  rate: json(429, "Too Many Requests", { "retry-after": "7" }),
};

export function searxngAnswer(query: string, results: FakeResult[], dead: string[][] = []): unknown {
  const more = { engine: "fake", engines: ["fake"], score: 1, category: "general" };
  const rest = { answers: [], corrections: [], infoboxes: [], suggestions: [], unresponsive_engines: dead };
  return { query, results: results.map((result) => ({ ...result, ...more })), ...rest };
}

const exa: FakeService = {
  method: "POST",
  path: "/exa/search",
  accept: ({ headers, body }) =>
    isKey(headers["x-api-key"])
      ? (fieldOf(body, "query") ?? json(400, { error: "Bad Request", message: "Invalid query" }))
      : exa.unauthorized,
  found: (_, results) =>
    ok({
      ...{ requestId: "fake", resolvedSearchType: "auto", searchTime: 0.4, costDollars: { total: 0.005 } },
      results: results.map(({ title, url, content }) => ({ id: url, title, url, author: null, highlights: [content] })),
    }),
  unauthorized: json(401, { error: "Unauthorized", message: "Invalid API key" }),
  plan: json(402, { error: "Payment Required", message: "Not enough credits to complete this request" }),
  rate: json(429, { error: "Too Many Requests", message: "Slow down" }, { "retry-after": "2" }),
};

const exaMcp: FakeService = {
  method: "POST",
  path: "/exa/mcp",
  accept: (request) => acceptCall(request, "web_search_exa", ({ query }) => query),
  found: (_, results) => eventStream({ content: [{ type: "text", text: exaText(results) }] }),
  unauthorized: rpcError(401, -32001, "Unauthorized"),
  plan: eventStream({ content: [{ type: "text", text: "Search error (402): no credits left" }], isError: true }),
  rate: rpcError(429, -32000, "You've hit Exa's free MCP rate limit. Create your own Exa API key.", {
    "retry-after": "86400",
  }),
};

function exaText(results: FakeResult[]): string {
  const blocks = results.map(
    ({ title, url, content }) => `Title: ${title}\nURL: ${url}\nPublished: N/A\nAuthor: N/A\nHighlights:\n${content}`,
  );
  return blocks.join("\n\n---\n\n") || "No search results found. Please try a different query.";
}

const parallel: FakeService = {
  method: "POST",
  path: "/parallel/mcp",
  accept(request) {
    const { authorization } = request.headers;
    if (authorization !== undefined && !isKey(authorization, "Bearer ")) return parallel.unauthorized;
    return acceptCall(request, "web_search", ({ objective, search_queries }) =>
      Array.isArray(search_queries) && search_queries.length > 0 ? objective : undefined,
    );
  },
  found(_, results) {
    const content = { results: results.map(({ title, url, content }) => ({ title, url, excerpts: [content] })) };
    const result = { content: [{ type: "text", text: JSON.stringify(content) }], structuredContent: content };
    return ok({ jsonrpc: "2.0", id: 1, result });
  },
  unauthorized: rpcError(401, -32001, "Invalid API key"),
  plan: rpcError(402, -32002, "Insufficient credits"),
  rate: rpcError(429, -32000, "Too many requests", { "retry-after": "30" }),
};

/** What a hosted MCP server without sessions insists on. */
function acceptCall(
  { headers, body }: FakeRequest,
  tool: string,
  queryIn: (args: Record<string, unknown>) => unknown,
): string | FakeAnswer {
  const accepts = `${headers.accept}`;
  if (!accepts.includes("application/json") || !accepts.includes("text/event-stream"))
    return rpcError(406, -32000, "Not Acceptable: Client must accept both application/json and text/event-stream");
  if (!isRecord(body) || body.jsonrpc !== "2.0" || body.method !== "tools/call" || !isRecord(body.params))
    return rpcError(400, -32600, "Invalid Request");
  const { name, arguments: args } = body.params;
  if (name !== tool) return rpcError(200, -32602, `Unknown tool: ${name}`);
  const query = isRecord(args) ? queryIn(args) : undefined;
  return typeof query === "string" && query !== "" ? query : rpcError(200, -32602, "Invalid arguments");
}

function rpcError(status: number, code: number, message: string, headers?: Record<string, string>): FakeAnswer {
  return json(status, { jsonrpc: "2.0", error: { code, message }, id: null }, headers);
}

function eventStream(result: unknown): FakeAnswer {
  const data = JSON.stringify({ result, jsonrpc: "2.0", id: 1 });
  return { status: 200, body: `event: message\ndata: ${data}\n\n`, headers: { "content-type": "text/event-stream" } };
}

const brave: FakeService = {
  method: "GET",
  path: "/brave/web/search",
  accept({ headers, search }) {
    if (!isKey(headers["x-subscription-token"])) return brave.unauthorized;
    const query = search.get("q") ?? "";
    const count = Number(search.get("count") ?? 20);
    const isValid = query !== "" && query.length <= 400 && query.split(/\s+/).length <= 50 && count >= 1 && count <= 20;
    return isValid ? query : braveError(422, "VALIDATION", "Unable to validate request parameter(s)");
  },
  found: (query, results) =>
    ok({
      type: "search",
      query: { original: query, more_results_available: false },
      // It leaves `web` out where it found nothing.
      ...(results.length === 0 ? {} : { web: { type: "search", results: results.map(braveResult) } }),
    }),
  unauthorized: braveError(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid."),
  plan: braveError(429, "QUOTA_LIMITED", "Request quota limit exceeded for plan."),
  rate: braveError(429, "RATE_LIMITED", "Request rate limit exceeded for plan.", {
    "x-ratelimit-remaining": "0, 1500",
    "x-ratelimit-reset": "1, 9000",
  }),
};

function braveResult({ title, url, content }: FakeResult): unknown {
  return { title, url, description: content, type: "search_result", subtype: "generic", language: "en" };
}

function braveError(status: number, code: string, detail: string, headers?: Record<string, string>): FakeAnswer {
  const error = { id: "fake", status, code, detail, meta: { component: "fake" } };
  return json(status, { type: "ErrorResponse", error, time: 1663072993 }, headers);
}

const serper: FakeService = {
  method: "POST",
  path: "/serper/search",
  accept: ({ headers, body }) =>
    isKey(headers["x-api-key"])
      ? (fieldOf(body, "q") ?? json(400, { message: "Missing query parameter", statusCode: 400 }))
      : serper.unauthorized,
  found: (query, results) =>
    ok({
      searchParameters: { q: query, type: "search", engine: "google" },
      organic: results.map(({ title, url, content }, n) => ({ title, link: url, snippet: content, position: n + 1 })),
      credits: 1,
    }),
  unauthorized: json(403, { message: "Unauthorized.", statusCode: 403 }),
  plan: json(400, { message: "Not enough credits", statusCode: 400 }),
  rate: json(429, { message: "Too many requests", statusCode: 429 }),
};

const bocha: FakeService = {
  method: "POST",
  path: "/bocha/web-search",
  accept: ({ headers, body }) =>
    isKey(headers.authorization, "Bearer ")
      ? (fieldOf(body, "query") ?? json(400, { code: "400", message: "Missing parameter query", log_id: "fake" }))
      : bocha.unauthorized,
  found: (query, results) =>
    ok({
      ...{ code: 200, log_id: "fake", msg: null },
      data: {
        ...{ _type: "SearchResponse", queryContext: { originalQuery: query } },
        webPages: { value: results.map(({ title, url, content }) => ({ name: title, url, snippet: content })) },
      },
    }),
  unauthorized: json(401, { code: "401", message: "Invalid API KEY", log_id: "fake" }),
  plan: json(403, { code: "403", message: "You do not have enough money", log_id: "fake" }),
  rate: json(200, { code: 429, msg: "You have reached the request limit", log_id: "fake", data: null }),
};

const zhipu: FakeService = {
  method: "POST",
  path: "/zhipu/web_search",
  accept({ headers, body }) {
    if (!isKey(headers.authorization, "Bearer ")) return zhipu.unauthorized;
    if (fieldOf(body, "search_engine") === undefined) return zhipuError(400, "1213", "未正常接收到 search_engine 参数");
    return fieldOf(body, "search_query") ?? zhipuError(400, "1213", "未正常接收到 search_query 参数");
  },
  found: (query, results) =>
    ok({
      ...{ id: "fake", created: 1748261757, request_id: "fake" },
      search_intent: [{ query, intent: "SEARCH_ALL", keywords: query }],
      search_result: results.map(({ title, url, content }) => ({ title, link: url, content, media: "fake" })),
    }),
  unauthorized: zhipuError(401, "1000", "身份验证失败。"),
  plan: zhipuError(429, "1113", "您的账户已欠费，请充值后重试"),
  rate: zhipuError(429, "1302", "您的账户已达到速率限制，请您控制请求频率"),
};

function zhipuError(status: number, code: string, message: string): FakeAnswer {
  return json(status, { error: { code, message } });
}

const challenge = `<html><head><title>DuckDuckGo</title></head><body>
<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html&cc=botnet" method="POST">
<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form></body></html>`;

const duckduckgo: FakeService = {
  method: "POST",
  path: "/duckduckgo/html/",
  accept({ headers, body }) {
    if (!`${headers["user-agent"]}`.startsWith("Mozilla/5.0")) return json(403, "<h1>403 Forbidden</h1>");
    return fieldOf(body, "q") ?? ok("<html><body><form action='/html/'></form></body></html>");
  },
  found: (query, results) =>
    ok(
      `<html><body><input value="${query}"><div id="links">${results.map(duckResult).join("") || duckNothing}</div></body></html>`,
    ),
  unauthorized: json(202, challenge),
  plan: ok(challenge),
  rate: json(202, challenge),
};

function duckResult({ title, url, content }: FakeResult): string {
  const href = `//duckduckgo.com/l/?uddg=${encodeURIComponent(url)}&amp;rut=fake`;
  return `<div class="result results_links web-result"><h2 class="result__title"><a class="result__a" href="${href}">${title}</a></h2>
<a class="result__snippet" href="${href}">${content}</a></div>`;
}

const duckNothing = `<div class="result web-result result--no-result"><div class="no-results">No results.</div></div>`;

/** Exa without a key is another service than Exa with one. */
export type ServiceName = SearchBackendName | "exaMcp";

export const fakeServices: Record<ServiceName, FakeService> = {
  ...{ tavily, searxng, exa, exaMcp, parallel, brave, serper, bocha, zhipu, duckduckgo },
};

export const serviceNames = Object.keys(fakeServices) as ServiceName[];
