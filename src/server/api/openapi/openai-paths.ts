import { toSchemaReference } from "./components.ts";
import { describeJson, describePathParameter, describeResponse } from "./parts.ts";

const failed = { default: describeResponse("Why it is not served, as OpenAI words it.", "OpenAiError") };

/** OpenAI's wire, for pages and programs that speak it. */
export const openAiPaths = {
  "/v1/chat/completions": {
    post: {
      operationId: "createChatCompletion",
      summary: "Asks the agent over OpenAI's wire.",
      tags: ["openai"],
      requestBody: { required: true, content: describeJson("ChatCompletionRequest") },
      responses: {
        200: {
          description: "The answer; with stream: true in chunks, and data: [DONE] last.",
          content: {
            ...describeJson("ChatCompletion"),
            "text/event-stream": {
              schema: { type: "string" },
              "x-event-schema": { $ref: toSchemaReference("ChatCompletionChunk") },
            },
          },
        },
        ...failed,
      },
    },
  },
  "/v1/models": {
    get: {
      operationId: "listModels",
      summary: "Lists the agent's modes as models.",
      tags: ["openai"],
      responses: { 200: describeResponse("All of them.", "ModelList"), ...failed },
    },
  },
  "/v1/models/{id}": {
    get: {
      operationId: "readModel",
      summary: "Tells about one of them.",
      tags: ["openai"],
      parameters: [describePathParameter("id", "duet-agent, duet-plan or duet-chat.")],
      responses: {
        200: describeResponse("That one.", "Model"),
        404: describeResponse("There is none.", "OpenAiError"),
        ...failed,
      },
    },
  },
};
