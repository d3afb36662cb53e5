import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectionError, httpError, keyError, readRetryAfter } from "../../../src/providers/errors/errors.ts";
import { settings } from "../reading.ts";

function error(status: number, body: unknown, headers: Record<string, string> = {}) {
  return httpError({ status, headers: new Headers(headers), body }, settings());
}

describe("an error of a vendor", () => {
  test.each([
    [400, { error: { message: "This model's maximum context length is 10 tokens" } }, "context_overflow", false],
    [400, { error: { message: "Range of input length should be [1, 129024]" } }, "context_overflow", false],
    [413, "", "context_overflow", false],
    [429, { error: { message: "Rate limit reached: too many tokens, context length 9" } }, "rate_limit", true],
    [429, { error: { code: "insufficient_quota", message: "You exceeded your current quota" } }, "quota", false],
    [
      429,
      { error: { code: "insufficient_quota", message: "Allocated quota exceeded, please increase" } },
      "rate_limit",
      true,
    ],
    [429, { error: { code: "insufficient_quota", message: "week allocated quota exceeded" } }, "quota", false],
    [
      429,
      { error: { status: "RESOURCE_EXHAUSTED", message: "quota", details: [{ quotaId: "RequestsPerDay" }] } },
      "quota",
      false,
    ],
    [400, { error: { code: "Arrearage", message: "Access denied" } }, "quota", false],
    [403, { error: "Content violates usage guidelines. Team: x" }, "content_filter", false],
    [400, { code: "x", error: "Incorrect API key provided: sk-abc" }, "auth", false],
    [401, '{"detail":"Invalid API Key"}', "auth", false],
    [422, { detail: [{ msg: "field required" }] }, "invalid_request", false],
    [400, [{ error: { message: "bad", status: "INVALID_ARGUMENT" } }], "invalid_request", false],
    [404, { error: { message: "model not found", type: "not_found_error" } }, "model_not_found", false],
    [408, "", "server", true],
    [498, "", "overloaded", true],
    [502, "<html><head><title>502 Bad Gateway</title></head></html>", "server", true],
    [504, null, "server", true],
  ])("%d %j is %s", (status, body, code, retryable) => {
    expect(error(status, body)).toMatchObject({ code, retryable });
  });

  test("shows what the vendor said, without markup, in both languages", () => {
    expect(error(502, "<html><head><title>502 Bad Gateway</title></head></html>").text).toEqual({
      zh: "test/test-model：服务出错（HTTP 502）：502 Bad Gateway",
      en: "test/test-model: the service failed (HTTP 502): 502 Bad Gateway",
    });
  });

  test("shows neither secrets nor control characters, and is short", () => {
    const message = `bad \u001b[31mkey secret-key-123, Bearer abc.def, sk-proj-0123456789abcdef\n${"x".repeat(5000)}`;
    const { text } = error(400, { error: { message } });
    expect(text.en).toMatch(/^[\x20-\x7e…]+$/);
    expect(text.en).not.toMatch(/secret-key|abc\.def|0123456789abcdef/);
    expect(text.en.length).toBeLessThan(400);
  });

  test("names the variable of the key in its hint", () => {
    expect(error(401, "").hint).toEqual({
      zh: "请检查环境变量 TEST_API_KEY 中的密钥。",
      en: "Check the key in the environment variable TEST_API_KEY.",
    });
  });

  test("is final when the server says that trying again is of no use", () => {
    expect(error(500, "", { "x-should-retry": "false" }).retryable).toBe(false);
  });
});

