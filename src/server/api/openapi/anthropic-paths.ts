import { bodyWithFiles, describeJson, describeResponse, describeStreamed } from "./components.ts";

const failed = { default: describeResponse("Why the request was refused, in Anthropic's format.", "AnthropicError") };

/** Describes Anthropic's API, for pages and programs that use it. */
export const anthropicPaths = {
  "/v1/messages": {
    post: {
      operationId: "createMessage",
      summary: "Asks the agent over Anthropic's protocol.",
      tags: ["anthropic"],
      requestBody: { required: true, description: bodyWithFiles, content: describeJson("AnthropicMessageRequest") },
      responses: {
        200: describeStreamed(
          "The answer; with stream: true as events, the last of which is message_stop.",
          "AnthropicMessage",
          "AnthropicMessageEvent",
        ),
        ...failed,
      },
    },
  },
  "/v1/messages/count_tokens": {
    post: {
      operationId: "countMessageTokens",
      summary: "Estimates the tokens of a request, without Duet's own prompts and tools.",
      tags: ["anthropic"],
      requestBody: { required: true, description: bodyWithFiles, content: describeJson("AnthropicTokenCountRequest") },
      responses: { 200: describeResponse("The estimate.", "AnthropicTokenCount"), ...failed },
    },
  },
};
