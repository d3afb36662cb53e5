import { describe, expect, test } from "vitest";
import {
  findProxySecrets,
  findRoute,
  type ProxyRules,
  parseProxy,
  toShownProxy,
  withOwnProxy,
} from "../../../src/kit/net/proxy-rules.ts";

const proxy = "http://proxy.example:3128/";

/** The proxy to an address where hosts of `noProxy` have none. */
function proxyTo(address: string, ...noProxy: string[]): string | undefined {
  return findRoute({ http: proxy, https: proxy, noProxy }, address)?.proxy;
}

describe("the route to an address", () => {
  test("nothing is imported or looked at where no proxy and no certificate is configured", () => {
    expect(findRoute(undefined, "https://api.example.com")).toBeUndefined();
    expect(findRoute({ noProxy: ["*"] }, "https://api.example.com")).toBeUndefined();
  });

  test("http and https have a proxy each", () => {
    const rules: ProxyRules = { http: "http://a/", https: "http://b/", noProxy: [] };
    expect(findRoute(rules, "http://api.example.com")?.proxy).toBe("http://a/");
    expect(findRoute(rules, "https://api.example.com")?.proxy).toBe("http://b/");
  });

  test.each([
    "http://127.0.0.1:11434/v1",
    "http://127.8.9.10/",
    "http://2130706433/",
    "http://localhost:8080",
    "http://LOCALHOST./",
    "http://app.localhost",
    "http://[::1]:80",
    "http://[::ffff:127.0.0.1]/",
    "http://0.0.0.0:1",
  ])("%s is this machine, which has no proxy even where one is set for it", (address) => {
    expect(proxyTo(address)).toBeUndefined();
    expect(findRoute(withOwnProxy(undefined, proxy), address)).toBeUndefined();
  });

  test.each([
    ["https://api.example.com", "example.com"],
    ["https://example.com", "example.com"],
    ["https://example.com.", "example.com"],
    ["https://API.Example.com", ".EXAMPLE.com"],
    ["https://example.com", ".example.com"],
    ["https://api.example.com", "*.example.com"],
    ["https://api.example.com:8443", "example.com:8443"],
    ["https://api.example.com", "api.example.com:443"],
    ["http://10.1.2.3/", "10.0.0.0/8"],
    ["http://10.1.2.3:81/", "10.0.0.0/8:81"],
    ["http://[fd00::5]/", "fd00::/8"],
    ["http://[fd00::5]:8080/", "[fd00::5]:8080"],
    ["http://[fd00::5]/", "fd00::5"],
    ["https://anything.example", "*"],
  ])("%s is called directly with NO_PROXY %s", (address, entry) => {
    expect(proxyTo(address, "other.example", entry)).toBeUndefined();
  });

  test.each([
    ["https://example.com", "*.example.com"],
    ["https://notexample.com", "example.com"],
    ["https://example.com.evil.test", "example.com"],
    ["https://api.example.com", "example.com:8443"],
    ["http://11.1.2.3/", "10.0.0.0/8"],
    ["http://10.1.2.3/", "10.0.0.0/99"],
    ["http://10.1.2.3/", "0.1.2.3"],
    ["https://ten.example", "10.0.0.0/8"],
    ["https://example.com", "."],
  ])("%s goes by the proxy with NO_PROXY %s", (address, entry) => {
    expect(proxyTo(address, entry)).toBe(proxy);
  });

  test("a proxy of one's own takes precedence over NO_PROXY, and `direct` over any proxy", () => {
    const general: ProxyRules = { http: proxy, https: proxy, noProxy: ["*"], ca: "PEM" };
    expect(findRoute(withOwnProxy(general, "http://own/"), "https://a.example")).toEqual({
      proxy: "http://own/",
      ca: "PEM",
    });
    expect(findRoute(withOwnProxy({ ...general, noProxy: [] }, "direct"), "https://a.example")).toEqual({ ca: "PEM" });
    expect(withOwnProxy({ http: proxy, noProxy: [] }, "direct")).toBeUndefined();
    expect(withOwnProxy(general, undefined)).toBe(general);
  });
});

describe("the address of a proxy", () => {
  test.each([
    ["http://proxy:3128", "http://proxy:3128/"],
    ["https://ada:p%40ss@proxy/", "https://ada:p%40ss@proxy/"],
    [" proxy.corp:3128 ", "http://proxy.corp:3128/"],
    ["ada:pw@proxy.corp:3128", "http://ada:pw@proxy.corp:3128/"],
    ["127.0.0.1:1", "http://127.0.0.1:1/"],
  ])("%j is read as %s", (written, read) => {
    expect(parseProxy(written)).toBe(read);
  });

  test.each([
    "",
    "http://",
    "socks5://127.0.0.1:1080",
    "http://proxy/path",
    "http://proxy:99999",
    "a b",
    "http://%zz@p",
  ])("%j is none", (written) => {
    expect(parseProxy(written)).toBeUndefined();
  });

  test("is shown without its credentials, which are known in every form in which they could appear", () => {
    const written = "http://ada:p%40ss:word@proxy.corp:3128/";
    expect(toShownProxy(written)).toBe("http://proxy.corp:3128");
    expect(findProxySecrets(written)).toEqual(
      expect.arrayContaining(["p%40ss%3Aword", "p@ss:word", Buffer.from("ada:p@ss:word").toString("base64")]),
    );
    expect(findProxySecrets("http://proxy.corp:3128/")).toEqual([]);
  });
});
