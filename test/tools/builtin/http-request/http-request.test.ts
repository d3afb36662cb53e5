import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { ToolResult } from "../../../../src/core/tools/tool.ts";
import type { JsonObject } from "../../../../src/kit/json.ts";
import type { Locale } from "../../../../src/kit/locale.ts";
import { parseAddress } from "../../../../src/kit/net/dial-target.ts";
import { createBuiltinTools } from "../../../../src/tools/builtin/builtin-tools.ts";
import { createHostList } from "../../../../src/tools/builtin/http-request/read-request.ts";
import { createPermissionCheck } from "../../../../src/tools/permission-rules.ts";
import { testContext } from "../../context.ts";
import { type Site, startListener, startSite } from "../../outgoing/servers.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

function toolFor(hosts: readonly string[], locale: Locale = "en") {
  const web = { hosts, reach: ["127.0.0.1"], ports: [80, 443] };
  return createBuiltinTools({ roots: [], locale, search: undefined, web }).find(({ name }) => name === "http_request");
}

async function call(args: JsonObject, { hosts = ["127.0.0.1"], locale = "en" as Locale } = {}): Promise<ToolResult> {
  const result = await toolFor(hosts, locale)?.run(args, testContext({ locale }));
  if (result === undefined) throw new Error("there is no http_request");
  return result;
}

async function callSite(answer: Answer, args: JsonObject = {}): Promise<{ result: ToolResult; site: Site }> {
  const site = await startSite(answer);
  return { site, result: await call({ url: `http://127.0.0.1:${site.port}/`, ...args }) };
}

/** A site's answer of one type. */
const says =
  (type: string, body: string | Buffer): Answer =>
  (_request, response) =>
    response.writeHead(200, { "content-type": type, date: "now" }).end(body);

test("is on offer only where hosts are configured, and names them", () => {
  expect(toolFor([])).toBeUndefined();
  expect(toolFor(["api.example.com", "*.test"])?.description).toContain("Hosts allowed: api.example.com, *.test");
  expect(toolFor(["*.test"], "zh")?.description).toContain("允许的主机：*.test");
});

