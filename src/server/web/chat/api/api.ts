import type { UserReply } from "../../../../core/questions/user-question.ts";
import type { Mode, Outcome } from "../../../../core/run/outcome.ts";
import type { StepResultJson } from "../../../../core/schemas/run-schema.ts";
import type { Locale } from "../../../../kit/locale.ts";
import { stepResultShape } from "../../run/known-shapes.ts";
import type { StoredSteps } from "../../run/page-run-state.ts";
import { readOutcome } from "../../run/read-run.ts";
import { hasShape } from "../../run/shape.ts";
import { UnexpectedAnswerError } from "./api-error.ts";
import { createCaller } from "./call-agent.ts";
import {
  type Conversation,
  type ConversationEntry,
  type ConversationPage,
  type Feedback,
  type RunEntry,
  readConversation,
  readConversationPage,
  readEntry,
  readRuns,
  readWaiting,
  type WaitingQuestion,
} from "./conversation.ts";
import { idleTimeoutMs } from "./event-stream.ts";
import { readBody, readJson } from "./read-answer.ts";
import { readTrace } from "./read-trace.ts";
import type { Send } from "./sender.ts";
import { type ModelKey, type Parameters, readSettings, type ServerSettings } from "./server-settings.ts";

export interface QuestionRequest {
  readonly message: string;
  readonly conversation_id?: string | undefined;
  /** Is the number of the turn that the question follows. */
  readonly parent?: number | undefined;
  /** Is the run whose turn a question that waits follows, also one that a waiting question will have. */
  readonly after_run?: string | undefined;
  /** Is the number of the turn whose files come with the question again. */
  readonly files_of?: number | undefined;
  readonly attachments?: readonly AttachedFile[] | undefined;
  /** Has a model name the conversation after its first answer. */
  readonly make_title?: boolean | undefined;
  readonly mode: Mode | undefined;
  readonly agent?: string | undefined;
  readonly search?: boolean | undefined;
  readonly go_on?: boolean | undefined;
  readonly models?: Readonly<Partial<Record<ModelKey, string>>> | undefined;
  readonly parameters?: Readonly<Partial<Record<ModelKey, Parameters>>> | undefined;
  readonly locale: Locale;
}

/** Holds a file that comes with a question, in base64. */
export interface AttachedFile {
  readonly name: string;
  readonly media_type: string;
  readonly data: string;
}

/** Selects conversations of the list. */
export interface ListQuery {
  readonly offset?: number | undefined;
  /** Is searched for in titles, questions and answers. */
  readonly q?: string | undefined;
  readonly pinned?: boolean | undefined;
}

export interface ConversationChange {
  readonly title?: string | undefined;
  readonly pinned?: boolean | undefined;
  readonly branch?: number | undefined;
}

export type ExportFormat = "markdown" | "json";

/** Wraps the agent API for the page. Every call rejects as `Send` does, and with `UnexpectedAnswerError`. */
export interface Api {
  settings(): Promise<ServerSettings>;
  conversations(query: ListQuery, signal?: AbortSignal): Promise<ConversationPage>;
  /** Returns the turns of a branch, which is the current one unless another is named. */
  conversation(id: string, branch?: number): Promise<Conversation>;
  changeConversation(id: string, change: ConversationChange): Promise<ConversationEntry>;
  /** Removes a conversation, which can be restored for a while. */
  deleteConversation(id: string): Promise<void>;
  restoreConversation(id: string): Promise<ConversationEntry>;
  exportConversation(id: string, format: ExportFormat): Promise<Blob>;
  /** Loads an image from the internet by way of the server, which checks where it is and what it is. */
  image(url: string): Promise<Blob>;
  /** Streams what changes in the list of conversations and runs. */
  changes(signal: AbortSignal): Promise<Response>;
  /** Lists the newest runs that the server knows, or the run that was asked for with a key. */
  runs(key?: string): Promise<readonly RunEntry[]>;
  /** Begins a run and streams its events. A repeated request with the same key streams the events of the same run. */
  ask(asking: QuestionRequest, key: string, signal: AbortSignal): Promise<Response>;
  /** Streams the events of a run that follow event number `after`, including future ones. */
  events(runId: string, after: number, signal: AbortSignal): Promise<Response>;
  /** Returns the state of a run, or undefined when the response is not an outcome. */
  outcome(runId: string): Promise<Outcome | undefined>;
  /** Returns the steps of a run that has ended. */
  trace(runId: string): Promise<StoredSteps | undefined>;
  /** Returns a part of the result of a call of a run that has ended. Calls are counted from 1. */
  result(runId: string, call: number, offset: number): Promise<ResultPart>;
  cancel(runId: string): Promise<void>;
  reply(runId: string, questionId: string, answer: UserReply): Promise<void>;
  message(runId: string, message: string): Promise<void>;
  waiting(conversationId: string): Promise<readonly WaitingQuestion[]>;
  /**
   * Asks a question when the runs of the conversation have ended. A repeated request with the same key is the same question, which may
   * have begun.
   */
  queue(conversationId: string, asking: QuestionRequest, key: string): Promise<WaitingQuestion>;
  withdraw(conversationId: string, queueId: string): Promise<void>;
  rate(runId: string, rating: Feedback | null, comment?: string): Promise<void>;
}

