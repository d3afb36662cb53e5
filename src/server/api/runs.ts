import type { Outcome } from "../../core/outcome.ts";
import { cutText } from "../../kit/text/truncate.ts";
import { outcomeFor, withPlanToken } from "../../runs/outcome-for.ts";
import type { HeldRun } from "../../runs/run-handle.ts";
import type { RunSeat } from "../../runs/run-service.ts";
import type { Handle, Route } from "../http/routes.ts";
import { prefersEvents } from "./accept.ts";
import type { ApiRoom } from "./api-context.ts";
import { findRun } from "./find-run.ts";
import { jsonAnswer } from "./json-answer.ts";
import type { RunListJson } from "./openapi/run-schema.ts";
import { type Page, readPage } from "./page-query.ts";
import { questionJson } from "./question-json.ts";
import { replyTo } from "./reply.ts";
import { watchRun } from "./watch-run.ts";

/** The caller's runs; what is another one's is not there. */
export function runRoutes(room: ApiRoom): Readonly<Record<string, Route>> {
  return {
    "/agent/runs": {
      async GET({ request, caller }) {
        const page = readPage(request);
        return jsonAnswer(listPage([...room.runs.of(caller)], page));
      },
    },
    "/agent/runs/:id": { GET: read(room), DELETE: cancel(room) },
    "/agent/runs/:id/reply": { POST: replyTo(room) },
  };
}

function listPage(all: HeldRun[], { limit, offset }: Page): RunListJson {
  const newestFirst = all.sort((one, other) => other.startedAt - one.startedAt);
  const end = offset + limit;
  return { runs: newestFirst.slice(offset, end).map(entryOf), next_offset: all.length > end ? end : null };
}

/** Of a question in the list, in UTF-16 units. */
const longestQuestion = 500;

function entryOf({ id, conversationId, question, outcome, open, startedAt }: HeldRun) {
  return {
    run_id: id,
    conversation_id: conversationId,
    question: cutText(question, longestQuestion),
    status: outcome?.status ?? "running",
    waits: open !== undefined,
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
    return jsonAnswer({ ...(await told(seat, run)), waits_for: waits ?? null });
  };
}

/** What waits for a yes is told as such, with the token that says it where the answer may come so. */
async function told(seat: RunSeat, run: HeldRun): Promise<Outcome> {
  const { open } = run;
  if (open === undefined || open.question.kind === "elicitation") return withPlanToken(seat, run.soFar());
  if (open.question.kind === "call" && seat.settings.confirm === "token")
    return outcomeFor(seat, run, { end: "confirm", open });
  return { ...run.soFar(), status: "needs_confirmation", stop_reason: "confirmation" };
}

function cancel(room: ApiRoom): Handle {
  return async ({ caller, params }) => {
    const { run, kept } = await findRun({ ...room, caller }, params.id ?? "");
    return jsonAnswer(kept ?? (await room.runs.cancel(run, room.times.cancel)));
  };
}
