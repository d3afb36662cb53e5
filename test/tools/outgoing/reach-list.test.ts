import { describe, expect, test } from "vitest";
import { readReachList } from "../../../src/tools/outgoing/create-tool-fetch.ts";

describe("an entry permits", () => {
  test.each([
    // entry, host, address, port, permitted
    ["localhost:8080", "localhost", "127.0.0.1", 8080, true],
    ["localhost:8080", "localhost", "::1", 8080, true],
    ["localhost:8080", "localhost", "127.0.0.1", 8081, false],
    ["localhost:8080", "evil.test", "127.0.0.1", 8080, false],
    ["LOCALHOST:8080", "localhost", "127.0.0.1", 8080, true],
    ["localhost", "localhost", "127.0.0.1", 9, true],
    ["localhost:*", "localhost", "127.0.0.1", 9, true],
    ["db.example.com:5432", "db.example.com", "10.1.1.1", 5432, true],
    ["db.example.com.", "db.example.com", "10.1.1.1", 5432, true],
    ["*.corp.example", "wiki.corp.example", "10.1.1.1", 80, true],
    ["*.corp.example", "a.b.corp.example", "10.1.1.1", 80, true],
    ["*.corp.example", "corp.example", "10.1.1.1", 80, false],
    ["*.corp.example", "evilcorp.example", "10.1.1.1", 80, false],
    ["10.0.0.0/8", "10.1.2.3", "10.1.2.3", 80, true],
    ["10.0.0.0/8", "a.test", "10.1.2.3", 80, true],
    ["10.0.0.0/8", "a.test", "::ffff:10.1.2.3", 80, true],
    ["10.0.0.0/8", "a.test", "11.1.2.3", 80, false],
    ["10.0.0.0/8:443", "a.test", "10.1.2.3", 80, false],
    ["10.0.0.0/8:443", "a.test", "10.1.2.3", 443, true],
    ["127.0.0.1:80", "127.0.0.1", "127.0.0.1", 80, true],
    ["127.0.0.1:80", "127.0.0.2", "127.0.0.2", 80, false],
    ["[::1]:80", "::1", "::1", 80, true],
    ["[::1]:80", "::1", "::1", 81, false],
    ["[::1]", "::1", "::1", 81, true],
    ["fd00::/8", "a.test", "fd12::1", 81, true],
    ["fd00::/8:81", "a.test", "fd12::1", 81, true],
    ["fd00::/8:81", "a.test", "fd12::1", 82, false],
    ["*", "169.254.169.254", "169.254.169.254", 80, true],
    ["*:80", "a.test", "10.0.0.1", 81, false],
  ])("%s and %s at %s, port %i: %s", (entry, host, address, port, permitted) => {
    expect(readReachList([entry]).permits(host, address, port)).toBe(permitted);
  });

  test("nothing, where there is none", () => {
    expect(readReachList([]).permits("localhost", "127.0.0.1", 80)).toBe(false);
  });
});

test.each(["10.0.0.0/33", "10.*", "localhost:99999", "[not-v6]:80", "a b", "", "fe80::/129", "http://a.test", "a*.b"])(
  "the entry %j is refused by name",
  (entry) => {
    expect(() => readReachList(["localhost", entry])).toThrow(
      `${JSON.stringify(entry)} in web.reach is not a host, an address or a range`,
    );
  },
);
