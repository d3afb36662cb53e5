import { mapLimits, stoppingLimits } from "../../../../core/limits.ts";
import type { Mode, Outcome } from "../../../../core/outcome.ts";
import type { UserReply } from "../../../../core/questions/user-question.ts";
import type { AgentTrace, TraceNote, TracePhase, TraceStep } from "../../../../core/trace.ts";
import type { Verdict } from "../../../../core/verdict.ts";
import type { Locale } from "../../../../kit/locale.ts";
import { traceShape } from "../../run/known-shapes.ts";
import type { StoredSteps } from "../../run/page-run-state.ts";
import { readOutcome } from "../../run/read-run.ts";
import type { StepItem, StepView } from "../../run/run-view.ts";
import { hasShape } from "../../run/shape.ts";
import { emptyStep } from "../../run/to-view.ts";
import {
  type Conversation,
  type ConversationPage,
  type RunEntry,
  readConversation,
  readConversationPage,
  readRuns,
} from "./conversation.ts";
import type { Send } from "./follow-run.ts";
import { type ModelKey, type Parameters, readSettings, type ServerSettings } from "./server-settings.ts";

export interface QuestionRequest {
  readonly message: string;
  readonly conversation_id?: string | undefined;
  readonly mode: Mode | undefined;
  readonly agent?: string | undefined;
  readonly search?: boolean | undefined;
  readonly go_on?: boolean | undefined;
  readonly models?: Readonly<Partial<Record<ModelKey, string>>> | undefined;
  readonly parameters?: Readonly<Partial<Record<ModelKey, Parameters>>> | undefined;
  readonly locale: Locale;
}

