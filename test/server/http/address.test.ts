import { expect, test } from "vitest";
import { isLoopback, parseListenAddress } from "../../../src/server/http/address.ts";

test.each([
  ["8080", { host: "127.0.0.1", port: 8080 }],
  ["0", { host: "127.0.0.1", port: 0 }],
  ["localhost:80", { host: "127.0.0.1", port: 80 }],
  ["0.0.0.0:8080", { host: "0.0.0.0", port: 8080 }],
  ["[::1]:8080", { host: "::1", port: 8080 }],
  ["[::]:8080", { host: "::", port: 8080 }],
  ["Duet.Example.com:443", { host: "duet.example.com", port: 443 }],
])("%s is understood", (text, address) => {
  expect(parseListenAddress(text)).toEqual(address);
});

test.each([
  "",
  "x",
  "65536",
  "-1",
  "8080x",
  ":8080",
  "::1:8080",
  "[::1]",
  "[1.2.3.4]:80",
  "127.1:80",
  "0x7f.1:80",
  "a@b:80",
  "a/b:80",
  "1.2.3.4.5:6",
])("%j is refused with what is allowed", (text) => {
  expect(() => parseListenAddress(text)).toThrow(
    `--http: ${JSON.stringify(text)} is not an address (allowed: PORT or HOST:PORT`,
  );
});

test("loopback is told from all else by the address, not by the look of it", () => {
  expect(
    ["127.0.0.1", "127.8.9.10", "::1", "localhost", "::ffff:127.0.0.1"].filter((host) => !isLoopback(host)),
  ).toEqual([]);
  expect(
    ["0.0.0.0", "::", "192.168.1.2", "localhost.evil.test", "127.evil.test", "::ffff:10.0.0.1"].filter(isLoopback),
  ).toEqual([]);
});
