import type { Mode, Outcome } from "../../../../core/outcome.ts";
import type { UserReply } from "../../../../core/questions/user-question.ts";
import type { Locale } from "../../../../kit/locale.ts";
import type { StoredSteps } from "../../run/page-run-state.ts";
import { readOutcome } from "../../run/read-run.ts";
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
import type { Send } from "./follow-run.ts";
import { readTrace } from "./read-trace.ts";
import { type ModelKey, type Parameters, readSettings, type ServerSettings } from "./server-settings.ts";

export interface QuestionRequest {
  readonly message: string;
  readonly conversation_id?: string | undefined;
  /** Is the number of the turn that the question follows. */
  readonly parent?: number | undefined;
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

/** Wraps the agent API for the page. Every call rejects as `Send` does. */
export interface Api {
  settings(): Promise<ServerSettings>;
  conversations(query: ListQuery): Promise<ConversationPage>;
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
  runs(): Promise<readonly RunEntry[]>;
  /** Begins a run and streams its events. A repeated request with the same key streams the events of the same run. */
  ask(asking: QuestionRequest, key: string, signal: AbortSignal): Promise<Response>;
  /** Streams the events of a run that follow event number `after`, including future ones. */
  events(runId: string, after: number, signal: AbortSignal): Promise<Response>;
  /** Returns the state of a run, or undefined when the response is not an outcome. */
  outcome(runId: string): Promise<Outcome | undefined>;
  /** Returns the steps of a run that has ended. */
  trace(runId: string): Promise<StoredSteps | undefined>;
  cancel(runId: string): Promise<void>;
  reply(runId: string, questionId: string, answer: UserReply): Promise<void>;
  message(runId: string, message: string): Promise<void>;
  waiting(conversationId: string): Promise<readonly WaitingQuestion[]>;
  /** Asks a question when the runs of the conversation have ended. */
  queue(conversationId: string, asking: QuestionRequest): Promise<void>;
  withdraw(conversationId: string, queueId: string): Promise<void>;
  rate(runId: string, rating: Feedback | null, comment?: string): Promise<void>;
}

const events = "text/event-stream";
const pageLength = 50;

/** Runs in progress are among the newest, so the page reads only this many. */
const mostRuns = 100;

export function createApi(send: Send): Api {
  const get = async (path: string): Promise<unknown> => (await send("GET", path)).json();
  const toPath = (kind: "runs" | "conversations", id: string): string => `/agent/${kind}/${encodeURIComponent(id)}`;
  return {
    settings: async () => readSettings(await get("/agent/settings")),
    conversations: async (query) => readConversationPage(await get(`/agent/conversations?${toQuery(query)}`)),
    async conversation(id, branch) {
      const read = readConversation(
        await get(toPath("conversations", id) + (branch === undefined ? "" : `?branch=${branch}`)),
      );
      if (!read.runs.some(isRunning)) return read;
      // What goes on has no place in the tree yet; the list of runs says what it follows.
      const query = new URLSearchParams({ conversation_id: id, status: "running" });
      const going = new Map(readRuns(await get(`/agent/runs?${query}`)).map((run) => [run.id, run]));
      return { ...read, runs: read.runs.map((run) => going.get(run.id) ?? run) };
    },
    changeConversation: async (id, change) =>
      readEntry(await (await send("PATCH", toPath("conversations", id), { body: change })).json()),
    async deleteConversation(id) {
      await send("DELETE", `${toPath("conversations", id)}?undo=true`);
    },
    restoreConversation: async (id) =>
      readEntry(await (await send("POST", `${toPath("conversations", id)}/restore`)).json()),
    exportConversation: async (id, format) =>
      (await send("GET", `${toPath("conversations", id)}/export?format=${format}`)).blob(),
    image: async (url) => (await send("POST", "/agent/images", { body: { url } })).blob(),
    changes: (signal) => send("GET", "/agent/events", { headers: { accept: events }, signal }),
    runs: async () => readRuns(await get(`/agent/runs?limit=${mostRuns}`)),
    ask: (asking, key, signal) =>
      send("POST", "/agent/chat", {
        body: { ...asking, ...ofPage },
        headers: { accept: events, "idempotency-key": key },
        signal,
      }),
    events: (runId, after, signal) =>
      send("GET", `${toPath("runs", runId)}?drafts=true`, {
        headers: { accept: events, ...(after === 0 ? {} : { "last-event-id": String(after) }) },
        signal,
      }),
    outcome: async (runId) => readOutcome(await get(toPath("runs", runId))),
    trace: async (runId) => readTrace(await get(`${toPath("runs", runId)}/trace`)),
    async cancel(runId) {
      await send("DELETE", toPath("runs", runId));
    },
    async message(runId, message) {
      await send("POST", `${toPath("runs", runId)}/messages`, { body: { message } });
    },
    waiting: async (id) => readWaiting(await get(`${toPath("conversations", id)}/queue`)),
    async queue(id, { conversation_id: _, ...asking }) {
      await send("POST", `${toPath("conversations", id)}/queue`, { body: { ...asking, asks: true, drafts: true } });
    },
    async withdraw(id, queueId) {
      await send("DELETE", `${toPath("conversations", id)}/queue/${encodeURIComponent(queueId)}`);
    },
    async rate(runId, rating, comment) {
      await send("POST", `${toPath("runs", runId)}/feedback`, { body: { rating, comment } });
    },
    async reply(runId, questionId, answer) {
      await send("POST", `${toPath("runs", runId)}/reply`, { body: { question_id: questionId, answer } });
    },
  };
}

/** Says what every question of the page asks for. Its run goes on when the page closes. */
const ofPage = { asks: true, drafts: true, on_disconnect: "finish" } as const;

function isRunning({ status }: RunEntry): boolean {
  return status === "running";
}

function toQuery({ offset = 0, q, pinned }: ListQuery): URLSearchParams {
  return new URLSearchParams({
    limit: String(pageLength),
    offset: String(offset),
    ...(q === undefined ? {} : { q }),
    ...(pinned === undefined ? {} : { pinned: String(pinned) }),
  });
}

/** Returns the ID of the run that a response belongs to, read from its URL, or undefined when the URL does not contain one. */
export function readRunId(response: Response): string | undefined {
  const [, id] = /\/agent\/runs\/([^/?#]+)/.exec(response.headers.get("location") ?? "") ?? [];
  return id === undefined ? undefined : decodeURIComponent(id);
}
