import {
  bodyWithFiles,
  describeJson,
  describePathParameter,
  describeResponse,
  describeStreamed,
} from "./components.ts";

const refused = describeResponse("Why the request was refused, in OpenAI's format.", "OpenAiError");
const none = describeResponse("This caller has no such response.", "OpenAiError");
const id = describePathParameter("id", "The id of a response.");
const failed = { default: refused };

/** Describes OpenAI's Responses API. */
export const responsePaths = {
  "/v1/responses": {
    post: {
      operationId: "createResponse",
      summary: "Asks the agent over OpenAI's Responses protocol.",
      tags: ["openai"],
      requestBody: { required: true, description: bodyWithFiles, content: describeJson("ResponseRequest") },
      responses: {
        200: describeStreamed(
          "The response; with stream: true its events, with background: true at once.",
          "Response",
          "ResponseEvent",
        ),
        400: refused,
        404: describeResponse("There is no such model, item or conversation.", "OpenAiError"),
        ...failed,
      },
    },
  },
  "/v1/responses/{id}": {
    get: {
      operationId: "readResponse",
      summary: "Reads a response, or follows it.",
      tags: ["openai"],
      parameters: [
        id,
        {
          name: "stream",
          in: "query",
          description: "Whether its events are sent.",
          schema: { type: "boolean", default: false },
        },
        {
          name: "starting_after",
          in: "query",
          description: "With stream=true: only the events after the one with this number.",
          schema: { type: "integer", minimum: 0 },
        },
      ],
      responses: {
        200: describeStreamed("The response as it is now, or its events.", "Response", "ResponseEvent"),
        404: none,
        ...failed,
      },
    },
    delete: {
      operationId: "deleteResponse",
      summary: "Cancels a response and removes it, and with the last one of a conversation the conversation.",
      tags: ["openai"],
      parameters: [id],
      responses: { 200: describeResponse("It is gone.", "DeletedResponse"), 404: none, ...failed },
    },
  },
  "/v1/responses/{id}/cancel": {
    post: {
      operationId: "cancelResponse",
      summary: "Cancels a response. One that is over stays as it is.",
      tags: ["openai"],
      parameters: [id],
      responses: { 200: describeResponse("The response.", "Response"), 404: none, ...failed },
    },
  },
  "/v1/responses/{id}/input_items": {
    get: {
      operationId: "listResponseInput",
      summary: "Lists what a response was asked, without what came before it.",
      tags: ["openai"],
      parameters: [
        id,
        {
          name: "limit",
          in: "query",
          description: "How many.",
          schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
        },
        {
          name: "order",
          in: "query",
          description: "Whether the newest or the oldest item is the first.",
          schema: { type: "string", enum: ["asc", "desc"], default: "desc" },
        },
        { name: "after", in: "query", description: "Only items after this one.", schema: { type: "string" } },
      ],
      responses: {
        200: describeResponse("One page of items.", "ResponseItemList"),
        400: refused,
        404: none,
        ...failed,
      },
    },
  },
};