describe("what comes back", () => {
  test("is status, address, headers that say something, and the body", async () => {
    const site = await startSite((_request, response) => {
      response.writeHead(200, {
        "content-type": "application/json",
        "x-ratelimit-remaining": "7",
        "set-cookie": "a=1",
      });
      response.end('{"city":"北京","n":1}');
    });
    const url = `http://127.0.0.1:${site.port}/v1?q=1`;
    const { ok, text } = await call({ url });
    expect(ok).toBe(true);
    expect(text).toMatch(/^HTTP 200 OK · \d+ ms\nGET http:\/\/127\.0\.0\.1:\d+\/v1\?q=1\n/);
    expect(text).toContain("content-type: application/json\nx-ratelimit-remaining: 7\n");
    expect(text).not.toContain("set-cookie");
    expect(text.endsWith('\n\n{\n  "city": "北京",\n  "n": 1\n}')).toBe(true);
  });

  test("of a redirect is the last address", async () => {
    const { result, site } = await callSite(({ url }, response) => {
      if (url === "/") response.writeHead(301, { location: "/there" }).end();
      else response.end("moved");
    });
    expect(result.text).toContain(
      `GET http://127.0.0.1:${site.port}/, redirected to http://127.0.0.1:${site.port}/there\n`,
    );
    expect(result.text.endsWith("\n\nmoved")).toBe(true);
  });

  test("of a redirect that turns a POST into a GET does not say that the POST went on", async () => {
    const answer: Answer = ({ url, method }, response) => {
      if (url === "/") response.writeHead(303, { location: "/there" }).end();
      else response.end(method);
    };
    const { result, site } = await callSite(answer, { method: "POST", body: "x" });
    expect(result.text).toContain(`POST http://127.0.0.1:${site.port}/, redirected to `);
    expect(result.text.endsWith("\n\nGET")).toBe(true);
  });

  test.each([404, 500, 429])("with %i is a failure that is told in full", async (status) => {
    const { result, site } = await callSite((_request, response) => {
      response.writeHead(status, { "retry-after": "30" }).end("why it failed");
    });
    expect(result).toMatchObject({ ok: false, error: { code: "tool" } });
    expect(result.error?.message).toMatch(new RegExp(`^127\\.0\\.0\\.1:${site.port} answered HTTP ${status} `));
    expect(result.text).toMatch(new RegExp(`^HTTP ${status} `));
    expect(result.text).toContain("retry-after: 30");
    expect(result.text.endsWith("\n\nwhy it failed")).toBe(true);
  });

  test.each([
    ["numbers that are too long to keep", '{"id":12345678901234567890}'],
    ["doubled keys", '{"a":1,"a":2}'],
    ["its own layout", '{ "a": 1 }'],
    ["a fault", '{"a":1'],
  ])("JSON with %s stays as it was sent", async (_name, json) => {
    const { result } = await callSite(says("application/json", json));
    expect(result.text.endsWith(`\n\n${json}`)).toBe(true);
  });

  test.each([
    ["text/html; charset=gbk", Buffer.from([0xb1, 0xb1, 0xbe, 0xa9]), "北京"],
    ['text/plain; charset="utf-8"', Buffer.from("北京"), "北京"],
    ["text/plain", Buffer.from("北京"), "北京"],
    ["application/octet-stream", Buffer.from("plain words"), "plain words"],
    ["text/plain; charset=utf-8", Buffer.from("\ufeff北京", "utf16le"), "北京"],
    ["text/plain; charset=nonsense", Buffer.from("北京"), "北京"],
    ["image/svg+xml", Buffer.from("<svg/>"), "<svg/>"],
  ])("68 in %s is read as text", async (type, body, text) => {
    const { result } = await callSite(says(type, body));
    expect(result.text.endsWith(`\n\n${text}`)).toBe(true);
  });

  test.each([
    ["image/png", Buffer.from("89504e470d0a1a0a", "hex")],
    ["application/pdf", Buffer.from("%PDF-1.7")],
    ["text/plain", Buffer.from([0, 1, 2, 3, 0, 0, 5])],
    ["application/octet-stream", Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
  ])("68 in %s is named when it is binary, and not shown", async (type, body) => {
    const { result } = await callSite(says(type, body));
    expect(result.text.endsWith(`\n\n[binary content: ${type}, ${body.length} bytes, not shown]`)).toBe(true);
  });

  test("without a body says so", async () => {
    const { result } = await callSite((_request, response) => response.writeHead(204).end());
    expect(result.text).toMatch(/^HTTP 204 No Content/);
    expect(result.text.endsWith("\n\n[no body]")).toBe(true);
  });

  test.each([300_000, 3_000_000])("of %i characters is cut, with a word", async (length) => {
    const { result } = await callSite(says("text/plain", "x".repeat(length)));
    expect(result.text.length).toBeLessThan(201_000);
    expect(result.text.endsWith("xx\n…[there is more, not shown]")).toBe(true);
  });
});

describe("what is sent", () => {
  test.each([
    [{ body: { city: "北京" } }, '{"city":"北京"}', "application/json"],
    [{ body: [1, 2] }, "[1,2]", "application/json"],
    [
      { body: { a: 1 }, headers: { "Content-Type": "application/vnd.api+json" } },
      '{"a":1}',
      "application/vnd.api+json",
    ],
    [{ body: "a=1", headers: { "content-type": "text/x" } }, "a=1", "text/x"],
    [{ body: "as it is" }, "as it is", "text/plain; charset=utf-8"],
    [{ body: "5" }, "5", "text/plain; charset=utf-8"],
    [{ body: '{"a": 1}' }, '{"a": 1}', "application/json"],
    [{ body: "[1" }, "[1", "text/plain; charset=utf-8"],
  ])("%j", async (args, body, type) => {
    const { result, site } = await callSite((_request, response) => response.end("ok"), { method: "POST", ...args });
    expect(result.ok).toBe(true);
    expect(site.requests).toMatchObject([{ method: "POST", body }]);
    expect(site.requests[0]?.headers["content-type"]).toBe(type);
  });

  test.each(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("%s", async (method) => {
    const headers = { Authorization: "Bearer k", "X-Own": "1" };
    const { result, site } = await callSite((_request, response) => response.end("ok"), { method, headers });
    expect(result.ok).toBe(true);
    expect(site.requests).toMatchObject([{ method, headers: { authorization: "Bearer k", "x-own": "1" } }]);
  });
});

describe("what is refused, in both languages", () => {
  const url = "http://127.0.0.1:9/";

  test.each<[JsonObject, string, string]>([
    [{}, "url: this field is required (missing)", "url: 字段是必需的（缺失）"],
    [{ url: 5 }, "url: must be a string (current value: 5)", "url: 必须是字符串（当前值: 5）"],
    [{ url, method: "FETCH" }, "method: must be one of", "method: 必须是以下之一"],
    [{ url, extra: 1 }, "extra:", "extra: 不是允许的字段"],
    [{ url, body: 5, method: "POST" }, "body: must be", "body: 必须是"],
    [{ url, headers: { a: 5 } }, "headers.a: must be a string", "headers.a: 必须是字符串"],
    [
      { url, headers: { Host: "evil" } },
      "headers.Host: is set by Duet and cannot be changed",
      "headers.Host: 由 Duet 设置，不能指定",
    ],
    [
      { url, headers: { "content-length": "5" } },
      "headers.content-length: is set",
      "headers.content-length: 由 Duet 设置",
    ],
    [
      { url, headers: { "Transfer-Encoding": "x" } },
      "headers.Transfer-Encoding: is set",
      "headers.Transfer-Encoding: 由 Duet 设置",
    ],
    [{ url, headers: { "Proxy-Authorization": "x" } }, "headers.Proxy-Authorization: is set", "由 Duet 设置"],
    [{ url, headers: { Connection: "x" } }, "headers.Connection: is set", "由 Duet 设置"],
    [
      { url, headers: { "X-A": "canary\r\nHost: evil" } },
      "headers.X-A: may contain only visible ASCII characters",
      "headers.X-A: 只能含可见的 ASCII 字符",
    ],
    [{ url, headers: { "a b": "x" } }, 'headers: is not the name of a header (current value: "a b")', "不是请求头名称"],
    [{ url, headers: { A: "1", a: "canary" } }, "headers.a: is a duplicate", "headers.a: 重复"],
    [{ url, body: "x" }, 'body: a GET request has no body (current value: "x")', "body: GET 请求不能带正文"],
    [{ url, timeout_s: 500 }, "timeout_s: must be <= 60", "timeout_s: 必须 <= 60"],
    [
      { url: "http://other.test/" },
      'url: its host must match web.hosts: 127.0.0.1 (current value: "http://other.test/")',
      'url: 主机必须符合 web.hosts: 127.0.0.1（当前值: "http://other.test/"）',
    ],
    [{ url: "nonsense" }, "it is not a valid URL", "不是有效的网址"],
    [{ url: "file:///etc/passwd" }, "only http and https URLs can be called", "只能访问 http 和 https 网址"],
    [
      { url: "http://u:canary@127.0.0.1/" },
      "a URL must not contain a user name or password",
      "网址中不能带用户名和密码",
    ],
  ])("%j", async (args, en, zh) => {
    const [english, chinese] = [await call(args), await call(args, { locale: "zh" })];
    for (const result of [english, chinese]) {
      expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
      expect(result.text).not.toContain("canary");
    }
    expect(english.text).toContain(en);
    expect(chinese.text).toContain(zh);
  });

  test.each([
    ["*.example.com", "http://api.example.com/", true],
    ["*.EXAMPLE.com", "http://API.example.com./", true],
    ["*.example.com", "http://example.com/", false],
    ["*.example.com", "http://evil.com/.example.com", false],
    ["*.example.com", "http://evil.com#.example.com", false],
    ["api.example.com", "http://api.example.com.evil.com/", false],
    ["api.example.com:8443", "https://api.example.com:8443/", true],
    ["api.example.com:8443", "https://api.example.com/", false],
    ["api.example.com:443", "https://api.example.com/", true],
  ])("hosts %s and %s: %s", (pattern, address, fits) => {
    const list = createHostList([pattern]);
    expect(list.has(parseAddress(address))).toBe(fits);
    if (!fits) expect(() => list.check(parseAddress(address))).toThrow(`its host must match web.hosts: ${pattern}`);
  });

  test("a redirect to a host that is not listed", async () => {
    const other = await startListener();
    const site = await startSite((_request, response) => {
      response.writeHead(302, { location: `http://localhost:${other.port}/` }).end();
    });
    const result = await call({ url: `http://127.0.0.1:${site.port}/` });
    expect(result).toMatchObject({ ok: false, error: { code: "invalid_request" } });
    expect(result.text).toContain(
      `http://localhost:${other.port} was not contacted: its host must match web.hosts: 127.0.0.1`,
    );
    expect(other.connects).toBe(0);
  });

  test("a listed host at a private address, which wants web.reach too", async () => {
    const result = await call({ url: "http://10.0.0.5/" }, { hosts: ["*"], locale: "zh" });
    expect(result.text).toBe('没有访问 10.0.0.5:80：这是内网地址；如需访问，把 "10.0.0.5:80" 加入 web.reach');
  });
});

test("only what changes something is destructive, and asks by default", () => {
  const tool = toolFor(["*"]);
  if (tool === undefined) throw new Error("there is no http_request");
  const checkPermission = createPermissionCheck({ ask: ["*:destructive"] });
  const decisions = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"].map(
    (method) => checkPermission(tool, { url: "http://a.test/", method }).decision,
  );
  expect(decisions).toEqual(["allowed", "allowed", "allowed", "ask", "ask", "ask", "ask"]);
  expect(checkPermission(tool, { url: "http://a.test/" }).decision).toBe("allowed");
});
