import { expect, test } from "vitest";
import { errorCodes, requestErrorCodes } from "../../../../src/kit/errors.ts";
import { dialects } from "../../../../src/server/http/response/dialects.ts";
import { errorTable } from "../../../../src/server/http/response/error-table.ts";
import { startHttpDuet } from "../../../fakes/http-duet.ts";

const id = expect.stringMatching(/^req-[0-9a-f]{32}$/);

test("a refusal has the shape that whoever asks expects: problem details, OpenAI's or Anthropic's error, or JSON-RPC's", async () => {
  const { origin } = await startHttpDuet({ environment: { DUET_HTTP_TOKEN: "the-token" } });
  const refused = await Promise.all(
    ["/agent/nothing", "/v1/nothing", "/v1/messages/nothing", "/mcp"].map(async (path) => {
      const response = await fetch(`${origin}${path}`);
      const ids = ["x-request-id", "request-id"].map((name) => response.headers.get(name));
      return [response.status, response.headers.get("content-type"), ids, await response.json()];
    }),
  );
  const detail =
    "the header Authorization is missing (allowed: Bearer, followed by DUET_HTTP_TOKEN or a token of duet tokens create)";
  const message = detail;
  expect(refused).toEqual([
    [
      401,
      "application/problem+json",
      [id, null],
      {
        type: "urn:duet:error:auth",
        title: "Unauthorized",
        status: 401,
        detail,
        code: "auth",
        hint: null,
      },
    ],
    [
      401,
      "application/json",
      [id, null],
      { error: { message, type: "authentication_error", param: null, code: "invalid_api_key" } },
    ],
    [
      401,
      "application/json",
      [id, id],
      { type: "error", error: { type: "authentication_error", message, code: "auth" }, request_id: id },
    ],
    [
      401,
      "application/json",
      [id, null],
      { jsonrpc: "2.0", id: null, error: { code: -32_000, message, data: { code: "auth" } } },
    ],
  ]);
});

test("what is neither MCP nor a model API is refused as a problem, and a token that does not count is told as such", async () => {
  const { origin } = await startHttpDuet({ environment: { DUET_HTTP_TOKEN: "the-token" } });
  const headers = { authorization: "Bearer another-one" };
  const detail = "the token is not accepted (allowed: DUET_HTTP_TOKEN or a token of duet tokens create)";
  for (const path of ["/metrics", "/openapi.json", "/nothing", "/agent/runs", "/mcpx"]) {
    const response = await fetch(`${origin}${path}`, { headers });
    expect([response.status, response.headers.get("content-type")]).toEqual([401, "application/problem+json"]);
    expect(await response.json()).toMatchObject({ code: "auth", detail });
  }
});

test("every wire words every code without one that the client could take for another status", () => {
  for (const code of [...errorCodes, ...requestErrorCodes])
    for (const { dialect } of dialects) {
      const refusal = { status: errorTable[code].status, error: code, text: { zh: "坏了", en: "it broke" } };
      const { body } = dialect({ ...refusal, headers: { "retry-after": "7" } }, "en", "req-1");
      const text = JSON.stringify(body);
      expect(text).toContain("it broke");
      expect(text).toContain('"retry_after_s":7');
      expect(text).toMatch(/"(code|type)":"[a-z_]+"/);
    }
});

test("a problem is told in the language that the caller accepts, with the value and what is allowed", async () => {
  const { origin } = await startHttpDuet({ settings: { locale: "en" } });
  const ask = async (path: string, language: string, body: object) => {
    const headers = { "content-type": "application/json", "accept-language": language };
    const response = await fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return JSON.parse(await response.text());
  };
  const chinese = 'message: 不能是 ""（允许：1 到 100000 个字符的文本）';
  const english = 'message: "" is not allowed (allowed: a string of 1 to 100000 characters)';
  const said = await Promise.all(
    ["zh-CN,zh;q=0.9,en;q=0.5", "de, en;q=0.5, zh;q=0.9", "de", "*", "zh;q=0, en;q=0.1"].map(
      async (language) => (await ask("/agent/chat", language, { message: "" })).detail,
    ),
  );
  expect(said).toEqual([chinese, chinese, english, english, english]);
  expect((await ask("/agent/chat", "en", { message: "", locale: "zh" })).detail).toBe(chinese);
  expect((await ask("/v1/chat/completions", "zh", { model: "x", messages: [] })).error.message).toContain("允许");
  expect((await ask("/mcp", "zh", [])).error.message).toContain("不支持批量消息");
});
