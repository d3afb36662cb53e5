import { setTimeout as pause } from "node:timers/promises";
import { fromJsonSchema, type McpServer } from "@modelcontextprotocol/server";
import { audio, image, result, text } from "./fixture-content.ts";

/** The tools that ask nobody. */
export function addTools(server: McpServer, announce: (list: "tools" | "prompts") => void): void {
  addContents(server);
  addMessages(server);
  addSchemas(server);
  for (const [name, list] of changes) {
    server.registerTool(name, { description: `Says that the ${list} have changed.` }, () => {
      announce(list);
      return result("told");
    });
  }
}

const changes = [
  ["test_trigger_tool_change", "tools"],
  ["test_trigger_prompt_change", "prompts"],
] as const;

function addContents(server: McpServer): void {
  const embedded = { mimeType: "text/plain", text: "This is an embedded resource content." };
  const mixed = { mimeType: "application/json", text: '{"test":"data","value":123}' };
  const contents = {
    test_simple_text: [text("This is a simple text response for testing.")],
    test_image_content: [image],
    test_audio_content: [audio],
    test_embedded_resource: [{ type: "resource" as const, resource: { uri: "test://embedded-resource", ...embedded } }],
    test_multiple_content_types: [
      text("Multiple content types test:"),
      image,
      { type: "resource" as const, resource: { uri: "test://mixed-content-resource", ...mixed } },
    ],
  };
  for (const [name, content] of Object.entries(contents))
    server.registerTool(name, { description: `Gives back: ${name}.` }, () => ({ content }));
  server.registerTool("test_error_handling", { description: "Always fails." }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

/** Between two messages of a call, in milliseconds, so that each has a read of its own. */
const gapMs = 50;

function addMessages(server: McpServer): void {
  for (const name of ["test_tool_with_logging", "test_logging_tool"])
    server.registerTool(name, { description: "Logs three times." }, async ({ mcpReq }) => {
      for (const words of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await mcpReq.log("info", words);
        await pause(gapMs);
      }
      return result("logged");
    });
  server.registerTool("test_tool_with_progress", { description: "Reports progress." }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 };
      if (progressToken !== undefined) await mcpReq.notify({ method: "notifications/progress", params });
      await pause(gapMs);
    }
    return result("done");
  });
}

/** Its text is what the suite looks for in the list. */
const everyKeyword = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
} as const;

function addSchemas(server: McpServer): void {
  const json = { description: "Every keyword of JSON Schema 2020-12.", inputSchema: fromJsonSchema(everyKeyword) };
  server.registerTool("json_schema_2020_12_tool", json, () => result("valid"));
  const properties = { region: { type: "string", "x-mcp-header": "Region" } } as const;
  const inputSchema = fromJsonSchema<{ region?: string }>({ type: "object", properties });
  const header = { description: "Takes an argument that is a header too.", inputSchema };
  server.registerTool("test_header_argument", header, ({ region }) => result(`region ${region}`));
}
