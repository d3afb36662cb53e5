import type { Mode, Outcome } from "../../../../core/outcome.ts";
import type { Locale } from "../../../../kit/locale.ts";
import { readOutcome } from "../../run/read-run.ts";
import {
  type Conversation,
  type ConversationPage,
  type RunEntry,
  readConversation,
  readConversationPage,
  readRuns,
} from "./conversation.ts";
import type { Send } from "./http.ts";
import type { Reply } from "./question.ts";
import { type Parameters, type Role, readSettings, type ServerSettings } from "./server-settings.ts";
import { readTrace, type TraceSteps } from "./trace-steps.ts";

/** What a question goes along with. */
export interface QuestionRequest {
  readonly message: string;
  readonly conversation_id?: string | undefined;
  readonly mode: Mode;
  readonly search?: boolean | undefined;
  readonly models?: Readonly<Partial<Record<Role, string>>> | undefined;
  readonly parameters?: Readonly<Partial<Record<Role, Parameters>>> | undefined;
  readonly locale: Locale;
}

/** The agent API as the page uses it. Every call rejects as `Send` does. */
export interface Api {
  settings(): Promise<ServerSettings>;
  conversations(offset: number): Promise<ConversationPage>;
  conversation(id: string): Promise<Conversation>;
  deleteConversation(id: string): Promise<void>;
  runs(): Promise<readonly RunEntry[]>;
  /** Begins a run and gives its events; asked again with the same key, those of the same run. */
  ask(asking: QuestionRequest, key: string, signal: AbortSignal): Promise<Response>;
  /** The events of a run behind the one of this number, and from then on. */
  events(runId: string, after: number, signal: AbortSignal): Promise<Response>;
  /** How a run stands; undefined where what came is nothing of that kind. */
  outcome(runId: string): Promise<Outcome | undefined>;
  /** What a run that has ended did. */
  trace(runId: string): Promise<TraceSteps | undefined>;
  cancel(runId: string): Promise<void>;
  reply(runId: string, questionId: string, answer: Reply): Promise<void>;
}

const events = "text/event-stream";
const pageLength = 50;

/** Those that go on are among the newest. */
const mostRuns = 100;

export function createApi(send: Send): Api {
  const get = async (path: string): Promise<unknown> => (await send("GET", path)).json();
  const at = (kind: "runs" | "conversations", id: string): string => `/agent/${kind}/${encodeURIComponent(id)}`;
  return {
    settings: async () => readSettings(await get("/agent/settings")),
    conversations: async (offset) =>
      readConversationPage(await get(`/agent/conversations?limit=${pageLength}&offset=${offset}`)),
    conversation: async (id) => readConversation(await get(at("conversations", id))),
    async deleteConversation(id) {
      await send("DELETE", at("conversations", id));
    },
    runs: async () => readRuns(await get(`/agent/runs?limit=${mostRuns}`)),
    ask: (asking, key, signal) =>
      send("POST", "/agent/chat", {
        body: { ...asking, asks: true },
        headers: { accept: events, "idempotency-key": key },
        signal,
      }),
    events: (runId, after, signal) =>
      send("GET", at("runs", runId), {
        headers: { accept: events, ...(after === 0 ? {} : { "last-event-id": String(after) }) },
        signal,
      }),
    outcome: async (runId) => readOutcome(await get(at("runs", runId))),
    trace: async (runId) => readTrace(await get(`${at("runs", runId)}/trace`)),
    async cancel(runId) {
      await send("DELETE", at("runs", runId));
    },
    async reply(runId, questionId, answer) {
      await send("POST", `${at("runs", runId)}/reply`, { body: { question_id: questionId, answer } });
    },
  };
}

/** The run that an answer belongs to, by its address; undefined where it does not say. */
export function readRunId(response: Response): string | undefined {
  const [, id] = /\/agent\/runs\/([^/?#]+)/.exec(response.headers.get("location") ?? "") ?? [];
  return id === undefined ? undefined : decodeURIComponent(id);
}
