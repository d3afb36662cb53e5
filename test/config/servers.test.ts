import { describe, expect, test } from "vitest";
import { load, refusal } from "./workplace.ts";

const transportOf = async (entry: unknown): Promise<unknown> =>
  (await load({ file: { mcpServers: { a: entry } } })).servers[0]?.transport;

describe("how a server is reached", () => {
  test.each([
    [{ command: "x" }, { type: "stdio", command: "x", args: [], env: {}, inheritEnv: [] }],
    [
      { type: "stdio", command: "x", args: ["$(y)", ""] },
      { type: "stdio", command: "x", args: ["$(y)", ""], env: {}, inheritEnv: [] },
    ],
    [
      { command: "x", inheritEnv: ["HTTP_PROXY"] },
      { type: "stdio", command: "x", args: [], env: {}, inheritEnv: ["HTTP_PROXY"] },
    ],
    [{ url: "http://x/mcp" }, { type: "http", url: "http://x/mcp", headers: {} }],
    [{ httpUrl: "http://x/mcp" }, { type: "http", url: "http://x/mcp", headers: {} }],
    [
      { type: "http", url: "http://x", headers: { A: "b" } },
      { type: "http", url: "http://x", headers: { A: "b" } },
    ],
    [
      { type: "streamable-http", url: "http://x" },
      { type: "http", url: "http://x", headers: {} },
    ],
    [
      { type: "sse", url: "http://x/sse?key=1" },
      { type: "sse", url: "http://x/sse?key=1", headers: {} },
    ],
  ])("%j", async (entry, transport) => {
    expect(await transportOf(entry)).toEqual(transport);
  });

  test.each([
    [{}, "mcpServers.a: needs command, url or httpUrl"],
    [{ command: "" }, 'mcpServers.a.command: "" is not allowed (allowed: a non-empty string)'],
    [{ command: "x", url: "http://x" }, "mcpServers.a.url: is not allowed beside command"],
    [{ url: "http://x", httpUrl: "http://x" }, "mcpServers.a.httpUrl: is not allowed beside url"],
    [{ command: "x", headers: {} }, "mcpServers.a.headers: is not allowed beside command"],
    [{ url: "http://x", env: {} }, "mcpServers.a.env: is not allowed beside url"],
    [{ command: "x", type: "sse" }, "mcpServers.a.type: sse needs url"],
    [{ url: "http://x", type: "stdio" }, "mcpServers.a.type: stdio needs command, not url"],
    [{ httpUrl: "http://x", type: "sse" }, "mcpServers.a.type: sse needs url"],
    [
      { url: "file:///etc/passwd" },
      'mcpServers.a.url: "file:///etc/passwd" is not allowed (allowed: an http or https address)',
    ],
    [{ command: "x", args: [1] }, "mcpServers.a.args[0]: 1 is not allowed (allowed: a string)"],
    [{ command: "x", env: { A: 1 } }, "mcpServers.a.env.A: … is not allowed (allowed: a string)"],
    [
      { command: "x", env: { "A=B": "" } },
      'mcpServers.a.env["A=B"]: "A=B" is not allowed (allowed: the name of an environment variable)',
    ],
    [
      { url: "http://x", headers: { "a b": "" } },
      'mcpServers.a.headers["a b"]: "a b" is not allowed (allowed: the name of an HTTP header)',
    ],
    [
      { command: "x", type: "ws" },
      'mcpServers.a.type: "ws" is not allowed (allowed: stdio, http, streamable-http, sse)',
    ],
  ])("%j is refused", async (entry, line) => {
    expect(await refusal({ file: { mcpServers: { a: entry } } })).toBe(`duet.config.json: ${line}`);
  });

  test("other hosts' keys are ignored where that is safe, and refused where it is not", async () => {
    const entry = { command: "x", trust: true, alwaysAllow: ["a"], autoApprove: ["b"], description: "d" };
    expect(await transportOf(entry)).toMatchObject({ command: "x" });
    const line = await refusal({ file: { mcpServers: { a: { command: "x", envFile: ".env" } } } });
    expect(line).toMatch(/^duet\.config\.json: mcpServers\.a\.envFile: unknown key/);
  });
});

