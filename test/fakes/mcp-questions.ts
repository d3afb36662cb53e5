// A server on the newest SDK that asks whatever its caller tells it to, in both eras: `node mcp-questions.ts
// [--era modern]`. In the 2025 era the SDK sends each question as a request, in 2026-07-28 as `input_required`.
import { parseArgs } from "node:util";
import { type InputRequests, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

/** Its tool `ask` puts `questions` and gives the replies as JSON. */
export function createQuestionServer(): McpServer {
  const server = new McpServer({ name: "questions", version: "1" }, { inputRequired: { roundTimeoutMs: 60_000 } });
  const inputSchema = z.object({ questions: z.record(z.string(), z.unknown()) });
  server.registerTool("ask", { description: "Asks.", inputSchema }, async ({ questions }, { mcpReq }) => {
    const { inputResponses } = mcpReq;
    if (inputResponses) return { content: [{ type: "text", text: JSON.stringify(inputResponses) }] };
    return inputRequired({ inputRequests: questions as InputRequests, requestState: "asked" });
  });
  return server;
}

/** A form with a field of each kind. */
export const everyField = {
  type: "object",
  properties: {
    name: { type: "string", title: "Name", description: "Your full name", minLength: 2 },
    email: { type: "string", format: "email" },
    seats: { type: "integer", title: "Seats", minimum: 1, maximum: 8, default: 2 },
    weight: { type: "number" },
    window: { type: "boolean", title: "Window seat", default: true },
    meal: {
      type: "string",
      title: "Meal",
      oneOf: [
        { const: "m1", title: "Rice" },
        { const: "m2", title: "Noodles" },
      ],
    },
    size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"], default: "l" },
    extras: { type: "array", title: "Extras", items: { type: "string", enum: ["wifi", "bag"] }, maxItems: 1 },
  },
  required: ["name", "meal"],
} as const;

export function formQuestion(requestedSchema: object = everyField, message = "Who is travelling?"): object {
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { era: { type: "string", default: "legacy" } } });
  serveStdio(createQuestionServer, { legacy: values.era === "modern" ? "reject" : "serve" });
}
