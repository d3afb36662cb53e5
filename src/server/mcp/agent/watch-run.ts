import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { Caller } from "../../../core/caller.ts";
import type { AgentEvent } from "../../../core/run/events.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { createTimeLimit, createWaitLimit, timeoutError } from "../../../kit/async/timeout.ts";
import { isRecord } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { toBoundedJson } from "../../../runs/bounded-json.ts";
import type { FollowedRuns } from "../../../runs/followed-runs.ts";
import { describeUnknownRun, type LiveRun, type LiveRuns } from "../../../runs/live/live-run.ts";
import { joinPieces } from "../../../runs/outcomes/join-pieces.ts";
import type { OpenQuestion } from "../../../runs/questions/open-question.ts";
import { createFailedResult } from "../failed-result.ts";
import { readInput } from "../read-input.ts";

export const watchName = "agent_watch";

/** Adds the question that a run waits for. */
export interface WatchedRun extends LiveRun {
  readonly open: OpenQuestion | undefined;
  waitForEvent(signal: AbortSignal): Promise<void>;
}

export interface WatchedRuns extends LiveRuns {
  find(id: string, caller: Caller): WatchedRun | undefined;
  findLatest(question: string, caller: Caller): WatchedRun | undefined;
}

export interface WatchOptions {
  runs: WatchedRuns;
  /** Finds runs of other processes; absent where each process knows its own alone. */
  followed?: Pick<FollowedRuns, "find" | "list"> | undefined;
  caller: Caller;
  locale: Locale;
  /** Returns the run whose call a token confirms. The page of a confirming `agent_ask` knows the run only by this token. */
  runIdOf?: ((confirmation: string) => string | undefined) | undefined;
}

const watchInput = z.strictObject({
  run_id: z.string().max(200).optional(),
  question: z.string().trim().max(100_000).optional(),
  confirmation: z.string().max(2000).optional(),
  after: z.int().min(0).default(0),
  waiting: z.boolean().default(false),
  wait_s: z.number().min(0).max(20).default(0),
});

type WatchInput = z.infer<typeof watchInput>;

/** Is how often a run that begins in another process is looked for, in milliseconds. */
const lookEveryMs = 1_000;

/** Limits an outcome, in UTF-16 units of JSON. */
const longestOutcome = 400_000;

/**
 * Creates the tool with which the page of a run follows it. Models are not meant to see it; because some hosts show it to theirs,
 * it is listed in few bytes, with no more than the types of its arguments.
 */
export function createWatchTool(locale: Locale): Tool {
  const { properties = {} } = z.toJSONSchema(watchInput, { io: "input" });
  const types = Object.entries(properties).map(([name, schema]) => [
    name,
    isRecord(schema) ? { type: schema.type } : {},
  ]);
  return {
    name: watchName,
    description: say(locale, {
      zh: "供 Duet 的页面使用：给出一次运行中新发生的事件。",
      en: "For Duet's own page: returns the new events of a run.",
    }),
    inputSchema: { type: "object", properties: Object.fromEntries(types) },
    annotations: { readOnlyHint: true, openWorldHint: false },
    _meta: { ui: { visibility: ["app"] } },
  };
}

/**
 * Gives what is new of a run since `after` of its events, and waits for that up to `wait_s` seconds. The run is the one of
 * `run_id`, or the newest with that `question`, which need not have begun. Rejects when the signal aborts.
 */
export async function watchRun(options: WatchOptions, args: unknown, signal: AbortSignal): Promise<CallToolResult> {
  const { runs, caller, locale, followed } = options;
  const input = readInput(watchInput, args, locale);
  if (typeof input === "string") return createFailedResult(input);
  const limit = createTimeLimit(input.wait_s * 1000, () => timeoutError(watchName, input.wait_s * 1000), signal);
  try {
    for (;;) {
      const run = findRun(options, input) ?? (await findElsewhere(options, input));
      if (run === undefined && !canBegin(input))
        return createFailedResult(say(locale, describeUnknownRun(input.run_id ?? "")));
      const isOther = run !== undefined && run.id !== input.run_id;
      // Of another run than the one that was seen, all is new.
      const seen = isOther && input.run_id !== undefined ? 0 : input.after;
      signal.throwIfAborted();
      if (limit.signal.aborted || isOther || (run && hasNews(run, input))) return report(run, seen);
      if (run !== undefined && run.outcome === undefined) await run.waitForEvent(limit.signal);
      else await waitForChange(runs, caller, { signal: limit.signal, mostMs: followed && lookEveryMs });
    }
  } finally {
    limit.clear();
  }
}

function findRun({ runs, caller, runIdOf }: WatchOptions, input: WatchInput): WatchedRun | undefined {
  const { question, confirmation, run_id } = input;
  const confirmed = confirmation === undefined ? undefined : runIdOf?.(confirmation);
  const named = confirmed === undefined ? undefined : runs.find(confirmed, caller);
  const toShownQuestion = question === undefined ? undefined : runs.findLatest(question, caller);
  return named ?? toShownQuestion ?? (run_id === undefined ? undefined : runs.find(run_id, caller));
}