describe("which servers there are", () => {
  test("VS Code's `servers` and `mcpServers` are one list; seconds become milliseconds", async () => {
    const file = {
      servers: { b: { command: "x" } },
      mcpServers: { a: { command: "x", timeout: 1.5, startTimeout: 2 } },
    };
    const { servers } = await load({ file });
    expect(servers.map(({ name, timeoutMs, startTimeoutMs }) => [name, timeoutMs, startTimeoutMs])).toEqual([
      ["a", 1500, 2000],
      ["b", 60_000, 30_000],
    ]);
  });

  test("a name in both is refused", async () => {
    const file = { servers: { a: { command: "x" } }, mcpServers: { a: { command: "x" } } };
    expect(await refusal({ file })).toBe("duet.config.json: servers.a: is in both mcpServers and servers");
  });

  test("one that is switched off is checked and left out", async () => {
    const off = (entry: object) => ({ mcpServers: { a: { command: "x", ...entry }, b: { command: "y" } } });
    expect((await load({ file: off({ disabled: true }) })).servers).toHaveLength(1);
    expect((await load({ file: off({ enabled: false }) })).servers).toHaveLength(1);
    expect((await load({ file: off({ enabled: true, disabled: false }) })).servers).toHaveLength(2);
    expect(await refusal({ file: off({ disabled: true, url: "http://x" }) })).toMatch(/mcpServers\.a\.url/);
  });

  test.each(["amap", "A.b-c_d", "_a", "1", "a".repeat(40)])("the name %s is allowed", async (name) => {
    expect((await load({ file: { mcpServers: { [name]: { command: "x" } } } })).servers[0]?.name).toBe(name);
  });

  test.each(["", "a b", "a__b", "a._b", "a_", "a.", "builtin", "user", "skills", "高德", "a".repeat(41), "a/b"])(
    "the name %j is refused",
    async (name) => {
      const line = await refusal({ file: { mcpServers: { [name]: { command: "x" } } } });
      expect(line).toContain(`${JSON.stringify(name)} is not allowed (allowed: 1 to 40 letters, digits, _ . -`);
    },
  );
});

describe("the proxy of a server", () => {
  const environment = { HTTPS_PROXY: "http://ada:pw-1234567@proxy:3128", NO_PROXY: "corp.example" };

  async function readEnv(entry: object): Promise<Record<string, string> | undefined> {
    const { servers } = await load({ environment, file: { mcpServers: { one: entry } } });
    const transport = servers[0]?.transport;
    return transport?.type === "stdio" ? transport.networkEnv : undefined;
  }

  test("is in the environment of a program that a launcher fetches, in every spelling", async () => {
    expect(await readEnv({ command: "/usr/local/bin/npx", args: ["-y", "some-server"] })).toEqual({
      HTTPS_PROXY: "http://ada:pw-1234567@proxy:3128/",
      https_proxy: "http://ada:pw-1234567@proxy:3128/",
      NO_PROXY: "corp.example,localhost,127.0.0.1,::1",
      no_proxy: "corp.example,localhost,127.0.0.1,::1",
      NODE_USE_ENV_PROXY: "1",
    });
  });

  test("is given to no other program, unless the server has one of its own", async () => {
    expect(await readEnv({ command: "node", args: ["server.js"] })).toBeUndefined();
    expect(await readEnv({ command: "node", proxy: "http://other:1" })).toMatchObject({
      HTTPS_PROXY: "http://other:1/",
      HTTP_PROXY: "http://other:1/",
    });
    expect(await readEnv({ command: "npx", proxy: "direct" })).toBeUndefined();
    const inherits = await readEnv({ command: "npx", inheritEnv: ["HTTPS_PROXY"] });
    expect(inherits).not.toHaveProperty("HTTPS_PROXY");
  });
});
