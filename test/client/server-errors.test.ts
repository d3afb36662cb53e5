import { describe, expect, test } from "vitest";
import { ConnectionLost } from "../../src/client/connection-errors.ts";
import { toCallError, toStartError } from "../../src/client/server-errors.ts";
import { DuetError } from "../../src/kit/errors.ts";
import { http, stdio } from "./servers.ts";

const circumstances = { settings: stdio("s", "x", []), redact: (text: string) => text };

test("a connection that ends without a word is told in both languages", () => {
  expect(toStartError(new ConnectionLost(), circumstances)).toMatchObject({
    code: "server",
    text: { zh: "MCP 服务器 s 无法使用：连接已断开", en: "MCP server s cannot be used: the connection was lost" },
    retryable: true,
  });
});

test("one whose process has ended says how it ended", () => {
  const ending = { code: 3, signal: null };
  expect(toStartError(new ConnectionLost(), { ...circumstances, ending }).text.en).toContain("exit code 3");
});

test.each([
  ["EPROTO", "write EPROTO ... wrong version number"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify the first certificate"],
])("a call that fails with %s before it is sent has taken no effect", (code, message) => {
  const thrown = new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) });
  const settings = http("https://127.0.0.1:1/mcp");
  const sent = { times: 1, isRepeatable: false, canTakeEffect: true };
  const { text } = toCallError(thrown, { ...circumstances, settings }, sent);
  expect(text.en).toContain("it cannot be reached");
  expect(text.en).not.toContain("may have taken effect");
});

test.each(["EPROTO", "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION"])(
  "a server that refuses the version of TLS is not said to be without TLS: %s",
  (code) => {
    const refused = Object.assign(new Error("tlsv1 alert protocol version"), { code });
    const settings = http("https://127.0.0.1:1/mcp");
    const { text } = toStartError(new TypeError("fetch failed", { cause: refused }), { ...circumstances, settings });
    expect(text).toEqual({
      zh: `MCP 服务器 web 无法使用：TLS 握手失败（${code}）`,
      en: `MCP server web cannot be used: the TLS handshake failed (${code})`,
    });
  },
);

test.each([
  ["ENOTFOUND", false],
  ["EAI_AGAIN", true],
])("a start that fails with %s may pass by itself: %s", (code, retryable) => {
  const thrown = new TypeError("fetch failed", { cause: Object.assign(new Error(`getaddrinfo ${code}`), { code }) });
  const settings = http("https://nowhere.test/mcp");
  expect(toStartError(thrown, { ...circumstances, settings })).toMatchObject({ code: "network", retryable });
});

describe("a launcher that fails at the network", () => {
  const environment = {
    HTTPS_PROXY: "http://user:secret@proxy:8080",
    SSL_CERT_FILE: "/etc/ca.pem",
    npm_config_registry: "",
  };
  const ending = { code: 1, signal: null };

  test("is told with the variables of ours that it lacks, before its own words and without their values", () => {
    const { transport, ...rest } = stdio("time", "/opt/bin/uvx", ["mcp-server-time"]);
    const settings = { ...rest, transport: { ...transport, inheritEnv: ["SSL_CERT_FILE"] } as typeof transport };
    const words = "error sending request for url (https://pypi.org/simple/mcp-server-time/)";
    const { text } = toStartError(new ConnectionLost(), { ...circumstances, settings, environment, ending, words });
    expect(text.en).toMatch(
      /was not given HTTPS_PROXY of this environment\. To pass that on, add "inheritEnv": \["HTTPS_PROXY"\].*\nerror sending/,
    );
    expect(text.zh).toContain("uvx 访问网络失败；当前环境中的 HTTPS_PROXY 没有传给它。");
    expect(JSON.stringify(text)).not.toContain("secret");
  });

  test("is told so too when it has not started in time, because npm repeats requests for longer than that", () => {
    const late = new DuetError({ code: "timeout", text: { zh: "启动超过 30 秒", en: "it did not start within 30 s" } });
    const settings = stdio("files", "npx", ["-y", "server"]);
    const { text } = toStartError(late, { ...circumstances, settings, environment, words: "" });
    expect(text.en).toMatch(
      /within 30 s\. npx may still be waiting for the network, and was not given HTTPS_PROXY, SSL/,
    );
    expect(text.zh).toContain("npx 可能还在等待网络；当前环境中的 HTTPS_PROXY");
    const own = toStartError(late, { ...circumstances, settings: stdio("s", "python", []), environment, words: "" });
    expect(own.text.en).not.toContain("was not given");
  });

  test.each([
    ["another program", "python", "getaddrinfo failed", environment],
    ["another fault", "npx", "could not determine executable to run", environment],
    ["nothing that it lacks", "npx", "getaddrinfo ENOTFOUND registry.npmjs.org", {}],
  ])("is not meant: %s", (_, command, words, ours) => {
    const settings = stdio("s", command, []);
    const failure = toStartError(new ConnectionLost(), {
      ...circumstances,
      settings,
      environment: ours,
      ending,
      words,
    });
    expect(failure.text.en).not.toContain("was not given");
  });
});

describe("the data of a server's error", () => {
  const sent = { times: 1, isRepeatable: true, canTakeEffect: true };
  const redact = (text: string): string => text.replaceAll("secret", "***");
  const nest = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}"secret"${"]".repeat(levels)}`);
  const refusal = (data: unknown): Error => Object.assign(new Error("no secret"), { code: -32050, data });

  test("is told of a call with its code, without secrets", () => {
    const { rpcError, text } = toCallError(refusal({ key: "secret" }), { ...circumstances, redact }, sent);
    expect(rpcError).toEqual({ code: -32050, data: { key: "***" } });
    expect(text.en).toContain("no ***");
  });

  test.each([65, 5000])("is left out where it is %d levels deep, and no start looks at it", (levels) => {
    const thrown = refusal(nest(levels));
    expect(toCallError(thrown, { ...circumstances, redact }, sent).rpcError).toEqual({ code: -32050 });
    expect(toStartError(thrown, { ...circumstances, redact })).not.toHaveProperty("rpcError.code");
  });
});
