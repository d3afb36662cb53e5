import { describe, expect, test } from "vitest";
import { toServerOrigin } from "../../../src/client/trust/server-origin.ts";
import type { ServerTransport } from "../../../src/config/config.ts";

function stdio(args: string[], more: Partial<Extract<ServerTransport, { type: "stdio" }>> = {}): string {
  return toServerOrigin({ transport: { type: "stdio", command: "npx", args, env: {}, inheritEnv: [], ...more } });
}

function http(url: string, headers: Record<string, string> = {}): string {
  return toServerOrigin({ transport: { type: "http", url, headers } });
}

describe("a program", () => {
  test("is another one with another command, argument or directory", () => {
    const origins = [
      stdio(["-y", "mail@1.0.0"]),
      stdio(["-y", "mail@1.0.1"]),
      stdio(["-y", "mail@1.0.0"], { command: "bunx" }),
      stdio(["-y", "mail@1.0.0"], { cwd: "/srv" }),
      stdio(["-y mail@1.0.0"]),
      stdio(["--name=mail@1.0.0"]),
      stdio(["--base-url", "https://one.example/a"]),
      stdio(["--base-url", "https://one.example/b"]),
    ];
    expect(new Set(origins).size).toBe(origins.length);
  });

  test("is the same with other variables", () => {
    expect(stdio(["mail"], { env: { KEY: "1" }, inheritEnv: ["HOME"] })).toBe(stdio(["mail"], { env: { KEY: "2" } }));
  });

  test.each([
    ["after its option", (key: string) => ["mail", "--api-key", key]],
    ["in its option", (key: string) => ["mail", `--token=${key}`]],
    ["as a variable", (key: string) => ["mail", `API_KEY=${key}`]],
    ["in a header", (key: string) => ["mail", "--header", `Authorization: Bearer ${key}`]],
    ["in an address", (key: string) => ["mail", `https://user:${key}@mail.example/?api_key=${key}#${key}`]],
    ["in the address of an option", (key: string) => ["mail", `--url=https://mail.example/?token=${key}`]],
  ])("is the same with another secret %s, however short", (_, args) => {
    expect(stdio(args("1234"))).toBe(stdio(args("9876")));
  });

  test("is the same with another key that is known by its looks only", () => {
    const [one, other] = ["tvly-0a1b2c3d4e5f6a7b8c9d", "tvly-9z8y7x6w5v4u3t2s1r0q"];
    expect(stdio(["mail", one])).toBe(stdio(["mail", other]));
    expect(http(`https://mail.example/${one}/mcp?k=${one}`)).toBe(http(`https://mail.example/${other}/mcp?k=${other}`));
  });
});

describe("an address", () => {
  test("is another one with another host, port, path or ordinary parameter", () => {
    const origins = [
      http("https://mail.example/mcp"),
      http("http://mail.example/mcp"),
      http("https://mail.example:8443/mcp"),
      http("https://post.example/mcp"),
      http("https://mail.example/other"),
      http("https://mail.example/mcp?profile=work"),
      http("https://mail.example/mcp?profile=home"),
    ];
    expect(new Set(origins).size).toBe(origins.length);
  });

  test("is the same with other headers, users and secrets, and by the older transport", () => {
    const plain = http("https://mail.example/mcp?api_key=1", { Authorization: "Bearer 1" });
    expect(http("https://me:2@mail.example/mcp?api_key=2#2", { Authorization: "Bearer 2" })).toBe(plain);
    expect(toServerOrigin({ transport: { type: "sse", url: "https://mail.example/mcp?api_key=3", headers: {} } })).toBe(
      plain,
    );
  });
});
