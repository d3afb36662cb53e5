import { version } from "../../../kit/version.ts";
import { createCookies } from "../../http/auth/sign-in/cookies.ts";
import { anthropicPaths } from "./anthropic-paths.ts";
import {
  bodyWithFiles,
  commonProblems,
  createSchemaComponents,
  describeJson,
  describePathParameter,
  describeProblem,
  describeResponse,
  describeStreamed,
  pageParameters,
  refusedPage,
} from "./components.ts";
import { responsePaths } from "./response-paths.ts";
import { runPaths } from "./run-paths.ts";

const { 401: signInFirst, 403: notAllowed } = commonProblems;

const failedResponse = {
  401: signInFirst,
  403: notAllowed,
  default: describeProblem("Why the request was refused."),
};

/** Marks an operation that needs no sign-in. */
const open = { security: [] };

const state = { "application/json": { schema: { type: "object", properties: { status: { type: "string" } } } } };

/** Describes the paths that an operator's programs call. */
export const operationPaths = {
  "/healthz": {
    get: {
      operationId: "checkHealth",
      summary: "Reports whether the process answers.",
      tags: ["operations"],
      ...open,
      responses: { 200: { description: "It does.", content: state }, ...refusedPage },
    },
  },
  "/readyz": {
    get: {
      operationId: "checkReadiness",
      summary: "Reports whether a question could be served now.",
      tags: ["operations"],
      ...open,
      responses: {
        200: { description: "It could.", content: state },
        503: { description: "Not now.", content: state },
        ...refusedPage,
      },
    },
  },
  "/metrics": {
    get: {
      operationId: "readMetrics",
      summary: "Metrics for Prometheus.",
      tags: ["operations"],
      responses: {
        200: { description: "All figures.", content: { "text/plain": { schema: { type: "string" } } } },
        ...failedResponse,
      },
    },
  },
  "/openapi.json": {
    get: {
      operationId: "readDescription",
      summary: "This document.",
      tags: ["operations"],
      responses: {
        200: { description: "OpenAPI 3.1.", content: { "application/json": { schema: { type: "object" } } } },
        ...failedResponse,
      },
    },
  },
};

const failed = {
  401: describeResponse("The token is missing or not valid.", "OpenAiError"),
  default: describeResponse("Why the request was refused, in OpenAI's format.", "OpenAiError"),
};

/** Describes OpenAI's API, for pages and programs that use it. */
export const openAiPaths = {
  "/v1/chat/completions": {
    post: {
      operationId: "createChatCompletion",
      summary: "Asks the agent over OpenAI's protocol.",
      tags: ["openai"],
      requestBody: { required: true, description: bodyWithFiles, content: describeJson("ChatCompletionRequest") },
      responses: {
        200: describeStreamed(
          "The answer; with stream: true in chunks, and data: [DONE] last.",
          "ChatCompletion",
          "ChatCompletionChunk",
        ),
        ...failed,
      },
    },
  },
  "/v1/models": {
    get: {
      operationId: "listModels",
      summary: "Lists the agent's modes as models.",
      tags: ["openai"],
      responses: { 200: describeResponse("All models.", "ModelList"), ...failed },
    },
  },
  "/v1/models/{id}": {
    get: {
      operationId: "readModel",
      summary: "Describes one model.",
      tags: ["openai"],
      parameters: [describePathParameter("id", "duet-agent, duet-plan or duet-chat.")],
      responses: {
        200: describeResponse("That one.", "Model"),
        404: describeResponse("There is no such model.", "OpenAiError"),
        ...failed,
      },
    },
  },
};

/** Lists the ways to be known, of which any one will do: without a token only this machine is served. */
const ways = [{ bearer: [] }, { session: [] }, {}] as const;

/** Describes the operations of a model API, which take a token in another header, too. */
function withApiKey<T extends Readonly<Record<string, object>>>(paths: T) {
  const security = [{ apiKey: [] }, ...ways];
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(Object.entries(operations).map(([method, one]) => [method, { ...one, security }])),
    ]),
  );
}

/**
 * Describes, as OpenAPI 3.1, everything that a server at this address serves except MCP and its page. The schemas are the ones
 * that validate requests.
 */
export function describeApi(url: string) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Duet",
      version,
      license: { name: "MIT", identifier: "MIT" },
      description: "An agent of two models: one decides which tools to call, one writes the answer. MCP is at /mcp.",
    },
    servers: [{ url }],
    security: ways,
    tags: [
      { name: "agent", description: "Questions to the agent." },
      { name: "runs", description: "Runs in progress or ended." },
      { name: "conversations", description: "Saved conversations." },
      { name: "openai", description: "OpenAI's wire." },
      { name: "anthropic", description: "Anthropic's wire." },
      { name: "operations", description: "For the operator of the server." },
    ],
    paths: {
      ...runPaths,
      ...conversationPaths,
      ...withApiKey(openAiPaths),
      ...withApiKey(responsePaths),
      ...withApiKey(anthropicPaths),
      ...operationPaths,
    },
    components: {
      schemas: createSchemaComponents(),
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "The operator's token, one that `duet tokens create` has made, or an access token as described by /.well-known/oauth-protected-resource.",
        },
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "x-api-key",
          description: "Any of these tokens, where clients of Anthropic's API send theirs: below /v1 alone.",
        },
        session: {
          type: "apiKey",
          in: "cookie",
          name: createCookies(new URL(url, "https://localhost").href).session,
          description:
            "The cookie of a person who has signed in at /signin, in requests of this server's own pages. Over http its name holds the port.",
        },
      },
    },
  };
}

const id = describePathParameter("id", "The conversation_id of a result.");

const none = describeProblem("This caller has no such conversation.");

/** Describes the caller's conversations and the settings that a question runs with. */
export const conversationPaths = {
  "/agent/conversations": {
    get: {
      operationId: "listConversations",
      summary: "Lists the caller's conversations.",
      tags: ["conversations"],
      parameters: pageParameters,
      responses: {
        200: describeResponse("One page of conversations.", "ConversationList"),
        400: describeProblem("A query parameter is not allowed."),
        ...commonProblems,
      },
    },
  },
  "/agent/conversations/{id}": {
    get: {
      operationId: "readConversation",
      summary: "Reads a conversation: its turns, sources and runs.",
      tags: ["conversations"],
      parameters: [id],
      responses: { 200: describeResponse("The conversation.", "Conversation"), 404: none, ...commonProblems },
    },
    delete: {
      operationId: "deleteConversation",
      summary: "Cancels a conversation's runs and removes it with its sources and traces.",
      tags: ["conversations"],
      parameters: [id],
      responses: { 204: { description: "The conversation was deleted." }, 404: none, ...commonProblems },
    },
  },
  "/agent/settings": {
    get: {
      operationId: "readSettings",
      summary: "Returns the default settings of a question and the choices it has.",
      tags: ["agent"],
      responses: { 200: describeResponse("The current settings.", "Settings"), ...commonProblems },
    },
  },
};
