import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/kit/json.ts";
import { askInput, resultInput } from "../../../src/runs/ask-schema.ts";
import { dropForbiddenNulls } from "../../../src/server/mcp/host-arguments.ts";
import { readInput } from "../../../src/server/mcp/read-input.ts";

const question = "How far is it?";

/** What adapters send that make a form of the schema and fill in every field. */
const filledIn: [given: JsonObject, read: JsonObject][] = [
  [{ conversation_id: null, mode: null, tools: null, wait_s: null, confirmation: null }, {}],
  [{ conversation_id: "", mode: "", confirmation: " ", duet_chain: "" }, {}],
  [{ tools: [] }, {}],
  [{ tools: [""] }, {}],
  [{ timeout_s: 0, max_tokens: 0, max_tool_calls: 0, max_iterations: -1 }, {}],
];

test.each(filledIn)("optional arguments that are filled in without a value are not given: %j", (given, read) => {
  expect(readInput(askInput, { question, ...given }, "en")).toEqual({ question, ...read });
});

test.each<[JsonObject, JsonObject]>([
  [
    { wait_s: "30", search: "false", max_tool_calls: "3" },
    { wait_s: 30, search: false, max_tool_calls: 3 },
  ],
  [{ tools: ["", "amap__*", null] }, { tools: ["amap__*"] }],
  [{ wait_s: 0 }, { wait_s: 0 }],
  [{ images: "aGVsbG8=" }, { images: ["aGVsbG8="] }],
  [
    { images: '["aGVsbG8="]', tools: "echo" },
    { images: ["aGVsbG8="], tools: ["echo"] },
  ],
])(
  "numbers, booleans and lists that are written as text are read, and the names in a list that are names: %j",
  (given, read) => {
    expect(readInput(askInput, { question, ...given }, "en")).toEqual({ question, ...read });
  },
);

test.each([
  [{ question: null }, "question"],
  [{ question, mode: "quick" }, "mode"],
  [{ question, timeout_s: 5000 }, "timeout_s"],
  [{ question, timeout_s: "soon" }, "timeout_s"],
  [{ question, search: "maybe" }, "search"],
  [{ question, depth: null }, "depth"],
])("what a call really says is still checked: %j", (given, name) => {
  expect(readInput(askInput, given, "en")).toContain(`\n- ${name}: `);
});

test("agent_result reads its arguments in the same way", () => {
  expect(readInput(resultInput, { run_id: "run-1", wait_s: null }, "en")).toEqual({ run_id: "run-1" });
});

test("a server's tool loses only a null that its schema forbids", () => {
  const schema = {
    properties: {
      path: { type: "string" },
      head: { type: "integer", minimum: 1 },
      since: { type: ["string", "null"] },
      until: { anyOf: [{ type: "string" }, { type: "null" }] },
      mode: { enum: ["a", null] },
      sort: { enum: ["a", "b"] },
      any: {},
      link: { $ref: "#/$defs/link" },
      old: { type: "string", nullable: true },
    },
    required: ["path"],
  };
  const nulls = { since: null, until: null, mode: null, any: null, link: null, old: null };
  const given = { path: null, head: null, sort: null, other: null, ...nulls };
  expect(dropForbiddenNulls(given, schema)).toEqual({ path: null, other: null, ...nulls });
  expect(dropForbiddenNulls({ path: "", head: 0 }, schema)).toEqual({ path: "", head: 0 });
});
