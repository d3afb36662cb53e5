import type { Outcome } from "../../core/outcome.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { toOutcomeFor, withPlanToken } from "../../runs/outcome-for.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import type { CallerScope } from "../../runs/run-service.ts";
import type { Handle, Route } from "../http/routes.ts";
import { isEventStreamPreferred } from "./accept.ts";
import type { ApiContext } from "./api-context.ts";
import { findRun } from "./find-run.ts";
import { toJsonResponse } from "./json-answer.ts";
import type { RunListJson } from "./openapi/run-schema.ts";
import { type Page, readPage } from "./page-query.ts";
import { toQuestionJson } from "./question-json.ts";
import { createReplyRoute } from "./reply.ts";
import { watchRun } from "./watch-run.ts";

/** The caller's runs; what is another one's is not there. */
export function createRunRoutes(api: ApiContext): Readonly<Record<string, Route>> {
  return {
    "/agent/runs": {
      async GET({ request, caller }) {
        const page = readPage(request);
        return toJsonResponse(listPage([...api.runs.of(caller)], page));
      },
    },
    "/agent/runs/:id": { GET: read(api), DELETE: cancel(api) },
    "/agent/runs/:id/reply": { POST: createReplyRoute(api) },
  };
}

function listPage(all: RunHandle[], { limit, offset }: Page): RunListJson {
  const newestFirst = all.sort((one, other) => other.startedAt - one.startedAt);
  const end = offset + limit;
  return { runs: newestFirst.slice(offset, end).map(entryOf), next_offset: all.length > end ? end : null };
}

/** Of a question in the list, in UTF-16 units. */
const longestQuestion = 500;

function entryOf({ id, conversationId, question, outcome, open, startedAt }: RunHandle) {
  return {
    run_id: id,
    conversation_id: conversationId,
    question: truncate(question, longestQuestion),
    status: outcome?.status ?? "running",
    waits: open !== undefined,
    started_at: new Date(startedAt).toISOString(),
  };
}

function read(api: ApiContext): Handle {
  return async (call) => {
    const { request, caller, params } = call;
    const seat = { ...api, caller };
    const found = await findRun(seat, params.id ?? "");
    if (isEventStreamPreferred(request)) return watchRun(api, found, call);
    const { run, kept } = found;
    if (kept !== undefined) return toJsonResponse({ ...kept, waits_for: null });
    const waits = run.open && toQuestionJson(run.open, run.locale);
    return toJsonResponse({ ...(await told(seat, run)), waits_for: waits ?? null });
  };
}

/** What waits for a yes is told as such, with the token that says it where the answer may come so. */
async function told(scope: CallerScope, run: RunHandle): Promise<Outcome> {
  const { open } = run;
  if (open === undefined || open.question.kind === "elicitation") return withPlanToken(scope, run.snapshot());
  if (open.question.kind === "call" && scope.settings.confirm === "token")
    return toOutcomeFor(scope, run, { end: "confirm", open });
  return { ...run.snapshot(), status: "needs_confirmation", stop_reason: "confirmation" };
}

function cancel(api: ApiContext): Handle {
  return async ({ caller, params }) => {
    const { run, kept } = await findRun({ ...api, caller }, params.id ?? "");
    return toJsonResponse(kept ?? (await api.runs.cancel(run, api.times.cancel)));
  };
}