describe("what an error shows of a key", () => {
  const key = "sk-proj-Ab3dEf9hIjKlMnOpQrSt_uv+w/x=";
  const shownOf = (message: string) =>
    httpError({ status: 401, headers: undefined, body: { error: { message } } }, settings({ apiKey: key })).text.en;

  test.each([
    `Incorrect API key provided: ${key}.`,
    `Incorrect API key provided: sk-proj-Ab3*****************v+w/x=`,
    "Incorrect API key provided: sk-proj-********************uv+w",
    `Your key ...${key.slice(-4)} is wrong`,
    `Your key ${key.slice(0, 14)}... is wrong`,
    `The key that ends in ${key.slice(-9)} is wrong`,
    `Authorization: Bearer ${key}`,
    `Authorization: Basic ${Buffer.from(`user:${key}`).toString("base64")}`,
    `no route https://proxy.example/v1?key=${encodeURIComponent(key)}&x=1`,
    `base64 ${Buffer.from(key).toString("base64")}`,
    `{"api_key":"${key}"}`,
    `x-api-key: ${key}`,
  ])("nothing of it in: %s", (message) => {
    const told = shownOf(message);
    for (const piece of [
      "Ab3d",
      "QrSt",
      "v+w",
      "+w/x",
      "w/x=",
      "uv%2Bw",
      Buffer.from(key).toString("base64").slice(4, 12),
    ]) {
      expect(told).not.toContain(piece);
    }
    expect(told).toContain("***");
  });

  test.each([
    ["https://user:hunter22@proxy.example/v1 refused", "hunter22"],
    ["GET https://proxy.example/?api_key=0123456789&a=b", "0123456789"],
    ["GET https://proxy.example/?access_token=0123456789", "0123456789"],
    ["token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N", "eyJzdWIi"],
    ["other keys: sk-ant-api03-aaaaaaaaaaaa AIzaSyA1234567890123 gsk_abcdefghijklmnop", "aaaaaaaaaaaa"],
    ["other keys: sk-ant-api03-aaaaaaaaaaaa AIzaSyA1234567890123 gsk_abcdefghijklmnop", "1234567890123"],
    ["other keys: sk-ant-api03-aaaaaaaaaaaa AIzaSyA1234567890123 gsk_abcdefghijklmnop", "abcdefghijklmnop"],
  ])("%s does not show %s", (message, secret) => {
    expect(shownOf(message)).not.toContain(secret);
  });

  test.each([
    "You can find your API key at https://platform.openai.com/account/api-keys.",
    "see https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
    "The model `gpt-5.2-proo` does not exist **or** you do not have access to it.",
  ])("ordinary words stay: %s", (message) => {
    expect(shownOf(message)).toContain(message);
  });

  test("control characters, bidirectional marks and line breaks become harmless", () => {
    expect(shownOf("a\u001b]0;x\u0007b\nc\u202ed")).toMatch(/^[\x20-\x7e]+$/);
  });
});

describe("a failed connection", () => {
  const failed = (code: string, baseUrl: string) =>
    connectionError(Object.assign(new Error("connect failed"), { code }), settings({ baseUrl }));

  test.each([
    ["ECONNREFUSED", "http://127.0.0.1:11434/v1", /ollama serve/, true],
    ["ECONNREFUSED", "https://api.openai.com/v1", /network.*api\.openai\.com/, true],
    ["ENOTFOUND", "https://api.opnai.com/v1", /api\.opnai\.com/, true],
    ["SELF_SIGNED_CERT_IN_CHAIN", "https://api.openai.com/v1", /NODE_EXTRA_CA_CERTS/, false],
  ])("%s at %s", (code, baseUrl, hint, retryable) => {
    expect(failed(code, baseUrl)).toMatchObject({ code: "network", retryable });
    expect(failed(code, baseUrl).hint?.en).toMatch(hint);
  });
});

test("a certificate that is not trusted sends the reader to the file that Node could not read", () => {
  const unreadCa = { file: "/etc/company.pem", problem: { zh: "不存在", en: "does not exist" } };
  const origin = { ...settings({ baseUrl: "https://api.openai.com/v1" }), network: { noProxy: [], unreadCa } };
  const thrown = Object.assign(new Error("connect failed"), { code: "SELF_SIGNED_CERT_IN_CHAIN" });
  expect(connectionError(thrown, origin).hint).toEqual({
    zh: "api.openai.com 的证书不受信任，而 NODE_EXTRA_CA_CERTS 指定的文件 /etc/company.pem 不存在：请改正这个文件或变量，再重新启动 Duet。",
    en: "The certificate of api.openai.com is not trusted, and the file /etc/company.pem that NODE_EXTRA_CA_CERTS names does not exist: correct the file or the variable, then start Duet again.",
  });
  const expired = Object.assign(new Error("certificate has expired"), { code: "CERT_HAS_EXPIRED" });
  expect(connectionError(expired, origin).hint?.en).not.toContain("/etc/company.pem");
});

test("a server that speaks http under an https address is told as such, in one attempt, without the words of OpenSSL", async () => {
  const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const baseUrl = `https://127.0.0.1:${port}/v1`;
  const thrown = await fetch(baseUrl).catch((error: unknown) => error);
  const error = connectionError(thrown, settings({ baseUrl }));
  expect(error).toMatchObject({ code: "network", retryable: false });
  expect(error.text.en).toMatch(/the connection to 127\.0\.0\.1:\d+ failed: the server there does not speak TLS$/);
  expect(error.text.zh).toMatch(/的连接失败：那里的服务不使用 TLS$/);
  expect(error.hint?.en).toBe(`Write http:// instead of https:// in the address of 127.0.0.1:${port}.`);
});

