import { expect, test } from "vitest";
import { createAllowedNames } from "../../../../src/server/http/request/allowed-names.ts";
import { addCorsHeaders, toPreflightResponse } from "../../../../src/server/http/routes.ts";

const names = createAllowedNames({
  host: "127.0.0.1",
  port: 8080,
  allowedHosts: [],
  allowedOrigins: ["https://app.example.com"],
});

function headersFor(origin: string | undefined): Headers {
  const headers = new Headers({ "access-control-allow-methods": "GET" });
  addCorsHeaders(
    headers,
    new Request("http://127.0.0.1:8080/mcp", { headers: origin === undefined ? {} : { origin } }),
    names,
  );
  return headers;
}

test("a page of a configured origin, and no other, may read an answer, and never with cookies", () => {
  const allowed = headersFor("https://app.example.com");
  expect(allowed.get("access-control-allow-origin")).toBe("https://app.example.com");
  expect(allowed.has("access-control-allow-credentials")).toBe(false);
  for (const origin of [undefined, "https://evil.test", "null", "http://127.0.0.1:8080"]) {
    const headers = [...headersFor(origin).keys()];
    expect(headers.filter((name) => name.startsWith("access-control-"))).toEqual([]);
  }
});

test("an answer tells caches that it depends on the origin, whoever asks", () => {
  for (const origin of [undefined, "https://evil.test", "https://app.example.com"])
    expect(headersFor(origin).get("vary")).toBe("Origin");
});

test("a page may send the headers of the protocol and of tools' parameters, and no others", () => {
  const wanted = "cookie, x-forwarded-for, Mcp-Param-City, x-stainless-lang";
  const request = new Request("http://127.0.0.1:8080/mcp", { headers: { "access-control-request-headers": wanted } });
  const allowed = toPreflightResponse(request, undefined).headers.get("access-control-allow-headers")?.split(", ");
  expect(allowed).toEqual(expect.arrayContaining(["authorization", "mcp-param-city", "x-stainless-lang"]));
  expect(allowed).not.toEqual(expect.arrayContaining(["cookie"]));
  expect(allowed).not.toEqual(expect.arrayContaining(["x-forwarded-for"]));
});