async function findElsewhere(
  { followed, caller, runIdOf }: WatchOptions,
  { question, confirmation, run_id }: WatchInput,
): Promise<WatchedRun | undefined> {
  async function find(): Promise<WatchedRun | undefined> {
    const named = (confirmation === undefined ? undefined : runIdOf?.(confirmation)) ?? run_id;
    const isAsked = (run: { question: string }): boolean => run.question === question;
    const id = named ?? (question === undefined ? undefined : (await followed?.list(caller))?.find(isAsked)?.id);
    return id === undefined ? undefined : followed?.find(id, caller);
  }

  return followed && ignoreRejection(find(), "the monitor of the store reports it, and the page asks again");
}

function canBegin({ question, confirmation }: WatchInput): boolean {
  return question !== undefined || confirmation !== undefined;
}

function hasNews(run: WatchedRun, input: WatchInput): boolean {
  if (run.events.length > input.after || (run.open !== undefined) !== input.waiting) return true;
  // One that is over may be an older one than the page means; that of the page begins with the next change.
  return run.outcome !== undefined && !canBegin(input);
}

/** Waits for a run that begins or ends here, and `mostMs` milliseconds at most for what changes in other processes. */
async function waitForChange(
  runs: LiveRuns,
  caller: Caller,
  { signal: outer, mostMs }: { signal: AbortSignal; mostMs: number | undefined },
): Promise<void> {
  const limit = mostMs === undefined ? undefined : createWaitLimit(mostMs, outer);
  const signal = limit?.signal ?? outer;
  const changed = Promise.withResolvers<void>();
  const resolveChange = (): void => changed.resolve();
  const stopListening = runs.onChange(caller, resolveChange);
  signal.addEventListener("abort", resolveChange, { once: true });
  if (signal.aborted) resolveChange();
  await changed.promise;
  signal.removeEventListener("abort", resolveChange);
  limit?.clear();
  stopListening();
}

/** The structured content is for the page; the text is for people who read the traffic. */
function report(run: WatchedRun | undefined, seen: number): CallToolResult {
  const { events, after } = toWatchedEvents(run?.events ?? [], seen);
  const isAllShown = run !== undefined && after >= run.events.length;
  const outcome: unknown = isAllShown && run.outcome ? JSON.parse(toBoundedJson(run.outcome, longestOutcome)) : null;
  const waits_for = run?.open ? toShownQuestion(run.open) : null;
  const structuredContent = {
    run_id: run?.id ?? null,
    after,
    events,
    outcome: isRecord(outcome) ? outcome : null,
    waits_for,
  };
  return { content: [{ type: "text", text: `${run?.id ?? "-"} ${after}` }], structuredContent };
}

/** Returns what a person is asked, without the token that carries the answer. */
function toShownQuestion({ question }: OpenQuestion): Record<string, unknown> {
  if (question.kind === "plan") return { kind: "plan" };
  if (question.kind !== "call") return { kind: "question", message: "message" in question ? question.message : "" };
  const { tool, arguments: args } = question;
  const shown: unknown = JSON.parse(toBoundedJson({ args }, 20_000));
  return { kind: "call", tool, arguments: isRecord(shown) ? shown.args : null };
}

/** Holds the new events of a run, as many as fit in one answer. */
export interface WatchedEvents {
  /**
   * Holds the events, with adjacent pieces of a text joined and long texts cut. `run-end` is left out, because its outcome is
   * returned separately.
   */
  readonly events: readonly Record<string, unknown>[];
  /** Counts the run's events up to the last one included here. */
  readonly after: number;
}

/** Limits one event, in UTF-16 units of JSON. Pieces of a text are joined up to this length. */
const longestEvent = 20_000;

/** Limits all events in one answer, in UTF-16 units of JSON. */
const longestAnswer = 200_000;

export function toWatchedEvents(events: readonly AgentEvent[], seen: number): WatchedEvents {
  const shown: Record<string, unknown>[] = [];
  let after = Math.min(seen, events.length);
  let length = 0;
  let pieces: AgentEvent | undefined;

  function addEvent(event: AgentEvent | undefined): void {
    if (event === undefined) return;
    const json = toBoundedJson(event, longestEvent);
    const bounded: unknown = JSON.parse(json);
    length += json.length;
    if (isRecord(bounded)) shown.push(bounded);
  }

  for (const event of events.slice(after)) {
    if (length > longestAnswer) break;
    after += 1;
    if (event.type === "run-end") continue;
    const joined = pieces && join(pieces, event);
    if (joined === undefined) addEvent(pieces);
    pieces = joined ?? event;
  }
  addEvent(pieces);
  return { events: shown, after };
}

/** Joins two pieces of one text. Returns undefined when they are not such pieces, or would be too long together. */
function join(a: AgentEvent, b: AgentEvent): AgentEvent | undefined {
  if (a.type === "tool-progress" && b.type === "tool-progress") return a.callId === b.callId ? b : undefined;
  return joinPieces(a, b, longestEvent / 4);
}
