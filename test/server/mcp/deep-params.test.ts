import { expect, test } from "vitest";
import { runProgram } from "../../fakes/program.ts";

const levels = 6_000;
const deep = "[".repeat(levels) + "]".repeat(levels);
const initialize =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}';

test.each([
  ["params", `"params":${deep}`, -32600],
  ["a param", `"params":{"cursor":${deep}}`, -32602],
  ["_meta", `"params":{"_meta":${deep}}`, -32602],
])(
  "a request whose %s is nested some thousand levels deep is refused, and the session goes on",
  async (_, part, code) => {
    const lines = [
      initialize,
      `{"jsonrpc":"2.0","id":2,"method":"tools/list",${part}}`,
      '{"jsonrpc":"2.0","id":3,"method":"ping"}',
    ];
    const { stdout } = await runProgram(["serve"], { stdin: `${lines.join("\n")}\n` });
    const replies: { id: number; result?: object; error?: object }[] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(replies.find(({ id }) => id === 2)?.error).toEqual({ code, message: expect.stringContaining("[…]") });
    expect(replies.find(({ id }) => id === 3)?.result).toEqual({});
  },
);
