import { cutText } from "../../core/cut-text.ts";
import type { Outcome } from "../../core/outcome.ts";
import { timeLimit, timeoutError } from "../../core/waiting.ts";
import type { Handle, Route } from "../http/routes.ts";
import type { HeldRun } from "../runs/held-run.ts";
import { withPlanToken } from "../runs/outcome-for.ts";
import { prefersEvents } from "./accept.ts";
import type { ApiRoom } from "./api-room.ts";
import { findRun } from "./find-run.ts";
import { jsonAnswer } from "./json-answer.ts";
import { questionJson } from "./question-json.ts";
import { replyTo } from "./reply.ts";
import { watchRun } from "./watch-run.ts";

/** The caller's runs; what is another one's is not there. */
export function runRoutes(room: ApiRoom): Readonly<Record<string, Route>> {
  return {
    "/agent/runs": {
      GET: async ({ caller }) => jsonAnswer({ runs: [...room.runs.of(caller)].map(entryOf) }),
    },
    "/agent/runs/:id": { GET: read(room), DELETE: cancel(room) },
    "/agent/runs/:id/reply": { POST: replyTo(room) },
  };
}

/** Of a question in the list, in UTF-16 units: there may be a thousand of them. */
const longestQuestion = 500;

function entryOf({ id, conversationId, question, outcome, startedAt }: HeldRun) {
  return {
    run_id: id,
    conversation_id: conversationId,
    question: cutText(question, longestQuestion),
    status: outcome?.status ?? "running",
    started_at: new Date(startedAt).toISOString(),
  };
}

function read(room: ApiRoom): Handle {
  return async (call) => {
    const { request, caller, params } = call;
    const seat = { ...room, caller };
    const found = await findRun(seat, params.id ?? "");
    if (prefersEvents(request)) return watchRun(room, found, call);
    const { run, kept } = found;
    if (kept !== undefined) return jsonAnswer({ ...kept, waits_for: null });
    const waits = run.open && questionJson(run.open, run.locale);
    return jsonAnswer({ ...(await withPlanToken(seat, run.soFar())), waits_for: waits ?? null });
  };
}

function cancel(room: ApiRoom): Handle {
  return async ({ caller, params }) => {
    const { run, kept } = await findRun({ ...room, caller }, params.id ?? "");
    return jsonAnswer(kept ?? (await stopped(room, run)));
  };
}

/** How it has ended, or what is known of it where it does not end in time. */
async function stopped({ runs, times }: ApiRoom, run: HeldRun): Promise<Outcome> {
  run.cancel();
  const limit = timeLimit(times.cancel, () => timeoutError("DELETE", times.cancel));
  await runs.ended(run, limit.signal);
  limit.clear();
  return run.soFar();
}
