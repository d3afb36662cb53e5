import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import type { Chance } from "./chance.ts";
import type { ClientRun } from "./evidence.ts";
import { type RunPlan, toQuestion } from "./plan.ts";

export interface ClientOptions {
  /** Lists the addresses of the replicas; of one that listens nowhere it is undefined. */
  origins(): (string | undefined)[];
  chance: Chance;
  /** Gives up then. */
  deadlineMs: number;
  /** Answers the run's questions, and may do so elsewhere than at `origin`. */
  onQuestion?: ((question: Question, origin: string) => Promise<void>) | undefined;
  /** Is called with each event that has a number. */
  onEvent?: ((type: string, runId: string) => void) | undefined;
}

export interface Question {
  runId: string;
  questionId: string;
}

/** Without a byte for this long a client tries another replica, in milliseconds. */
const silenceMs = 4_000;

/** Say, with a time to come again, that a replica cannot serve now: it has lost the database, is about to end, or another one has the run. */
const laterStatuses = [409, 429, 503];

const frameData = z.looseObject({
  type: z.string().optional(),
  runId: z.string().optional(),
  callId: z.string().optional(),
  code: z.string().optional(),
  question_id: z.string().optional(),
  text: z.string().optional(),
  arguments: z.looseObject({ call: z.string().optional() }).optional(),
  outcome: z
    .looseObject({
      run_id: z.string(),
      status: z.string(),
      response: z.string().nullish(),
      error: z.looseObject({ code: z.string(), message: z.string() }).nullish(),
      tool_calls: z.array(
        z.looseObject({
          ok: z.boolean(),
          result: z.string().nullish(),
          arguments: z.looseObject({ call: z.string().optional() }).optional(),
        }),
      ),
    })
    .optional(),
});

/**
 * Asks as a program does that means it: at a replica chosen by chance, with a key, and where the stream ends before the run does, again at
 * another one from the last event on.
 */
export async function askUntilEnd(plan: RunPlan, options: ClientOptions): Promise<ClientRun> {
  const { origins, chance, deadlineMs } = options;
  const calls = plan.rounds.flat().map(({ call }) => call);
  const run: ClientRun = {
    name: plan.name,
    runId: "",
    calls,
    events: [],
    answer: "",
    returns: -1,
    ends: 0,
    unbegun: 0,
    refusals: [],
    last: "",
  };
  const until = performance.now() + deadlineMs;
  while (run.outcome === undefined && performance.now() < until) {
    const all = origins();
    const origin = all[chance.between(0, all.length - 1)];
    if (origin === undefined) {
      await pause(20);
      continue;
    }
    run.returns += 1;
    try {
      await readStream(run, plan, origin, options);
    } catch (thrown) {
      // The connection broke, or was silent for too long.
      run.last = String(thrown);
    }
    if (run.outcome === undefined) await pause(chance.between(20, 120));
  }
  return run;
}

async function readStream(run: ClientRun, plan: RunPlan, origin: string, options: ClientOptions): Promise<void> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  try {
    const response = await request(run, plan, origin, silence.signal);
    if (response.status !== 200 || response.body === null) {
      const told = await response.text();
      const isLater = laterStatuses.includes(response.status) && response.headers.has("retry-after");
      run.last = `${response.status}: ${told.slice(0, 300)}`;
      if (!isLater) run.refusals.push(`${response.status} after event ${lastId(run)}: ${told.slice(0, 300)}`);
      return;
    }
    let text = "";
    run.last = "a stream that said nothing";
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      timer.refresh();
      text += piece;
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) takeFrame(run, frame, origin, options);
      if (frames.length > 1) run.last = `a stream that ended after ${frames.at(-1)?.slice(0, 200)}`;
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

function request(run: ClientRun, plan: RunPlan, origin: string, signal: AbortSignal): Promise<Response> {
  const accept = "text/event-stream";
  const last = lastId(run);
  const since = last === 0 ? {} : { "last-event-id": String(last) };
  if (run.runId !== "") return fetch(`${origin}/agent/runs/${run.runId}`, { headers: { accept, ...since }, signal });
  return fetch(`${origin}/agent/chat`, {
    method: "POST",
    headers: {
      accept,
      "content-type": "application/json",
      "idempotency-key": plan.name,
    },
    body: JSON.stringify({ message: toQuestion(plan), asks: true }),
    signal,
  });
}

function lastId({ events }: ClientRun): number {
  return events.at(-1)?.id ?? 0;
}

function takeFrame(run: ClientRun, frame: string, origin: string, { onQuestion, onEvent }: ClientOptions): void {
  const id = /^id: (\d+)$/m.exec(frame)?.[1];
  const name = /^event: (\S+)$/m.exec(frame)?.[1] ?? "";
  const json = /^data: ([^\n]*)$/m.exec(frame)?.[1];
  if (json === undefined) return;
  const data = frameData.parse(JSON.parse(json));
  if (name === "question" && data.question_id !== undefined) {
    void onQuestion?.({ runId: run.runId, questionId: data.question_id }, origin).catch(() => {});
    return;
  }
  const type = data.type ?? name;
  if (data.runId !== undefined) run.runId = data.runId;
  if (id !== undefined) {
    const { callId, arguments: args } = data;
    const call = args?.call;
    const notice = type === "notice" ? data.code : undefined;
    const seen = { ...(callId && { callId }), ...(call && { call }), ...(notice && { notice }) };
    run.events.push({ id: Number(id), at: Date.now(), type, ...seen });
    onEvent?.(type, run.runId);
  }
  if (type === "answer-restart") run.answer = "";
  if (type === "answer-delta") run.answer += data.text ?? "";
  if (data.outcome === undefined || type !== "run-end") return;
  const { status, response, tool_calls, error } = data.outcome;
  if (error?.code === "overloaded" && run.events.length === 0) {
    // It has not begun: who asks again with the same key begins it.
    run.unbegun += 1;
    run.runId = "";
    return;
  }
  run.runId = data.outcome.run_id;
  run.ends += 1;
  run.outcome = {
    status,
    response: response ?? "",
    ...(error && { error: `${error.code}: ${error.message}` }),
    calls: tool_calls.map(({ ok, result, arguments: args }) => ({ call: args?.call ?? "", ok, result: result ?? "" })),
  };
}
