import { expect, test } from "vitest";
import { checkAddress } from "../../../src/kit/net/check-address.ts";
import { parseDialTarget } from "../../../src/kit/net/dial-target.ts";
import { createWebRules, readReachList } from "../../../src/tools/outgoing/create-tool-fetch.ts";

const { signal } = new AbortController();

/** Judges a host that resolves to these addresses. */
function judged(where: string, addresses: readonly string[], reach: readonly string[] = []): Promise<string[]> {
  const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(where) ?? [];
  const rules = { ...createWebRules(readReachList(reach), new Set([80, 443])), lookup: async () => addresses };
  return checkAddress(parseDialTarget(host, Number(port)), rules, signal);
}

test("61 of several addresses only the public ones are dialled", async () => {
  const addresses = ["10.0.0.1", "93.184.216.34", "::1", "::ffff:127.0.0.1", "2606:2800:220:1::1", "fe80::1%lo", "x"];
  expect(await judged("a.test:443", addresses)).toEqual(["93.184.216.34", "2606:2800:220:1::1"]);
});

test("a public port that is not listed is refused, unless reach names it", async () => {
  const refusal = judged("a.test:5432", ["93.184.216.34"]);
  await expect(refusal).rejects.toMatchObject({
    code: "invalid_request",
    text: {
      en: 'a.test:5432 was not contacted: port 5432 is not among web.ports; add it there, or "a.test:5432" to web.reach, to allow this',
      zh: '没有访问 a.test:5432：端口 5432 不在 web.ports 中；如需访问，把端口加入 web.ports，或把 "a.test:5432" 加入 web.reach',
    },
  });
  expect(await judged("a.test:5432", ["93.184.216.34"], ["a.test:5432"])).toEqual(["93.184.216.34"]);
});

test("a private address is refused with its kind and the setting that allows it", async () => {
  await expect(judged("a.test:80", ["10.0.0.1"])).rejects.toMatchObject({
    text: {
      en: 'a.test:80 was not contacted: it resolves to 10.0.0.1, a private address; add "a.test:80" to web.reach to allow this',
      zh: '没有访问 a.test:80：它解析到 10.0.0.1，是内网地址；如需访问，把 "a.test:80" 加入 web.reach',
    },
  });
});

test("a fake IP of a proxy is named as what it is, with the range that allows all of them", async () => {
  await expect(judged("www.example.com:443", ["198.18.0.7"])).rejects.toThrow(
    /most likely a proxy's fake IP; add "198\.18\.0\.0\/15" to web\.reach/,
  );
  expect(await judged("www.example.com:443", ["198.18.0.7"], ["198.18.0.0/15"])).toEqual(["198.18.0.7"]);
});

test.each(["localhost", "LOCALHOST.", "a.localhost"])("%s is this machine, and is not looked up", async (host) => {
  const lookup = () => Promise.reject(new Error("looked up"));
  const rules = { ...createWebRules(readReachList([]), new Set([80])), lookup };
  await expect(checkAddress(parseDialTarget(host, 80), rules, signal)).rejects.toThrow(
    "it resolves to 127.0.0.1, this machine",
  );
  const reach = createWebRules(readReachList(["127.0.0.0/8"]), new Set([80]));
  expect(await checkAddress(parseDialTarget(host, 80), { ...rules, ...reach }, signal)).toEqual(["127.0.0.1"]);
});

test("a name that is not found says so", async () => {
  const lookup = () => Promise.reject(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }));
  const rules = { ...createWebRules(readReachList([]), new Set([80])), lookup };
  await expect(checkAddress(parseDialTarget("nowhere.test", 80), rules, signal)).rejects.toMatchObject({
    code: "network",
    retryable: false,
    text: { en: "nowhere.test:80: the host was not found", zh: "nowhere.test:80：找不到该主机" },
  });
});

test("a lookup that never answers ends with the signal", async () => {
  const rules = { ...createWebRules(readReachList([]), new Set([80])), lookup: () => new Promise<never>(() => {}) };
  const controller = new AbortController();
  const waiting = checkAddress(parseDialTarget("slow.test", 80), rules, controller.signal);
  controller.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
});
