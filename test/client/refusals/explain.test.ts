import { array, assert, constantFrom, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { explainRefusal } from "../../../src/client/refusals/explain.ts";
import { startCpuClock } from "../../fakes/cpu-time.ts";

/** What the packages of October 2026 really make of a vendor's refusal: text, code, pause in milliseconds. */
const real: [string, string, string, number?][] = [
  ["Amap, too many calls per second", "Get weather failed: CUQPS_HAS_EXCEEDED_THE_LIMIT", "rate_limit", 1000],
  ["Amap, too many a minute", "Text Search failed: ACCESS_TOO_FREQUENT", "rate_limit", 60_000],
  ["Amap, quota", "Geocoding failed: USER_DAILY_QUERY_OVER_LIMIT", "quota"],
  ["Amap, quota told by its number", "Direction Transit Integrated failed: 10003", "quota"],
  ["Amap, wrong key", "RGeocoding failed: INVALID_USER_KEY", "auth"],
  ["Amap, key of another type", "IP Location failed: USERKEY_PLAT_NOMATCH", "auth"],
  ["Amap, no right", "Around Search failed: SERVICE_NOT_AVAILABLE", "auth"],
  ["Amap, overloaded", "Get poi detail failed: SERVER_IS_BUSY", "overloaded", 1000],
  ["Amap, too far to walk", "Direction Walking failed: OVER_DIRECTION_RANGE", "invalid_request"],
  ["Amap, a v4 service, whose reason is lost", "Direction bicycling failed: undefined", "tool"],
  [
    "Tavily, no key",
    'Tavily API error: {"error":"Unauthorized: missing or invalid API key."}\nDocumentation: https://docs.tavily.com/documentation/api-reference/endpoint/search',
    "auth",
  ],
  [
    "Tavily, plan",
    `Tavily API error: {"error":"This request exceeds your plan's set usage limit. Please upgrade your plan or contact support@tavily.com"}\nDocumentation: https://docs.tavily.com/x`,
    "quota",
  ],
  [
    "Tavily, pay as you go",
    'Tavily API error: {"error":"This request exceeds the pay-as-you-go limit. You can increase your limit on the Tavily dashboard."}\nDocumentation: https://docs.tavily.com/x',
    "quota",
  ],
  [
    "Tavily, too many",
    'Tavily API error: {"error":"Your request has been blocked due to excessive requests."}\nDocumentation: https://docs.tavily.com/x',
    "rate_limit",
  ],
  ["Tavily, research", "Usage limit exceeded. Documentation: https://docs.tavily.com/x", "quota"],
  [
    "Exa, wrong key",
    "web_search_exa error (401): Unauthorized. Invalid API key\nTimestamp: 2026-11-22T01:19:42.026Z",
    "auth",
  ],
  [
    "Exa, no key",
    "web_search_exa error (401): API key must be provided as an argument or as an environment variable (EXA_API_KEY)\nTimestamp: 2026-11-22T01:19:42.753Z",
    "auth",
  ],
  [
    "Exa, no credits",
    "web_search_exa error (402): Payment Required. Not enough credits\nTimestamp: 2026-11-22T01:19:42.101Z",
    "quota",
  ],
  [
    "Exa, too many",
    "web_search_exa error (429): Too Many Requests. Slow down\nTimestamp: 2026-11-22T01:19:42.114Z",
    "rate_limit",
  ],
  [
    "Exa, too many a second",
    "web_search_exa error (429): You've exceeded your Exa rate limit of 10 requests per second.\nTimestamp: 2026-11-22T01:19:42.129Z",
    "rate_limit",
    1000,
  ],
  [
    "Exa without a key",
    "You've hit Exa's free MCP rate limit. To continue using without limits, create your own Exa API key.\n\nFix: Create API key at https://dashboard.exa.ai/api-keys , and then update Exa MCP URL",
    "rate_limit",
  ],
  ["Brave, wrong key", braveError(422, "Unprocessable Entity", "SUBSCRIPTION_TOKEN_INVALID"), "auth"],
  ["Brave, too many a second", braveError(429, "Too Many Requests", "RATE_LIMITED"), "rate_limit", 1000],
  ["Brave, plan", braveError(429, "Too Many Requests", "QUOTA_LIMITED"), "quota"],
  ["DuckDuckGo, its own limit of one a second", "Error: Rate limit exceeded", "rate_limit", 1000],
  ["axios", "Error: Request failed with status code 429", "rate_limit"],
  ["a pause that is told", "HTTP 429: Too Many Requests, retry after 20 seconds", "rate_limit", 20_000],
  ["a JSON error", '{"status":"0","info":"CKQPS_HAS_EXCEEDED_THE_LIMIT","infocode":"10020"}', "rate_limit", 1000],
  ["Zhipu", "搜索失败：您的账户已达到速率限制，请您控制请求频率", "rate_limit"],
];

function braveError(status: number, reason: string, code: string): string {
  const error = { id: "5d8", status, code, detail: "…", meta: { component: "rate_limiter" } };
  return `${status} ${reason}\n${JSON.stringify({ type: "ErrorResponse", error, time: 1663072993 }, null, 2)}`;
}

describe("a refusal in the words of a known server", () => {
  test.each(real)("%s", (_, text, code, retryAfterMs) => {
    const refusal = explainRefusal(text, true);
    expect(refusal).toMatchObject({ code });
    expect(refusal?.retryAfterMs).toBe(retryAfterMs);
    expect(refusal?.text.zh).toMatch(/\p{Script=Han}.*。$/u);
    expect(refusal?.text.en).toMatch(/^[^\p{Script=Han}]+\.$/u);
  });

  test("names Amap's number and name in both languages, and what to do", () => {
    const refusal = explainRefusal("Text Search failed: CUQPS_HAS_EXCEEDED_THE_LIMIT", true);
    expect(refusal?.text).toEqual({
      zh: "高德拒绝了请求：账号每秒调用次数超限（10021 CUQPS_HAS_EXCEEDED_THE_LIMIT）。稍等再试；若常出现，请给该服务器设置更小的 callsPerSecond。",
      en: "Amap refused: too many calls per second of this account (10021 CUQPS_HAS_EXCEEDED_THE_LIMIT). Try again in a moment; if it happens often, set a smaller callsPerSecond for this server.",
    });
  });
});

test("a refusal among other lines is explained, but nothing says that it is safe to repeat", () => {
  for (const said of ["CUQPS_HAS_EXCEEDED_THE_LIMIT", "Rate limit exceeded"]) {
    const refusal = explainRefusal(`exit code 1\npushed the branch\n${said}`, true);
    expect(refusal).toMatchObject({ code: "rate_limit" });
    expect(refusal).not.toHaveProperty("retryAfterMs");
  }
});

describe("a refusal that passes for a success", () => {
  test.each([
    ['{"status":"0","info":"USER_DAILY_QUERY_OVER_LIMIT","infocode":"10044"}', "quota"],
    ['{"data":null,"errcode":10001,"errdetail":null,"errmsg":"INVALID_USER_KEY"}', "auth"],
    ['{"error":"Geocoding failed: CKQPS_HAS_EXCEEDED_THE_LIMIT"}', "rate_limit"],
    ['{"success":false,"message":"Rate limit exceeded"}', "rate_limit"],
    [
      "You've reached the daily keyless limit.\nRetry after: 3600s\nContinuation options:\n- Sign up for a Tavily API key: https://app.tavily.com",
      "quota",
    ],
    [
      "Research needs an API key.\nContinuation options:\n- Sign up for a Tavily API key: https://app.tavily.com",
      "quota",
    ],
  ])("%s", (text, code) => {
    expect(explainRefusal(text, false)).toMatchObject({ code });
  });
});

const refusals = real.map(([, text]) => text);
const words = constantFrom(
  ...[
    "Rate limit exceeded",
    "Too Many Requests",
    "Unauthorized",
    "CUQPS_HAS_EXCEEDED_THE_LIMIT",
    "429",
    "额度用完",
    "Payment Required",
  ],
);

describe("what is no refusal", () => {
  test.each([
    "Error: ENOENT: no such file or directory, open '/notes/429 Too Many Requests.txt'",
    'Error: file "Unauthorized" was not found',
    "Access denied - path outside allowed directories: /tmp/rate limit exceeded",
    "Error: line 429 is longer than 401 characters",
    "Error: there are 402 files",
    "No web results found",
    "Error: Entity with name Unauthorized not found",
    "Error: Cannot read properties of undefined (reading 'city')",
    "MCP error -32602: Tool nope not found",
    "Get weather failed: something else",
  ])("%s", (text) => {
    expect(explainRefusal(text, true)).toBeUndefined();
  });

  test.each([
    '{"status":"0","results":[{"info":"INVALID_USER_KEY","infocode":"10001"}]}',
    '{"error":null,"message":"Rate limit exceeded","success":true}',
    '{"status":"1","info":"OK","infocode":"10000"}',
    '{"data":{"title":"Too Many Requests"},"error":"Too Many Requests"}',
    "# Rate limiting\nToo Many Requests\nRetry after: 30s\nis what a server says",
    "429 Too Many Requests",
    "Rate limit exceeded",
  ])("as a success: %s", (text) => {
    expect(explainRefusal(text, false)).toBeUndefined();
  });

  test("a page that holds the words, as long as a page is, whether it failed or not", () => {
    const page = property(
      constantFrom(...refusals),
      constantFrom("x ", "词。", "a: b\n").map((each) => each.repeat(2000)),
      constantFrom(true, false),
      (text, more, isError) => {
        expect(explainRefusal(`${text}\n${more}x`, isError)).toBeUndefined();
        expect(explainRefusal(`x${more}\n${text}`, isError)).toBeUndefined();
      },
    );
    assert(page);
  });

  test("a success in which the words stand among others", () => {
    const prose = property(array(words), array(string()), words, (before, after, one) => {
      const text = `Found: ${[...before, one, ...after].join("\n")}`;
      expect(explainRefusal(text, false)).toBeUndefined();
    });
    assert(prose);
  });

  test("a failure that names a path with the words in it", () => {
    const failures = property(words, string(), (one, more) => {
      const name = JSON.stringify(`${one} ${more}`.replace(/["\\\n.:;：；。{}[\]]/g, ""));
      expect(explainRefusal(`Error: cannot open the file ${name} in the folder`, true)).toBeUndefined();
    });
    assert(failures);
  });
});

test("any text at all is answered, and what is said to the model holds nothing of it", () => {
  const anything = property(string({ maxLength: 300 }), constantFrom(true, false), (text, isError) => {
    explainRefusal(text, isError);
  });
  assert(anything);
  const told = explainRefusal("web_search_exa error (401): Invalid API key sk-CANARY\nTimestamp: x", true);
  expect(JSON.stringify(told)).not.toContain("CANARY");
});

test("texts made to be slow are answered at once", () => {
  const slow = [
    `a\nContinuation options:\n${"- ".repeat(700)}\n\n`,
    `${" ".repeat(1900)}:`,
    `${'" '.repeat(950)}`,
    `error ${"error ".repeat(300)}`,
    `{${'"error" : '.repeat(150)}}`,
    `you have exceeded ${"limit of 1 ".repeat(150)}`,
  ];
  const cpuTime = startCpuClock();
  for (const text of slow) for (const isError of [true, false]) explainRefusal(text, isError);
  expect(cpuTime()).toBeLessThan(2000);
});
