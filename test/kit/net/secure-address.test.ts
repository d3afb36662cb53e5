import { expect, test } from "vitest";
import { isSecureAddress } from "../../../src/kit/net/secure-address.ts";

test.each([
  ["https://a.test/", true],
  ["http://127.0.0.1/", true],
  ["http://localhost:81/", true],
  ["http://a.localhost/", true],
  ["http://[::1]/", true],
  ["http://a.test/", false],
  ["http://127.0.0.1.evil.test/", false],
  ["http://localhost.evil.test/", false],
  ["http://10.0.0.1/", false],
  ["ws://127.0.0.1/", false],
])("tokens may be sent to %s: %s", (url, isSecure) => {
  expect(isSecureAddress(new URL(url))).toBe(isSecure);
});