const events = "text/event-stream";
const pageLength = 50;

/** Runs in progress are among the newest, so the page reads only this many. */
const mostRuns = 100;

export function createApi(send: Send): Api {
  const call = createCaller(send);
  return {
    settings: async () => readSettings(await readJson(call("GET /agent/settings"))),
    conversations: async ({ offset, q, pinned }, signal) =>
      readConversationPage(
        await readJson(
          call("GET /agent/conversations", { query: { limit: pageLength, offset, q, pinned }, signal }),
          signal,
        ),
      ),
    async conversation(id, branch) {
      const known = readConversation(
        await readJson(call("GET /agent/conversations/{id}", { path: { id }, query: { branch } })),
      );
      if (!known.runs.some(isRunning)) return known;
      // What goes on has no place in the tree yet; the list of runs says what it follows.
      const going = await readJson(call("GET /agent/runs", { query: { conversation_id: id, status: "running" } }));
      const placed = new Map(readRuns(going).map((run) => [run.id, run]));
      return { ...known, runs: known.runs.map((run) => placed.get(run.id) ?? run) };
    },
    changeConversation: async (id, change) =>
      readEntry(await readJson(call("PATCH /agent/conversations/{id}", { path: { id }, body: change }))),
    async deleteConversation(id) {
      await call("DELETE /agent/conversations/{id}", { path: { id }, query: { undo: true } });
    },
    restoreConversation: async (id) =>
      readEntry(await readJson(call("POST /agent/conversations/{id}/restore", { path: { id } }))),
    exportConversation: (id, format) =>
      readBlob(call("GET /agent/conversations/{id}/export", { path: { id }, query: { format } })),
    image: (url) => readBlob(call("POST /agent/images", { body: { url } })),
    changes: (signal) => call("GET /agent/events", { headers: { accept: events }, signal, headersMs: idleTimeoutMs }),
    runs: async (key) =>
      readRuns(await readJson(call("GET /agent/runs", { query: { limit: mostRuns, idempotency_key: key } }))),
    ask: (asking, key, signal) =>
      call("POST /agent/chat", {
        body: { ...asking, ...ofPage },
        headers: { accept: events, "idempotency-key": key },
        signal,
        // Files may take long to send.
        headersMs: asking.attachments === undefined ? idleTimeoutMs : undefined,
      }),
    events: (runId, after, signal) =>
      call("GET /agent/runs/{id}", {
        path: { id: runId },
        query: { drafts: true },
        headers: { accept: events, ...(after === 0 ? {} : { "last-event-id": String(after) }) },
        signal,
        headersMs: idleTimeoutMs,
      }),
    outcome: async (runId) => readOutcome(await readJson(call("GET /agent/runs/{id}", { path: { id: runId } }))),
    trace: async (runId) => readTrace(await readJson(call("GET /agent/runs/{id}/trace", { path: { id: runId } }))),
    async result(id, step, offset) {
      const path = { id, step: String(step) };
      const part = await readJson(call("GET /agent/runs/{id}/steps/{step}", { path, query: { offset } }));
      if (!isResultPart(part)) throw new UnexpectedAnswerError();
      return part;
    },
    async cancel(runId) {
      await call("DELETE /agent/runs/{id}", { path: { id: runId } });
    },
    async message(runId, message) {
      await call("POST /agent/runs/{id}/messages", { path: { id: runId }, body: { message } });
    },
    waiting: async (id) => readWaiting(await readJson(call("GET /agent/conversations/{id}/queue", { path: { id } }))),
    async queue(id, { conversation_id: _, ...asking }, key) {
      const body = { ...asking, asks: true, drafts: true };
      const sent = { path: { id }, body, headers: { "idempotency-key": key } };
      const [waiting] = readWaiting({ waiting: [await readJson(call("POST /agent/conversations/{id}/queue", sent))] });
      if (waiting === undefined) throw new UnexpectedAnswerError();
      return waiting;
    },
    async withdraw(id, question) {
      await call("DELETE /agent/conversations/{id}/queue/{question}", { path: { id, question } });
    },
    async rate(runId, rating, comment) {
      await call("POST /agent/runs/{id}/feedback", { path: { id: runId }, body: { rating, comment } });
    },
    async reply(runId, questionId, answer) {
      await call("POST /agent/runs/{id}/reply", { path: { id: runId }, body: { question_id: questionId, answer } });
    },
  };
}

function readBlob(response: Promise<Response>): Promise<Blob> {
  return readBody(response, (answer) => answer.blob());
}

/** Says what every question of the page asks for. Its run goes on when the page closes. */
const ofPage = { asks: true, drafts: true, on_disconnect: "finish" } as const;

function isRunning({ status }: RunEntry): boolean {
  return status === "running";
}

/** Returns the ID of the run that a response belongs to, read from its URL, or undefined when the URL does not contain one. */
export function readRunId(response: Response): string | undefined {
  const [, id] = /\/agent\/runs\/([^/?#]+)/.exec(response.headers.get("location") ?? "") ?? [];
  return id === undefined ? undefined : decodeURIComponent(id);
}

export type ResultPart = StepResultJson;

function isResultPart(value: unknown): value is ResultPart {
  return hasShape(stepResultShape, value);
}
