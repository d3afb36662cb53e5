import {
  bodyWithFiles,
  commonProblems,
  describeJson,
  describePathParameter,
  describeProblem,
  describeResponse,
  describeStreamed,
  idempotencyKey,
  pageParameters,
  toProblemOrOutcome,
} from "./components.ts";

const id = describePathParameter("id", "The run_id of a result, or of the header Location.");

const none = describeProblem("This caller has no such run.");

const exampleStart = 'retry: 1000\n\nid: 1\nevent: run-start\ndata: {"type":"run-start","runId":"run-1"}\n\n';

const stream = [
  "With Accept: text/event-stream the run's events as they happen: each with `id` (1 for the first one), its type as `event`,",
  "and an AgentEvent as `data`; the last one is run-end. Comments keep the connection alive.",
  "With `drafts`, `draft-start`, `draft-delta` and `draft-end` come in between, without id: text of which it is not known yet",
  "whether it is a thought or the answer. What it was follows as thought-delta or answer-delta, so draft-end makes it void.",
  "For a caller with `asks`, `question` (data: a Question) and `question-closed` (data: its question_id) come in between, without id.",
].join(" ");

const location = {
  Location: { description: "The run: /agent/runs/{run_id}.", schema: { type: "string", format: "uri-reference" } },
};

const runId = { id: "$response.body#/run_id" };
const conversationId = { id: "$response.body#/conversation_id" };

/** Says what can be done with the ids of an outcome. */
const links = {
  read: { operationId: "readRun", parameters: runId },
  trace: { operationId: "readTrace", parameters: runId },
  cancel: { operationId: "cancelRun", parameters: runId },
  conversation: { operationId: "readConversation", parameters: conversationId },
};

const lastEventId = {
  name: "Last-Event-ID",
  in: "header",
  description: "For the event stream: only the events after this one.",
  schema: { type: "string", pattern: "^[0-9]{0,15}$" },
};

const drafts = {
  name: "drafts",
  in: "query",
  description: "For the event stream: whether it has drafts.",
  schema: { type: "boolean", default: false },
};

/** Describes the paths for questions to the agent and for the runs that answer them. */
export const runPaths = {
  "/agent/chat": {
    post: {
      operationId: "chat",
      summary: "Asks the agent.",
      description: stream,
      tags: ["agent"],
      parameters: [idempotencyKey, lastEventId],
      requestBody: { required: true, description: bodyWithFiles, content: describeJson("ChatRequest") },
      responses: {
        200: {
          ...describeStreamed(
            "How the run ended, whatever its status, or its events.",
            "Outcome",
            "AgentEvent",
            exampleStart,
          ),
          headers: location,
          links,
        },
        202: {
          ...describeResponse("It is still running (status running): wait_s ended first.", "Outcome"),
          headers: location,
          links,
        },
        400: describeProblem("The body, or a value in it, is not allowed."),
        409: describeProblem("The run of the idempotency key was started, cannot go on, and its outcome is unknown."),
        413: describeProblem("The body is too long."),
        422: describeProblem("The idempotency key was used for another request."),
        429: toProblemOrOutcome("Too many runs of this caller, a used-up quota, or the model's vendor asks to wait."),
        503: toProblemOrOutcome("Too many runs in progress, the server is closing, or the model is paused."),
        ...commonProblems,
      },
    },
  },
  "/agent/runs": {
    get: {
      operationId: "listRuns",
      summary: "Lists the caller's runs that this process knows.",
      tags: ["runs"],
      parameters: [
        ...pageParameters,
        { name: "conversation_id", in: "query", description: "Only those of it.", schema: { type: "string" } },
        {
          name: "status",
          in: "query",
          description: "Only those in progress.",
          schema: { type: "string", enum: ["running"] },
        },
        {
          name: "idempotency_key",
          in: "query",
          description: "Only the run that was asked for with this Idempotency-Key.",
          schema: { type: "string" },
        },
      ],
      responses: {
        200: describeResponse("One page of runs in progress and runs that ended recently.", "RunList"),
        400: describeProblem("A query parameter is not allowed."),
        ...commonProblems,
      },
    },
  },
  "/agent/runs/{id}": {
    get: {
      operationId: "readRun",
      summary: "Reads a run, or follows it.",
      description: stream,
      tags: ["runs"],
      parameters: [id, lastEventId, drafts],
      responses: {
        200: describeStreamed("Its outcome, or its state so far; or its events.", "Run", "AgentEvent", exampleStart),
        204: { description: "No event comes after the one of Last-Event-ID: the run has ended." },
        400: describeProblem("The Last-Event-ID is not an event of this run, or drafts is neither true nor false."),
        404: none,
        ...commonProblems,
      },
    },
    delete: {
      operationId: "cancelRun",
      summary: "Cancels a run.",
      description: "The run and what it has done can still be read.",
      tags: ["runs"],
      parameters: [id],
      responses: { 200: describeResponse("The outcome.", "Outcome"), 404: none, ...commonProblems },
    },
  },
  "/agent/runs/{id}/trace": {
    get: {
      operationId: "readTrace",
      summary: "Reads what a run did, step by step, once it has ended.",
      tags: ["runs"],
      parameters: [id],
      responses: {
        200: describeResponse(
          "Its trace; in a very long one, texts and lists are cut, and left_out says how much.",
          "Trace",
        ),
        404: none,
        ...commonProblems,
      },
    },
  },
  "/agent/runs/{id}/messages": {
    post: {
      operationId: "message",
      summary: "Says something to a run, which the models read before their next turn.",
      tags: ["runs"],
      parameters: [id],
      requestBody: { required: true, content: describeJson("Message") },
      responses: {
        202: { description: "It is passed on at the next step." },
        400: describeProblem("The body is not a message, or the run has too many of them."),
        404: none,
        409: describeProblem("The answer is being written, or the run is over."),
        ...commonProblems,
      },
    },
  },
  "/agent/runs/{id}/reply": {
    post: {
      operationId: "reply",
      summary: "Answers a question of a run.",
      tags: ["runs"],
      parameters: [id],
      requestBody: { required: true, content: describeJson("Reply") },
      responses: {
        204: { description: "The run continues with the answer." },
        400: describeProblem("The body is not an answer to a question of this kind."),
        404: none,
        409: describeProblem("The question is no longer waiting."),
        ...commonProblems,
      },
    },
  },
};
