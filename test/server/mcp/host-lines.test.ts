import { expect, test } from "vitest";
import { createHostLines, type RefusedMessage } from "../../../src/server/mcp/host-lines.ts";

const most = 20_000;
const long = "x".repeat(most);

/** What comes through of these chunks, and what is refused. */
async function through(...chunks: string[]): Promise<{ lines: string[]; refused: RefusedMessage[] }> {
  const refused: RefusedMessage[] = [];
  const lines = createHostLines(most, (each) => refused.push(each));
  for (const chunk of chunks) lines.write(Buffer.from(chunk));
  lines.end();
  const all: Buffer[] = await Array.fromAsync(lines);
  return { lines: all.map(String), refused };
}

test("lines come whole, however they were cut", async () => {
  expect(await through("a", "b\nc\n", "d", "\n\ne")).toEqual({ lines: ["ab\n", "c\n", "d\n", "\n"], refused: [] });
});

test("a line that is too long is left out, and the next comes through", async () => {
  const { lines, refused } = await through("1\n", ...long, long, "\n2\n");
  expect(lines).toEqual(["1\n", "2\n"]);
  expect(refused).toEqual([{ bytes: 2 * most + 1, id: undefined }]);
});

test.each([
  ["first", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"id":8,"x":"${long}"}}`, 7],
  ["first, as a text", `{"jsonrpc":"2.0","id":"a-1","method":"m","params":{"x":"${long}"}}`, "a-1"],
  ["last", `{"method":"tools/call","params":{"id":8,"x":"${long}"},"jsonrpc":"2.0","id":9}`, 9],
  ["only deeper", `{"method":"m","params":{"x":"${long}","id":8}}`, undefined],
  ["of an answer to us", `{"jsonrpc":"2.0","id":7,"result":{"x":"${long}"}}`, undefined],
])("the id of a refused request is read where it stands: %s", async (_, line, id) => {
  expect((await through(`${line}\n`)).refused).toEqual([{ bytes: line.length + 1, id }]);
});
