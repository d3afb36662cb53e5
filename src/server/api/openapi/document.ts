import { version } from "../../../kit/version.ts";
import { createSchemaComponents } from "./components.ts";
import { conversationPaths } from "./conversation-paths.ts";
import { openAiPaths } from "./openai-paths.ts";
import { operationPaths } from "./operation-paths.ts";
import { runPaths } from "./run-paths.ts";

/** All that a server at this address serves beside MCP and its page, as OpenAPI 3.1. Its schemas are those that judge requests. */
export function describeApi(url: string) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Duet",
      version,
      description: "An agent of two models: one decides which tools to call, one writes the answer. MCP is at /mcp.",
    },
    servers: [{ url }],
    // Either: without a token only this machine is served.
    security: [{ bearer: [] }, {}],
    tags: [
      { name: "agent", description: "Questions to the agent." },
      { name: "runs", description: "Runs that go on or have ended." },
      { name: "conversations", description: "What is kept of them." },
      { name: "openai", description: "OpenAI's wire." },
      { name: "operations", description: "For whoever operates the server." },
    ],
    paths: { ...runPaths, ...conversationPaths, ...openAiPaths, ...operationPaths },
    components: {
      schemas: createSchemaComponents(),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "The operator's token, or an access token that /.well-known/oauth-protected-resource tells about.",
        },
      },
    },
  };
}
