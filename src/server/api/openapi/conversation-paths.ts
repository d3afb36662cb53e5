import { partLimits } from "../step-result.ts";
import {
  bodyWithFiles,
  commonProblems,
  describeJson,
  describePathParameter,
  describeProblem,
  describeQueryParameter,
  describeResponse,
  idempotencyKey,
  pageParameters,
} from "./components.ts";

const id = describePathParameter("id", "The conversation_id of a result.");

const none = describeProblem("This caller has no such conversation.");

const badQuery = describeProblem("A query parameter is not allowed.");

const otherStore = describeProblem("The conversation store of the embedding program cannot do this.");

const bytes = { schema: { type: "string", contentMediaType: "application/octet-stream" } };

function describeFlag(name: string, description: string) {
  return { name, in: "query", description, schema: { type: "boolean" } };
}

const changeEvents = [
  "A stream of server-sent events without id, each with JSON as data: `reload` ({}: read the list anew; it comes first),",
  "`conversation` (a ConversationEntry that is new or has changed), `conversation-removed` ({ conversation_id, restorable_until }),",
  "`run` (a RunEntry: it began, waits for a person, goes on, or has ended), `queue` (a Queue). Comments keep the connection alive.",
].join(" ");

/** Describes the caller's conversations, what is done with them, and the settings that a question runs with. */
export const conversationPaths = {
  "/agent/conversations": {
    get: {
      operationId: "listConversations",
      summary: "Lists the caller's conversations, or searches them.",
      tags: ["conversations"],
      parameters: [
        ...pageParameters,
        {
          name: "q",
          in: "query",
          description: "Words that all stand in the title or in one turn, within other words, too.",
          schema: { type: "string", minLength: 1, maxLength: 200, pattern: "\\S" },
        },
        describeFlag("pinned", "Only those that are pinned, or only the others."),
      ],
      responses: {
        200: describeResponse("One page of conversations.", "ConversationList"),
        400: badQuery,
        ...commonProblems,
      },
    },
  },
  "/agent/conversations/{id}": {
    get: {
      operationId: "readConversation",
      summary: "Reads a conversation: the turns of a branch, its branches, sources and runs.",
      tags: ["conversations"],
      parameters: [
        id,
        {
          name: "branch",
          in: "query",
          description: "The branch whose turns are read; the current one when absent.",
          schema: { type: "integer", minimum: 1, maximum: 1_000_000_000 },
        },
      ],
      responses: {
        200: describeResponse("The conversation.", "Conversation"),
        400: describeProblem("There is no such branch."),
        404: none,
        ...commonProblems,
      },
    },
    patch: {
      operationId: "changeConversation",
      summary: "Names or pins a conversation, or makes a branch the current one.",
      tags: ["conversations"],
      parameters: [id],
      requestBody: { required: true, content: describeJson("ConversationChanges") },
      responses: {
        200: describeResponse("The conversation as the list has it now.", "ConversationEntry"),
        400: describeProblem("The body is not allowed, or there is no such branch."),
        404: none,
        409: otherStore,
        ...commonProblems,
      },
    },
    delete: {
      operationId: "deleteConversation",
      summary: "Cancels a conversation's runs and removes it with its sources, files and traces.",
      tags: ["conversations"],
      parameters: [id, describeFlag("undo", "Whether it can be restored for a while.")],
      responses: {
        202: describeResponse("It is out of sight, and can be restored for a while.", "DiscardedConversation"),
        204: { description: "The conversation was deleted." },
        400: badQuery,
        404: none,
        ...commonProblems,
      },
    },
  },
  "/agent/conversations/{id}/restore": {
    post: {
      operationId: "restoreConversation",
      summary: "Brings back a conversation that was deleted with undo.",
      tags: ["conversations"],
      parameters: [id],
      responses: {
        200: describeResponse("The conversation as the list has it now.", "ConversationEntry"),
        404: describeProblem("There is nothing to bring back, or no longer."),
        ...commonProblems,
      },
    },
  },
  "/agent/conversations/{id}/export": {
    get: {
      operationId: "exportConversation",
      summary: "Writes a conversation with all branches, steps and results as a file.",
      tags: ["conversations"],
      parameters: [
        id,
        {
          name: "format",
          in: "query",
          description: "The form of the file.",
          schema: { type: "string", enum: ["markdown", "json"], default: "markdown" },
        },
      ],
      responses: {
        200: {
          description: "The file.",
          content: {
            "text/markdown": { schema: { type: "string" } },
            "application/json": { schema: { type: "object" } },
          },
        },
        400: badQuery,
        404: none,
        ...commonProblems,
      },
    },
  },
  "/agent/conversations/{id}/files/{file}": {
    get: {
      operationId: "readFile",
      summary: "Reads an attachment: an image as it is, everything else to be saved.",
      tags: ["conversations"],
      parameters: [id, describePathParameter("file", "The id of an attachment.")],
      responses: {
        200: {
          description: "Its bytes. Of a document that models get as text, this is the text.",
          content: { "application/octet-stream": bytes, "image/png": bytes, "image/jpeg": bytes },
        },
        404: describeProblem("This caller has no such conversation, or it has no such file."),
        ...commonProblems,
      },
    },
  },
  "/agent/conversations/{id}/queue": {
    get: {
      operationId: "listWaitingQuestions",
      summary: "Lists the questions that wait for the end of the conversation's runs.",
      tags: ["conversations"],
      parameters: [id],
      responses: { 200: describeResponse("Those that wait.", "Queue"), ...commonProblems },
    },
    post: {
      operationId: "addWaitingQuestion",
      summary: "Asks a question once the conversation's runs have ended, also without its reader.",
      tags: ["conversations"],
      parameters: [id, idempotencyKey],
      requestBody: { required: true, description: bodyWithFiles, content: describeJson("QueuedQuestion") },
      responses: {
        200: describeResponse("It was asked before with this key, and has begun.", "WaitingQuestion"),
        202: describeResponse("It waits, or has begun.", "WaitingQuestion"),
        400: describeProblem("The body is not allowed."),
        404: none,
        409: describeProblem("The question of this key was taken back."),
        413: describeProblem("The body is too long."),
        422: describeProblem("The idempotency key was used for another request."),
        429: describeProblem("Too many questions wait."),
        ...commonProblems,
      },
    },
  },
  "/agent/conversations/{id}/queue/{question}": {
    delete: {
      operationId: "removeWaitingQuestion",
      summary: "Takes back a question that has not begun.",
      tags: ["conversations"],
      parameters: [id, describePathParameter("question", "Its queue_id.")],
      responses: {
        200: describeResponse("The question, as it was asked.", "WaitingQuestion"),
        404: describeProblem("No such question is waiting."),
        ...commonProblems,
      },
    },
  },
  "/agent/runs/{id}/feedback": {
    post: {
      operationId: "rateAnswer",
      summary: "Keeps what a person thinks of an answer, with the trace of its run.",
      tags: ["runs"],
      parameters: [describePathParameter("id", "The run_id of a result.")],
      requestBody: { required: true, content: describeJson("FeedbackRequest") },
      responses: {
        204: { description: "It is stored, or taken back." },
        400: describeProblem("The body is not allowed."),
        404: describeProblem("This caller has no such run that has ended."),
        409: otherStore,
        ...commonProblems,
      },
    },
  },
  "/agent/runs/{id}/steps/{step}": {
    get: {
      operationId: "readStepResult",
      summary: "Reads the result of a call in parts.",
      tags: ["runs"],
      parameters: [
        describePathParameter("id", "The run_id of a result."),
        describePathParameter("step", "The number of a step with a call, as in the trace."),
        {
          name: "limit",
          in: "query",
          description: "How many characters.",
          schema: { type: "integer", minimum: partLimits.from, maximum: partLimits.to, default: partLimits.otherwise },
        },
        describeQueryParameter("offset", "How many to skip."),
      ],
      responses: {
        200: describeResponse("The part.", "StepResult"),
        400: badQuery,
        404: describeProblem("This caller has no such run that has ended, or it has no such step."),
        ...commonProblems,
      },
    },
  },
  "/agent/images": {
    post: {
      operationId: "fetchImage",
      summary: "Fetches an image of the internet that a person wants to see.",
      tags: ["agent"],
      requestBody: { required: true, content: describeJson("ImageRequest") },
      responses: {
        200: {
          description: "Its bytes: PNG, JPEG, GIF, WebP or AVIF, at most 10 MB.",
          content: {
            "image/png": bytes,
            "image/jpeg": bytes,
            "image/gif": bytes,
            "image/webp": bytes,
            "image/avif": bytes,
          },
        },
        400: describeProblem("The body is not allowed."),
        422: describeProblem("The address may not be read, does not answer, or gives no such image."),
        ...commonProblems,
      },
    },
  },
  "/agent/events": {
    get: {
      operationId: "followChanges",
      summary: "Follows what changes in the caller's list of conversations.",
      description: changeEvents,
      tags: ["conversations"],
      responses: {
        200: { description: "The events.", content: { "text/event-stream": { schema: { type: "string" } } } },
        406: describeProblem("The header Accept does not ask for text/event-stream."),
        ...commonProblems,
      },
    },
  },
  "/agent/usage": {
    get: {
      operationId: "readOwnUsage",
      summary: "Returns the caller's own limits, and what is used of them.",
      tags: ["agent"],
      responses: { 200: describeResponse("As it is now.", "OwnUsage"), ...commonProblems },
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
