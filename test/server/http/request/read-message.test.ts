import { parseJSONRPCMessage, RELATED_TASK_META_KEY } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { mostKeys, mostValues } from "../../../../src/kit/json.ts";
import { deepestJson, readJson } from "../../../../src/server/http/request/read-json.ts";
import { readMessage } from "../../../../src/server/http/request/read-message.ts";

test("JSON is parsed as JSON.parse does", () => {
  const text = '{"a": [1, "x,{[\\"\\\\", {"a": {"a": null}}], "b\\n" : "a", "c":"a:b"}';
  expect(readJson(text)).toEqual({ value: JSON.parse(text) });
});

test("nesting is taken up to a depth, and text that looks like it does not count", () => {
  const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  expect(readJson(nested(deepestJson))).toHaveProperty("value");
  expect(readJson(nested(deepestJson + 1))).toEqual({ fault: "depth" });
  expect(readJson("[".repeat(1_000_000))).toEqual({ fault: "depth" });
  expect(readJson(JSON.stringify("[".repeat(1000)))).toHaveProperty("value");
});

test("an object of too many keys and a text of too many values are refused before they are built", () => {
  const keysOf = (count: number) => `{${Array.from({ length: count }, (_, key) => `"${key}":0`).join()}}`;
  expect(readJson(keysOf(mostKeys))).toHaveProperty("value");
  expect(readJson(keysOf(mostKeys + 1))).toEqual({ fault: "keys" });
  expect(readJson(`[${keysOf(mostKeys)},${keysOf(mostKeys)}]`)).toHaveProperty("value");
  expect(readJson(JSON.stringify(Array(mostValues).fill(0)))).toHaveProperty("value");
  expect(readJson(JSON.stringify(Array(mostValues + 2).fill(0)))).toEqual({ fault: "values" });
});

test.each(['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"b":{"a":1 , "a" :2}}', '[{"x":{},"y":1,"x":[]}]'])(
  "%s has a key twice",
  (text) => {
    expect(readJson(text)).toEqual({ fault: "key-twice" });
  },
);

test.each(['[{"a":1},{"a":1}]', '{"a":{"a":1},"b":"a","c":"a"}', '{"a":"a"}'])("%s has none twice", (text) => {
  expect(readJson(text)).toEqual({ value: JSON.parse(text) });
});

test.each(["", "{", '{"a"', '"', "nul", "[1,]", '{"a":1}}', "\\"])("%j is no JSON", (text) => {
  expect(readJson(text)).toEqual({ fault: "syntax" });
});

test.each([
  ["a request", { jsonrpc: "2.0", id: 1, method: "m", params: {} }, { method: "m", id: 1 }],
  ["a notification", { jsonrpc: "2.0", method: "m" }, { method: "m", id: undefined }],
  ["a response", { jsonrpc: "2.0", id: "x", result: {} }, { method: undefined, id: undefined }],
  ["an error", { jsonrpc: "2.0", id: "x", error: { code: 1, message: "m" } }, { method: undefined, id: undefined }],
  [
    "a request of a task",
    { jsonrpc: "2.0", id: 1, method: "m", params: { _meta: { [RELATED_TASK_META_KEY]: { taskId: "t" } } } },
    { method: "m", id: 1 },
  ],
  ["a result with _meta", { jsonrpc: "2.0", id: 1, result: { _meta: {} } }, { method: undefined, id: undefined }],
])("%s is taken", (_, body, parts) => {
  expect(parseJSONRPCMessage(body)).toEqual(body);
  expect(readMessage(JSON.stringify(body))).toEqual({ body, ...parts });
});

test.each([
  ["a batch", [{ jsonrpc: "2.0", id: 1, method: "m" }]],
  ["a text", "x"],
  ["null", null],
  ["version 1.0", { jsonrpc: "1.0", id: 1, method: "m" }],
  ["id null", { jsonrpc: "2.0", id: null, method: "m" }],
  ["an object as id", { jsonrpc: "2.0", id: {}, method: "m" }],
  ["a fraction as id", { jsonrpc: "2.0", id: 1.5, method: "m" }],
  ["a list as params", { jsonrpc: "2.0", id: 1, method: "m", params: [] }],
  ["a number as method", { jsonrpc: "2.0", id: 1, method: 5 }],
  ["neither method nor result", { jsonrpc: "2.0", id: 1 }],
  ["a text as result", { jsonrpc: "2.0", id: 1, result: "x" }],
  ["a result beside an error", { jsonrpc: "2.0", id: 1, result: {}, error: { code: 1, message: "m" } }],
  ["an error without a code", { jsonrpc: "2.0", id: 1, error: { message: "m" } }],
  ["an error without a message", { jsonrpc: "2.0", id: 1, error: { code: 1 } }],
])("%s is an invalid request", (_, body) => {
  expect(readMessage(JSON.stringify(body))).toMatchObject({ status: 400, code: -32600 });
});

test.each([
  [{ jsonrpc: "1.0", id: 1, method: "m" }, 'jsonrpc: "1.0" is not allowed (allowed: "2.0")'],
  [{ id: 1, method: "m" }, 'jsonrpc is missing (allowed: "2.0")'],
  [{ jsonrpc: "2.0", id: 1.5, method: "m" }, "id: 1.5 is not allowed (allowed: a string, or an integer)"],
  [{ jsonrpc: "2.0", id: 1, method: 5 }, "method: 5 is not allowed (allowed: a string)"],
  [
    { jsonrpc: "2.0", id: 1, method: "m", extra: true },
    "extra: true is not allowed (allowed: jsonrpc, id, method, params)",
  ],
  [
    { jsonrpc: "2.0", id: 1, method: "m", result: {} },
    "result: {} is not allowed (allowed: jsonrpc, id, method, params)",
  ],
  [{ jsonrpc: "2.0", result: {} }, "id is missing (allowed: a string, or an integer)"],
  [{ jsonrpc: "2.0", id: 1, result: 5 }, "result: 5 is not allowed (allowed: an object)"],
  [{ jsonrpc: "2.0", id: 1, result: { _meta: 5 } }, "result._meta: 5 is not allowed (allowed: an object)"],
  [{ jsonrpc: "2.0", id: 1, result: {}, error: null }, "error: null is not allowed (allowed: jsonrpc, id, result)"],
  [{ jsonrpc: "2.0", id: 1, error: "no" }, 'error: "no" is not allowed (allowed: an object)'],
  [{ jsonrpc: "2.0", id: 1, error: { code: 5.5 } }, "error.code: 5.5 is not allowed (allowed: an integer)"],
  [{ jsonrpc: "2.0", id: 1, error: { code: 5 } }, "error.message is missing (allowed: a string)"],
  [
    { jsonrpc: "2.0", method: "m", params: { _meta: { [RELATED_TASK_META_KEY]: 5 } } },
    '_meta["io.modelcontextprotocol/related-task"]: 5 is not allowed (allowed: an object)',
  ],
  [
    { jsonrpc: "2.0", method: "m", params: { _meta: { [RELATED_TASK_META_KEY]: {} } } },
    '_meta["io.modelcontextprotocol/related-task"].taskId is missing (allowed: a string)',
  ],
])("the refusal of the message %j names the value and what is allowed", (body, en) => {
  expect(readMessage(JSON.stringify(body))).toMatchObject({ text: { en } });
  // The SDK refuses the same, without a word of the field.
  expect(() => parseJSONRPCMessage(body)).toThrow();
});

test("an id beyond all numbers is an invalid request", () => {
  expect(readMessage('{"jsonrpc":"2.0","id":1e309,"method":"m"}')).toMatchObject({ code: -32600 });
});