/** Wraps the agent API for the page. Every call rejects as `Send` does. */
export interface Api {
  settings(): Promise<ServerSettings>;
  conversations(offset: number): Promise<ConversationPage>;
  conversation(id: string): Promise<Conversation>;
  deleteConversation(id: string): Promise<void>;
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
    conversations: async (offset) =>
      readConversationPage(await get(`/agent/conversations?limit=${pageLength}&offset=${offset}`)),
    conversation: async (id) => readConversation(await get(toPath("conversations", id))),
    async deleteConversation(id) {
      await send("DELETE", toPath("conversations", id));
    },
    runs: async () => readRuns(await get(`/agent/runs?limit=${mostRuns}`)),
    ask: (asking, key, signal) =>
      send("POST", "/agent/chat", {
        body: { ...asking, asks: true, drafts: true },
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
    async reply(runId, questionId, answer) {
      await send("POST", `${toPath("runs", runId)}/reply`, { body: { question_id: questionId, answer } });
    },
  };
}

/** Returns the ID of the run that a response belongs to, read from its URL, or undefined when the URL does not contain one. */
export function readRunId(response: Response): string | undefined {
  const [, id] = /\/agent\/runs\/([^/?#]+)/.exec(response.headers.get("location") ?? "") ?? [];
  return id === undefined ? undefined : decodeURIComponent(id);
}

/** Reads the steps of an untrusted trace as they were when it ran. Returns undefined when the value is not a trace. */
export function readTrace(value: unknown): StoredSteps | undefined {
  if (!isTrace(value)) return undefined;
  const { phases, plan = [] } = value;
  const turns = phases.length > 0 ? phases.map(toTurn) : [emptyStep];
  const placedItems = [...value.steps.flatMap(toPlacedCall), ...value.notes.map(toPlacedNote)];
  const usual = phases.findLastIndex(({ phase }) => phase !== "answer") + 1;
  const placed = placedItems.map(({ phase = usual, ...rest }) => ({ ...rest, phase }));
  const hasAnswer = value.steps.at(-1)?.action?.type === "final";
  const steps = turns.map((turn, index) => {
    const own = placed.filter(({ phase }) => phase === index + 1 || (phases.length === 0 && phase === 0));
    const items = own.toSorted((one, other) => one.time.localeCompare(other.time)).map(({ item }) => item);
    // One model's last turn without calls wrote the answer.
    const isAnswer = turns[index + 1] === undefined && hasAnswer && items.every(({ kind }) => kind !== "call");
    const answering = turn.phase === "decide" && isAnswer ? ({ phase: "answer", hasWritten: true } as const) : {};
    return { ...turn, ...answering, items, thought: own.find(({ thought }) => thought !== "")?.thought ?? "" };
  });
  const early = phases.length === 0 ? [] : placed.filter(({ phase }) => phase === 0);
  return {
    notices: early.flatMap(({ item }) => (item.kind === "notice" ? [item] : [])),
    plan,
    steps: addLastThought(steps, value).filter(hasContent),
  };
}

interface PlacedItem {
  /** Counts from 1; it is 0 before the first turn and undefined in older traces. */
  readonly phase: number | undefined;
  readonly time: string;
  readonly thought: string;
  readonly item: StepItem;
}

function toTurn({ phase, step, model, input_tokens, output_tokens, elapsed_ms, cost_usd }: TracePhase): StepView {
  const end = {
    elapsedMs: elapsed_ms,
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    costUsd: cost_usd,
    isFailed: false,
  };
  return { ...emptyStep, phase, step, model, hasWritten: phase === "answer", end };
}

function toPlacedCall(told: TraceStep): PlacedItem[] {
  const { phase, thought = "", action, observation, error, cached = false, elapsed_ms, timestamp, agent_steps } = told;
  if (action?.type !== "action") return [];
  const isOk = error === undefined;
  const result = observation || (error ?? "");
  const end = { isOk, isCached: cached, result, elapsedMs: elapsed_ms, resultCount: undefined, top: [] };
  const steps = agent_steps && { progress: agent_steps.join("\n"), hasSteps: true };
  const call = { tool: action.tool, arguments: action.args ?? null, progress: "", ...steps, end };
  return [{ phase, thought, time: timestamp, item: { kind: "call", callId: `call-${told.step}`, ...call } }];
}

function toPlacedNote({ phase, timestamp, level, code, message }: TraceNote): PlacedItem {
  const isVerdict = level === "info" && Object.hasOwn(verdicts, code);
  const item: StepItem = isVerdict ? { kind: "evaluation", message } : { kind: "notice", level, message };
  return { phase, thought: "", time: timestamp, item };
}

/** A thought after the last call belongs to the turn that requested no further call, if there was one. */
function addLastThought(turns: readonly StepView[], { steps }: TraceFields): readonly StepView[] {
  const last = steps.at(-1);
  if (!last?.thought || last.action?.type === "action") return turns;
  const { thought } = last;
  const isFree = (turn: StepView): boolean => turn.thought === "" && turn.items.every(({ kind }) => kind !== "call");
  const decided = turns.findLastIndex((turn) => turn.phase !== "answer" && isFree(turn));
  const toPath = decided < 0 ? turns.length - 1 : decided;
  return turns.map((turn, index) => (index === toPath ? { ...turn, thought } : turn));
}

function hasContent({ model, items, thought }: StepView): boolean {
  return model !== "" || items.length > 0 || thought !== "";
}

/** Lists the reasons that distinguish an evaluation in a trace from other notes. */
const verdicts: Readonly<Record<Verdict["reason"], true>> = {
  "result-thin": true,
  "tool-failed": true,
  "model-decides": true,
  "model-decided": true,
  "model-failed": true,
  "turn-cut": true,
  "calls-used": true,
  "model-refused": true,
  ...mapLimits(
    stoppingLimits,
    ({ stop }) => stop.reason,
    () => true,
  ),
  "plan-done": true,
  "plan-failed": true,
  "rules-answered": true,
  custom: true,
  repetition: true,
  sufficient: true,
};

type TraceFields = Pick<AgentTrace, "phases" | "steps" | "notes" | "plan">;

function isTrace(value: unknown): value is TraceFields {
  return hasShape(traceShape, value);
}
