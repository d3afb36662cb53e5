import { describe, expect, test } from "vitest";
import { isRedirect, toNextHop } from "../../../src/kit/net/create-guarded-fetch.ts";
import type { Hop } from "../../../src/kit/net/http-exchange.ts";

const secrets = { authorization: "Bearer canary", cookie: "a=canary", "x-api-key": "canary" };

function hop(method: string, body?: string, url = "https://a.test/one?key=canary"): Hop {
  const headers = { accept: "*/*", "user-agent": "Duet", "content-type": "text/plain", ...secrets };
  return { url: new URL(url), method, headers, body };
}

const to = (location: string, status = 302) => ({ status, headers: { location } });

describe("within one origin", () => {
  test.each([
    [301, "POST", "GET", undefined],
    [302, "POST", "GET", undefined],
    [303, "POST", "GET", undefined],
    [303, "PUT", "GET", undefined],
    [307, "POST", "POST", "text"],
    [308, "POST", "POST", "text"],
    [301, "PUT", "PUT", "text"],
    [302, "DELETE", "DELETE", "text"],
  ])("a %i turns %s into %s", (status, method, after, body) => {
    const next = toNextHop(hop(method, "text"), to("/two", status));
    expect(next).toMatchObject({ method: after, headers: secrets });
    expect(next.body).toBe(body);
    expect(next.url.href).toBe("https://a.test/two");
    expect("content-type" in next.headers).toBe(body !== undefined);
  });

  test.each(["GET", "HEAD"])("a 303 leaves %s as it is", (method) => {
    expect(toNextHop(hop(method), to("/two", 303)).method).toBe(method);
  });
});

describe("to another origin", () => {
  test.each(["https://b.test/", "https://a.test:8443/", "https://sub.a.test/", "//b.test"])(
    "%s: nothing of ours goes along but the harmless",
    (location) => {
      expect(toNextHop(hop("GET"), to(location)).headers).toEqual({ accept: "*/*", "user-agent": "Duet" });
    },
  );

  test.each([
    [307, "POST"],
    [308, "POST"],
    [302, "PUT"],
    [301, "DELETE"],
  ])("a %i does not take a %s along", (status, method) => {
    expect(() => toNextHop(hop(method, "text"), to("https://b.test/", status))).toThrow(
      `https://b.test was not contacted: https://a.test redirects a ${method} request to it, which is not followed`,
    );
  });

  test("a POST that turns into a GET goes there, without its headers", () => {
    const next = toNextHop(hop("POST", "text"), to("https://b.test/", 303));
    expect(next).toMatchObject({ method: "GET", body: undefined });
    expect(next.headers).toEqual({ accept: "*/*", "user-agent": "Duet" });
  });
});

test("from https to http is refused, to the same host too", () => {
  expect(() => toNextHop(hop("GET"), to("http://a.test/one"))).toThrow(/from https to http, which is not safe/);
});

test("an address in UTF-8 without escapes is understood", () => {
  const location = Buffer.from("/搜索?q=北京").toString("latin1");
  expect(toNextHop(hop("GET"), to(location)).url.pathname).toBe("/%E6%90%9C%E7%B4%A2");
});

test.each([
  [200, { location: "/x" }, false],
  [304, { location: "/x" }, false],
  [300, { location: "/x" }, false],
  [302, {}, false],
  [308, { location: "" }, true],
])("status %i with %j: %s", (status, headers, expected) => {
  expect(isRedirect({ status, headers })).toBe(expected);
});