test("a port that fetch refuses, as it does for the list of models, is named, in one attempt", async () => {
  const baseUrl = "http://127.0.0.1:6000/v1";
  const thrown = await fetch(baseUrl).catch((error: unknown) => error);
  const error = connectionError(thrown, settings({ baseUrl }));
  expect(error).toMatchObject({ code: "network", retryable: false });
  expect(error.text.en).toMatch(/to 127\.0\.0\.1:6000 failed: port 6000 is refused as unsafe by fetch$/);
  expect(error.text.zh).toMatch(/的连接失败：端口 6000 被视为不安全，fetch 拒绝连接$/);
  expect(error.hint?.en).toBe("Let the server listen at another port, such as 8080.");
});

test.each(["sslv3 alert handshake failure", "tlsv1 alert protocol version"])(
  "%s is no server without TLS",
  (reason) => {
    const thrown = Object.assign(new Error(`write EPROTO 00:error:0A000410:SSL routines::${reason}`), {
      code: "EPROTO",
    });
    const error = connectionError(thrown, settings({ baseUrl: "https://api.openai.com/v1" }));
    expect([error.retryable, error.text.en]).toEqual([true, expect.stringContaining(reason)]);
  },
);

test("a failed connection tells what the socket said, not what the package made of it", () => {
  const socket = Object.assign(new Error("connect failed"), { code: "ECONNREFUSED" });
  const wrapped = new Error("Connection error.", { cause: new Error("fetch failed", { cause: socket }) });
  expect(connectionError(wrapped, settings()).text.en).toBe(
    "test/test-model: the connection to 127.0.0.1:1 failed: the connection was refused; nothing listens there (ECONNREFUSED connect failed)",
  );
});

test.each<[code: string, message: string, zh?: string, en?: string]>([
  ["ECONNRESET", "the server closed it", "连接被对方断开", "the other side closed the connection"],
  [
    "ECONNREFUSED",
    "connect 10.0.0.7:80",
    "连接被拒绝，该端口没有服务",
    "the connection was refused; nothing listens there",
  ],
  ["ENOTFOUND", "getaddrinfo a.invalid", "找不到该主机", "the host was not found"],
  ["EPROTO", "tlsv1 alert protocol version"],
  ["ERR_SSL_BAD_ECPOINT", "bad ecpoint"],
  ["CERT_HAS_EXPIRED", "certificate has expired", "TLS 证书已过期", "its TLS certificate has expired"],
  ["EUNHEARD", "of no known kind"],
])("a connection that fails with %s is told in words first, where the code says enough", (code, message, zh, en) => {
  const told = `${code} ${message}`;
  const failed = connectionError(Object.assign(new Error(message), { code }), settings());
  expect(failed.text).toEqual({
    zh: `test/test-model：与 127.0.0.1:1 的连接失败：${zh ? `${zh}（${told}）` : told}`,
    en: `test/test-model: the connection to 127.0.0.1:1 failed: ${en ? `${en} (${told})` : told}`,
  });
});

test("Node's words that name the code say it once", () => {
  const thrown = Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:80"), { code: "ECONNREFUSED" });
  expect(connectionError(thrown, settings()).text.en).toMatch(/ there \(connect ECONNREFUSED 10\.0\.0\.7:80\)$/);
});

test("a key that cannot be sent is told without being shown", () => {
  const told = keyError(settings({ apiKey: "se cret\n" }));
  expect(told).toMatchObject({ code: "auth", message: expect.stringContaining("TEST_API_KEY") });
  expect(told.message).not.toContain("se cret");
});

describe("the wait that a vendor asks for", () => {
  const now = Date.parse("2026-11-20T10:00:00Z");
  test.each([
    [{ "retry-after": "24" }, 24_000],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after": "1", "retry-after-ms": "0" }, 0],
    [{ "retry-after": "Fri, 20 Nov 2026 10:00:30 GMT" }, 30_000],
    [{ "retry-after": "Fri, 20 Nov 2026 09:00:00 GMT" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("%j is %s", (headers, expected) => {
    expect(readRetryAfter(new Headers(headers), "", now)).toBe(expected);
  });

  test("may stand in the body", () => {
    expect(readRetryAfter(undefined, 'x {"retryDelay":"48s"}')).toBe(48_000);
    expect(readRetryAfter(undefined, "Please retry in 2.5s.")).toBe(2500);
  });
});
