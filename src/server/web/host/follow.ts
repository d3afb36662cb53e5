import { isRecord, toText } from "../../../kit/json.ts";
import type { RunChange } from "../run/page-run-state.ts";
import { readConfirmation, readEvents, readOutcome } from "../run/read-run.ts";

export interface Follower {
  /**
   * Runs when a tool was called. It finds the run of the question or of the confirmation token and follows it, even if the run
   * has not begun yet.
   */
  ask(call: { readonly question: string; readonly confirmation: string | undefined }): void;
  /** Runs when the call that asked the question has its result. */
  settle(result: CallResult): void;
  /** Runs when the call ended without a result. Its run may continue. */
  cancel(): void;
  close(): void;
}

export interface FollowOptions {
  readonly callTool: CallTool;
  change(change: RunChange): void;
  /** Returns the text that is shown when the run cannot be followed. */
  notFollowed(): string;
}

/** Identifies the run: by the question until the call has its result, and then by the run ID in the result. */
interface RunQuery {
  readonly question?: string | undefined;
  readonly confirmation?: string | undefined;
  readonly run_id?: string | undefined;
}

function isNamed({ question, confirmation }: RunQuery): boolean {
  return question === undefined && confirmation === undefined;
}

const nothingSeen = { after: 0, waiting: false };

/** Limits how long one poll waits for new events, in seconds. Hosts end long calls. */
const lookSeconds = 15;
const lookTimeoutMs = 45_000;

/** Separates two polls, in milliseconds. Events arrive by the dozen, and each poll is a call to the host. */
const pauseMs = 300;

/** A run that sends no events for this long is no longer followed, in milliseconds. */
const patienceMs = 1_800_000;
const mostFailures = 4;

/** Keeps what the page knows of a run up to date until it is over. */
export function createFollower(options: FollowOptions): Follower {
  let going = new AbortController();
  let sought: RunQuery = {};
  let seen = nothingSeen;

  const begin = (seek: RunQuery): void => {
    going.abort();
    going = new AbortController();
    if (seek.run_id !== sought.run_id || seek.run_id === undefined) seen = nothingSeen;
    sought = seek;
    void follow(going.signal);
  };

  async function follow(signal: AbortSignal): Promise<void> {
    let failures = 0;
    let newsAt = Date.now();
    while (!signal.aborted && Date.now() - newsAt < patienceMs) {
      const found = await readOnce(signal).catch(() => "failed" as const);
      if (signal.aborted || found === "over") return;
      if (found === "news") newsAt = Date.now();
      failures = found === "failed" ? failures + 1 : 0;
      if (failures === mostFailures)
        return options.change({ type: "problem", problem: { message: options.notFollowed(), hint: null } });
      await pause(pauseMs * 4 ** failures, signal);
    }
  }

  async function readOnce(signal: AbortSignal): Promise<"over" | "news" | "nothing" | "failed"> {
    const args = { ...sought, ...seen, wait_s: lookSeconds };
    const { isError, structured } = await options.callTool("agent_watch", args, { timeoutMs: lookTimeoutMs, signal });
    if (signal.aborted) return "over";
    // A server that knows the run no longer says so; what the result reported stays.
    if (isError && isNamed(sought)) return "over";
    if (isError || structured === undefined) return "failed";
    const runId = toText(structured.run_id);
    if (runId === "") return "nothing";
    const events = readEvents(structured.events);
    const outcome = readOutcome(structured.outcome);
    const confirmation = readConfirmation(structured.waits_for);
    seen = { after: Number(structured.after) || 0, waiting: confirmation !== undefined };
    sought = { ...sought, run_id: runId };
    options.change({ type: "told", runId, events, outcome, confirmation });
    // Until the call has its result, a run that is over may be an older one with the same question.
    if (outcome !== undefined && isNamed(sought)) return "over";
    return events.length > 0 ? "news" : "nothing";
  }

  return {
    ask({ question, confirmation }) {
      options.change({ type: "asked", question });
      begin({ question, confirmation });
    },
    settle(result) {
      const outcome = readOutcome(result.structured);
      if (outcome === undefined) {
        going.abort();
        return options.change({ type: "plain", text: result.text, isFailed: result.isError });
      }
      const { run_id: runId, status, confirmation } = outcome;
      const isOver = status !== "running" && confirmation?.kind !== "call";
      const waits = isOver ? undefined : readConfirmation(confirmation);
      options.change({ type: "told", runId, events: [], outcome: isOver ? outcome : undefined, confirmation: waits });
      // What has happened on the way may not all be known here.
      begin({ run_id: runId });
    },
    cancel() {
      if (sought.run_id !== undefined) return begin({ run_id: sought.run_id });
      going.abort();
      options.change({ type: "plain", text: "", isFailed: false });
    },
    close: () => going.abort(),
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stopFollowing = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stopFollowing);
      resolve();
    };
    const timer = setTimeout(stopFollowing, ms);
    signal.addEventListener("abort", stopFollowing, { once: true });
  });
}

/** Holds a tool's result as it arrived, or as far as it is known. */
interface CallResult {
  readonly isError: boolean;
  readonly structured: Record<string, unknown> | undefined;
  /** Holds all text blocks of the result. */
  readonly text: string;
}

/** Calls a tool of the page's own server through the host. */
export type CallTool = (name: string, args: object, options: RequestOptions) => Promise<CallResult>;

export function createToolCaller(messages: Messages): CallTool {
  return async (name, args, options) =>
    readResult(await messages.request("tools/call", { name, arguments: args }, options));
}

export function readResult(result: unknown): CallResult {
  const { isError, structuredContent, content } = isRecord(result) ? result : {};
  const blocks = Array.isArray(content) ? content : [];
  return {
    isError: isError === true,
    structured: isRecord(structuredContent) ? structuredContent : undefined,
    text: blocks.flatMap((block) => (isRecord(block) && toText(block.text)) || []).join("\n"),
  };
}

/** Exchanges JSON-RPC messages with the program that shows the page. */
export interface Messages {
  /** Rejects when the host answers with an error, when the time is over, and when the signal aborts: then the host is informed. */
  request(method: string, params: object, options: RequestOptions): Promise<unknown>;
  notify(method: string, params: object): void;
}

interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}
