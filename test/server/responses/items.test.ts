import { describe, expect, test } from "vitest";
import { readTools } from "../../../src/server/responses/client-tools.ts";
import { readItems } from "../../../src/server/responses/read-items.ts";
import { createResponse, createSearchItem } from "../../../src/server/responses/response-object.ts";
import { replayResponse } from "../../../src/server/responses/response-stream.ts";
import { createResponseWriter, type WireEvent } from "../../../src/server/responses/response-writer.ts";
import { parseStreamData } from "../../fakes/event-stream.ts";
import { checkEvents } from "./response-events.ts";

const responseId = `resp_${"0".repeat(34)}`;
const png = `data:image/png;base64,${Buffer.from("png").toString("base64")}`;

test("items become messages: calls that were made at once are one message, and what a vendor's model did by itself is left out", () => {
  const messages = readItems(
    [
      { role: "developer", content: "Be terse." },
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "Look" },
          { type: "input_image", image_url: png },
        ],
      },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" },
      { type: "web_search_call", id: "ws_1", status: "completed" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look." }] },
      { type: "function_call", call_id: "1", name: "see", arguments: '{"a":1}' },
      { type: "function_call", call_id: "2", name: "close", namespace: "agents", arguments: "{}" },
      { type: "custom_tool_call", call_id: "3", name: "patch", input: "*** Begin" },
      { type: "function_call_output", call_id: "1", output: [{ type: "input_text", text: "seen" }] },
      { type: "custom_tool_call_output", call_id: "3", output: "done" },
    ],
    "input",
  );
  expect(messages).toMatchObject([
    { role: "instruction", text: "Be terse." },
    { role: "user", text: "Look", files: [{ place: "input[1].content[1]", attachment: { mediaType: "image/png" } }] },
    {
      role: "assistant",
      text: "I look.",
      calls: [
        { id: "1", name: "see", argumentsText: '{"a":1}' },
        { id: "2", name: "agents__close", argumentsText: "{}" },
        { id: "3", name: "patch", argumentsText: '{"input":"*** Begin"}' },
      ],
    },
    { role: "tool", result: { callId: "1", text: "seen", isError: false } },
    { role: "tool", result: { callId: "3", text: "done" } },
  ]);
});

describe("the tools of a request", () => {
  const tools = [
    { type: "function", name: "get_weather", description: "Weather.", parameters: { type: "object", properties: {} } },
    {
      type: "custom",
      name: "patch",
      description: "Patches.",
      format: { type: "grammar", syntax: "lark", definition: "start: x" },
    },
    { type: "namespace", name: "agents", tools: [{ type: "function", name: "close", parameters: null }] },
    { type: "web_search_preview_2025_03_11" },
    { type: "code_interpreter" },
  ];

  test("of the client's own kinds are offered, a search is ours, and the rest is told", () => {
    const read = readTools(tools, "auto");
    expect(read.tools.map(({ name }) => name)).toEqual(["get_weather", "patch", "agents__close"]);
    expect(read.tools[1]?.description).toContain("start: x");
    expect(read.search).toBe(true);
    expect(read.notes.map(({ en }) => en)).toEqual([expect.stringContaining('"code_interpreter"')]);
  });

  test("are limited by a choice", () => {
    expect(readTools(tools, { type: "function", name: "close" }).toolChoice).toEqual({ tool: "agents__close" });
    const allowed = readTools(tools, {
      type: "allowed_tools",
      mode: "required",
      tools: [{ type: "custom", name: "patch" }],
    });
    expect([allowed.tools.map(({ name }) => name), allowed.toolChoice]).toEqual([["patch"], "required"]);
    expect(() => readTools(tools, { type: "function", name: "nothing" })).toThrow(/get_weather/);
  });

  test("are called in the form of their kind, one item each, after what was said", () => {
    const { writeCall } = readTools(tools, undefined);
    const begun = createResponse({
      id: responseId,
      createdAt: 0,
      body: { model: "duet-agent" },
      conversationId: undefined,
    });
    const events: WireEvent[] = [];
    const writer = createResponseWriter(begun, (event) => events.push(event), { encryptsReasoning: false });
    writer.begin();
    writer.addReasoning("Hm.");
    writer.addText("I do.");
    writer.addCall(writeCall({ id: "1", name: "agents__close", argumentsText: "{}" }));
    writer.addCall(writeCall({ id: "2", name: "patch", argumentsText: '{"input":"*** Begin"}' }));
    const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 };
    writer.end({ finish: "tool-calls", citations: [], usage, notices: undefined });
    expect(writer.response).toMatchObject({
      status: "completed",
      output: [
        { type: "reasoning", summary: [{ text: "Hm." }] },
        { type: "message", content: [{ text: "I do." }] },
        {
          type: "function_call",
          call_id: "1",
          name: "close",
          namespace: "agents",
          arguments: "{}",
          status: "completed",
        },
        { type: "custom_tool_call", call_id: "2", name: "patch", input: "*** Begin", status: "completed" },
      ],
    });
    expect(events.map(({ type }) => type).slice(-9)).toEqual([
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.custom_tool_call_input.delta",
      "response.custom_tool_call_input.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });
});

test("searches that are made once an answer has begun follow it, whole, streamed and replayed", () => {
  const begun = createResponse({
    id: responseId,
    createdAt: 0,
    body: { model: "duet-agent" },
    conversationId: undefined,
  });
  const events: WireEvent[] = [];
  const writer = createResponseWriter(begun, (event) => events.push(event), { encryptsReasoning: false });
  const search = (query: string) =>
    writer.addSearch((id, index) => createSearchItem(id, index, { query, ok: true, urls: [] }, false));
  writer.begin();
  search("before");
  writer.addText("It is ");
  search("first");
  search("second");
  writer.addText("done.");
  const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 };
  writer.end({ finish: "stop", citations: [], usage, notices: undefined });
  expect(writer.response.output).toMatchObject([
    { type: "web_search_call", action: { query: "before" } },
    { type: "message", status: "completed", content: [{ text: "It is done." }] },
    { type: "web_search_call", status: "completed", action: { query: "first" } },
    { type: "web_search_call", status: "completed", action: { query: "second" } },
  ]);
  expect(checkEvents(JSON.parse(JSON.stringify(events))).output).toEqual(writer.response.output);
  const replayed = replayResponse(writer.response, 0);
  expect(checkEvents(parseStreamData(replayed)).output).toEqual(writer.response.output);
});

test.each([
  [{ type: "input_file", file_id: "file-1" }, "(allowed: file_data in base64"],
  [{ type: "input_image", file_id: "file-1" }, "(allowed: image_url with an http"],
])("an uploaded file is refused with what is allowed in its place: %j", (part, allowed) => {
  expect(() => readItems([{ type: "message", role: "user", content: [part] }], "input")).toThrow(
    `input[0].content[0]: file_id is not supported, because Duet keeps no uploaded files ${allowed}`,
  );
});
