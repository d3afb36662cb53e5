import { expect, test } from "vitest";
import { ConnectionLost } from "../../src/client/connection-errors.ts";
import { toStartError } from "../../src/client/server-errors.ts";
import { stdio } from "./servers.ts";

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
