import { refTo } from "./components.ts";
import { answer, json, pathParameter } from "./parts.ts";

const failed = { default: answer("Why it is not served, as OpenAI words it.", "OpenAiError") };

/** OpenAI's wire, for pages and programs that speak it. */
export const openAiPaths = {
  "/v1/chat/completions": {
    post: {
      operationId: "createChatCompletion",
      summary: "Asks the agent over OpenAI's wire.",
      tags: ["openai"],
      requestBody: { required: true, content: json("ChatCompletionRequest") },
      responses: {
        200: {
          description: "The answer; with stream: true in chunks, and data: [DONE] last.",
          content: {
            ...json("ChatCompletion"),
            "text/event-stream": {
              schema: { type: "string" },
              "x-event-schema": { $ref: refTo("ChatCompletionChunk") },
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
      responses: { 200: answer("All of them.", "ModelList"), ...failed },
    },
  },
  "/v1/models/{id}": {
    get: {
      operationId: "readModel",
      summary: "Tells about one of them.",
      tags: ["openai"],
      parameters: [pathParameter("id", "duet-agent, duet-plan or duet-chat.")],
      responses: { 200: answer("That one.", "Model"), 404: answer("There is none.", "OpenAiError"), ...failed },
    },
  },
};
