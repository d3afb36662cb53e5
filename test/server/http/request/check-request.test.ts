import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { createAllowedNames } from "../../../../src/server/http/request/allowed-names.ts";
import { checkBody, checkRequest } from "../../../../src/server/http/request/check-request.ts";

const names = createAllowedNames({
  host: "127.0.0.1",
  port: 8080,
  publicUrl: "https://duet.example.com/base",
  allowedHosts: ["Proxy.example.com:81"],
  allowedOrigins: ["https://App.example.com"],
});

const json: [string, string] = ["Content-Type", "application/json"];

interface Asked {
  method?: string;
  url?: string;
  version?: string;
  host?: string;
  headers?: [string, string][];
}

/** The status with which a request is refused; undefined for one that may go on. */
function judge({ method = "POST", url = "/mcp", version = "1.1", host = "127.0.0.1:8080", headers = [] }: Asked) {
  const request = new IncomingMessage(new Socket());
  const all: [string, string][] = [["Host", host], ...headers];
  Object.assign(request, { method, url, httpVersion: version, rawHeaders: all.flat() });
  return checkRequest(request, names)?.status;
}

test("a request of ours goes on: with JSON, or with a method that carries none", () => {
  expect(judge({ headers: [json] })).toBeUndefined();
  for (const method of ["GET", "HEAD", "OPTIONS", "DELETE"]) expect(judge({ method })).toBeUndefined();
});

test.each([
  "127.0.0.1:8080",
  "localhost:8080",
  "[::1]:8080",
  "LOCALHOST:8080",
  "127.0.0.1",
  "127.0.0.1:8081",
  "localhost:4816",
  "duet.example.com",
  "proxy.example.com:81",
])("the host %s is one of this server's names", (host) => expect(judge({ headers: [json], host })).toBeUndefined());

test.each([
  ["evil.test", 403],
  ["evil.test:8080", 403],
  ["127.0.0.2:8080", 403],
  ["localhost.evil.test:8080", 403],
  ["127.0.0.1:8080.evil.test", 400],
  ["proxy.example.com", 403],
  ["duet.example.com.evil.test", 403],
  ["", 400],
  ["user@127.0.0.1:8080", 400],
  ["127.1:8080", 400],
  ["2130706433:8080", 400],
  ["0x7f.1:8080", 400],
  ["127.0.0.1:8080#", 400],
])("the host %j is refused with %i, whatever the method", (host, status) => {
  expect([judge({ host, headers: [json] }), judge({ host, method: "GET" })]).toEqual([status, status]);
});

test.each(["http://127.0.0.1:8080", "http://localhost:8080", "https://duet.example.com", "https://app.example.com"])(
  "a page of %s may call",
  (origin) => expect(judge({ headers: [json, ["Origin", origin]] })).toBeUndefined(),
);

test.each([
  "null",
  "https://evil.test",
  "https://127.0.0.1:8080",
  "http://app.example.com",
  "https://duet.example.com.evil.test",
])("a page of %s may not call, whatever the method", (origin) => {
  expect(judge({ headers: [json, ["Origin", origin]] })).toBe(403);
  expect(judge({ method: "GET", headers: [["Origin", origin]] })).toBe(403);
});

test("two origins are refused, also where both may call", () => {
  const origin: [string, string] = ["Origin", "https://app.example.com"];
  expect(judge({ headers: [json, origin, origin] })).toBe(403);
});

describe("a header that stands there twice is refused where programs could read different ones:", () => {
  test.each([
    "Host",
    "Content-Type",
    "Content-Length",
    "Content-Encoding",
    "Transfer-Encoding",
    "Authorization",
    "Mcp-Session-Id",
    "Mcp-Protocol-Version",
    "Mcp-Method",
    "Mcp-Name",
  ])("%s", (name) => {
    const value = name === "Host" ? "127.0.0.1:8080" : name === "Content-Type" ? "application/json" : "1";
    const twice: [string, string][] = [
      [name, value],
      [name.toLowerCase(), value],
    ];
    const headers = name === "Content-Type" ? twice : [json, ...twice];
    expect(judge({ headers })).toBe(400);
  });
});

test.each(["*", "http://127.0.0.1:8080/mcp", "mcp", ""])("the target %j is refused: this is no proxy", (url) => {
  expect(judge({ url, headers: [json] })).toBe(400);
});

test("HTTP/1.0 is refused", () => {
  expect(judge({ version: "1.0", headers: [json] })).toBe(400);
});

test.each([
  undefined,
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data",
  "application/json; charset=utf-16",
  "text/plain; application/json",
  "application/jsonp",
])("a body of type %s is refused, as a page may send it without asking first", (type) => {
  const headers = new Headers(type === undefined ? {} : { "Content-Type": type });
  for (const method of ["POST", "PUT", "PATCH"]) expect(checkBody(method, headers)?.status).toBe(415);
});

test.each([
  ["gzip", 415],
  ["br", 415],
  ["identity", undefined],
  ["Identity", undefined],
])("a body encoded as %s is answered %s", (encoding, status) => {
  expect(checkBody("POST", new Headers([json, ["Content-Encoding", encoding]]))?.status).toBe(status);
});

describe("a server that is bound to all addresses", () => {
  const open = createAllowedNames({ host: "0.0.0.0", port: 8080, allowedHosts: [], allowedOrigins: [] });

  test("takes the address that was dialled, and no other, as its name", () => {
    expect(open.isHost("192.168.1.7:8080", "192.168.1.7")).toBe(true);
    expect(open.isHost("192.168.1.7:8080", "::ffff:192.168.1.7")).toBe(true);
    expect(open.isHost("192.168.1.8:8080", "192.168.1.7")).toBe(false);
    expect(open.isHost("192.168.1.7:8081", "192.168.1.7")).toBe(false);
    expect(open.isHost("evil.test:8080", "192.168.1.7")).toBe(false);
    expect(open.isOrigin("http://192.168.1.7:8080", "192.168.1.7", "192.168.1.7:8080")).toBe(true);
    expect(open.isOrigin("https://192.168.1.7:8080", "192.168.1.7", "192.168.1.7:8080")).toBe(false);
  });

  test("is not what a server with one address is: that takes only its own names", () => {
    expect(names.isHost("192.168.1.7:8080", "192.168.1.7")).toBe(false);
  });
});

test("a page that came through a tunnel may call, and a page of another program of this machine may not", () => {
  expect(names.isOrigin("http://localhost:4816", undefined, "localhost:4816")).toBe(true);
  expect(names.isOrigin("http://localhost:3000", undefined, "localhost:4816")).toBe(false);
  expect(names.isOrigin("http://evil.test:4816", undefined, "evil.test:4816")).toBe(false);
  const bound = createAllowedNames({ host: "192.168.1.7", port: 8080, allowedHosts: [], allowedOrigins: [] });
  expect(bound.isHost("localhost:4816", undefined)).toBe(false);
});

test("only configured origins are told by CORS that they may call", () => {
  expect(names.isForeignOrigin("https://app.example.com")).toBe(true);
  expect(names.isForeignOrigin("http://127.0.0.1:8080")).toBe(false);
});
