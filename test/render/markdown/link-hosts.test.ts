import { expect, test } from "vitest";
import { findHosts, toHost } from "../../../src/render/markdown/link-hosts.ts";

test.each([
  ["log in at www.Bank.com now", ["bank.com"]],
  ["ｂａｎｋ．com and b\u200bank。com", ["bank.com", "bank.com"]],
  ["b\\u{200b}ank.com", ["bank.com"]],
  ["version 1.2 of a.b", []],
])("finds the hosts in %j", (text, hosts) => {
  expect(findHosts(text)).toEqual(hosts);
});

test("the host of an address has the same form", () => {
  expect(toHost(new URL("https://user@www.bank.com:8443/x"))).toBe("bank.com");
});
