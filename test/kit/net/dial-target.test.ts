import { expect, test } from "vitest";
import { parseAddress, parseDialTarget, toDialTarget } from "../../../src/kit/net/dial-target.ts";

test.each([
  ["file:///etc/passwd", "only http and https URLs can be called"],
  ["ftp://a.test/", "only http and https URLs can be called"],
  ["data:text/plain,x", "only http and https URLs can be called"],
  ["https://user@a.test/", "must not contain a user name or password"],
  ["https://:canary@a.test/", "must not contain a user name or password"],
  ["https://a.test:99999/", "not a valid URL"],
  ["no address", "not a valid URL"],
  ["http://./", "not a valid URL"],
])("%s is not called: %s", (url, why) => {
  const call = (): URL => parseAddress(url);
  expect(call).toThrow(why);
  expect(call).not.toThrow("canary");
});

test.each([
  ["http://127.1/", "127.0.0.1", 80],
  ["http://2130706433/", "127.0.0.1", 80],
  ["http://0x7f000001:81/", "127.0.0.1", 81],
  ["https://LOCALHOST./", "localhost", 443],
  ["http://[::ffff:127.0.0.1]/", "::ffff:7f00:1", 80],
])("%s dials %s at port %i", (url, host, port) => {
  expect(toDialTarget(parseAddress(url))).toMatchObject({ host, port });
});

test.each(["a.test/x", "a.test?x", "a.test#x", "user@a.test", "a.test\\x"])("%s is no host to connect to", (host) => {
  expect(() => parseDialTarget(host, 80)).toThrow("it is not a valid host and port");
});

test.each([-1, 65_536, 1.5, Number.NaN])("%d is no port to connect to", (port) => {
  expect(() => parseDialTarget("a.test", port)).toThrow("it is not a valid host and port");
});
