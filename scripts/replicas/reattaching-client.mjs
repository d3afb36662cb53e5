// A client of several replicas, as a page or a program behind a balancer is one: each request goes to a replica that is picked by chance,
// and a stream that ends without `run-end` is taken up again with `Last-Event-ID`, by the same question with its key or by the run's ID.
import { setTimeout as sleep } from "node:timers/promises";

/** Limits how often a client comes back for one run, and how long it waits between two tries, in milliseconds. */
const mostTries = 400;
const pauseMs = 150;

/**
 * Asks one question and reads its run to the end, wherever that is carried out. `pick` returns the origin of a replica; `note` receives
 * what happens by the way: `{ kind: "refused" | "cut" | "unreachable", status?, text? }`. Returns the outcome, undefined where there is none, and
 * how often it came back; `problems` lists what no client may see.
 */
export async function askAndReattach({ name, question, pick, note = () => {}, signal }) {
  const run = { last: 0, answer: "", outcome: undefined, runId: undefined, comebacks: 0, restarts: 0, problems: [] };
  for (let tries = 0; run.outcome === undefined && tries < mostTries && !signal?.aborted; tries++) {
    if (tries > 0) await sleep(pauseMs);
    const origin = pick();
    if (origin === undefined) continue;
    try {
      await readOnce(origin, { name, question, note, signal }, run);
      if (run.outcome === undefined) note({ kind: "cut" });
    } catch (thrown) {
      if (signal?.aborted) break;
      note(
        thrown instanceof Refusal ? thrown.told : { kind: "unreachable", text: String(thrown?.cause?.code ?? thrown) },
      );
    }
    if (run.outcome === undefined) run.comebacks += 1;
  }
  if (run.outcome === undefined) run.problems.push(`no end after ${run.comebacks} comebacks, ${run.last} events`);
  else if (run.answer !== run.outcome.response) run.problems.push("the events do not give the answer");
  return run;
}

class Refusal extends Error {
  constructor(told) {
    super(`status ${told.status}`);
    this.told = told;
  }
}

async function readOnce(origin, { name, question, note, signal }, run) {
  const more = run.last > 0 ? { "last-event-id": String(run.last) } : {};
  const headers = { accept: "text/event-stream", ...more };
  const response =
    run.runId !== undefined && Math.random() < 0.5
      ? await fetch(`${origin}/agent/runs/${run.runId}`, { headers, signal })
      : await fetch(`${origin}/agent/chat`, {
          method: "POST",
          signal,
          headers: { ...headers, "content-type": "application/json", "idempotency-key": name },
          body: JSON.stringify({ message: question }),
        });
  if (!response.ok) {
    const text = (await response.text()).slice(0, 300);
    // What another try may mend: too much work, a replica that ends, a run that is on its way to another one.
    if (![409, 429, 502, 503].includes(response.status)) run.problems.push(`status ${response.status}: ${text}`);
    throw new Refusal({ kind: "refused", status: response.status, text });
  }
  let text = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const frames = text.split("\n\n");
    text = frames.pop() ?? "";
    for (const frame of frames) takeFrame(frame, run, note);
  }
}

function takeFrame(frame, run, note) {
  const id = /^id: (\d+)$/m.exec(frame)?.[1];
  const data = /^data: ([^\n]*)$/m.exec(frame)?.[1];
  if (data === undefined) return;
  const event = JSON.parse(data);
  if (id !== undefined) {
    if (Number(id) !== run.last + 1) run.problems.push(`event ${id} came after ${run.last}`);
    run.last = Number(id);
  }
  if (event.type === "run-start") run.runId = event.runId;
  if (event.type === "answer-delta") run.answer += event.text;
  if (event.type === "answer-restart") {
    run.restarts += 1;
    run.answer = "";
  }
  if (event.type !== "run-end") {
    note({ kind: "event" });
    return;
  }
  if (event.outcome.error?.code === "overloaded" && event.outcome.tool_calls.length === 0) {
    // Nothing has begun: the same question may be asked again.
    note({ kind: "refused", status: "overloaded", text: event.outcome.error.message });
    Object.assign(run, { last: 0, answer: "", runId: undefined });
    return;
  }
  run.outcome = event.outcome;
  // Of a run that ended before its reader came back the end alone may be left.
  if (id === undefined) run.answer = event.outcome.response;
}
