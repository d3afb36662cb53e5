import type { Outcome } from "../../core/run/outcome.ts";
import type { RunJson, RunListJson } from "../../core/schemas/run-schema.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { toBoundedJson } from "../../runs/bounded-json.ts";
import type { ListedRun } from "../../runs/followed-runs.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";
import { hideCauseInTrace } from "../../runs/outcomes/finished-outcome.ts";
import { addPlanToken, toOutcomeFor } from "../../runs/outcomes/outcome-for.ts";
import { toRunningOutcome } from "../../runs/outcomes/running-outcome.ts";
import type { CallerScope, RunService } from "../../runs/run-service.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Handle, Route } from "../http/routes.ts";
import { type ApiContext, type ApiTimes, defaultTimes, openApiContext } from "./api-context.ts";
import { createChatRoute } from "./chat/chat-route.ts";
import { toKeyNames } from "./chat/keyed-runs.ts";
import { beginWaitingQuestion } from "./conversations/begin-waiting.ts";
import { createEventsRoute } from "./conversations/change-stream.ts";
import { createConversationRoutes } from "./conversations/conversation-routes.ts";
import { createFileRoutes } from "./conversations/file-routes.ts";
import { createQueueRoutes } from "./conversations/queue-routes.ts";
import { isEventStreamPreferred, readLastId } from "./events/event-headers.ts";
import { watchRun } from "./events/watch-run.ts";
import { createFeedbackRoute } from "./feedback.ts";
import { findRun } from "./find-run.ts";
import { createImageRoute } from "./images.ts";
import { toJsonResponse } from "./json-response.ts";
import { createMessageRoute } from "./messages.ts";
import { type BudgetConfig, createOwnUsageRoute } from "./own-usage.ts";
import { type Page, readChoice, readDrafts, readPage } from "./page-query.ts";
import { createReplyRoute, toQuestionJson } from "./reply.ts";
import { toRunEntry } from "./run-entry.ts";
import { createSettingsRoute, type ExposedConfig } from "./settings.ts";
import { createStepResultRoute } from "./step-result.ts";

/** Creates the agent API of docs/development/contract.md#http, as routes by path. */
export function createApi(
  service: RunService,
  config: ExposedConfig & BudgetConfig,
  times: ApiTimes = defaultTimes,
): Readonly<Record<string, Route>> {
  const shared: ApiContext = openApiContext(service, times, {
    makesTitles: config.conversations.titles,
    beginWaiting: (question, signal) => beginWaitingQuestion(shared, question, signal),
  });
  return {
    "/agent/chat": { POST: createChatRoute(shared) },
    ...createRunRoutes(shared),
    "/agent/runs/:id/trace": createTraceRoute(service),
    ...createConversationRoutes(shared),
    ...createQueueRoutes(shared),
    ...createFileRoutes(shared),
    "/agent/events": createEventsRoute(shared),
    "/agent/images": { POST: createImageRoute(shared) },
    "/agent/settings": createSettingsRoute(service, config),
    "/agent/usage": createOwnUsageRoute(service, config),
    "/openapi.json": createOpenApiRoute(service),
  };
}

/** Returns the trace of one of the caller's finished runs, as `duet://runs/…` does in MCP. */
export function createTraceRoute(service: RunService): Route {
  return {
    async GET({ params: { id = "" }, caller }) {
      const trace = await service.duet.trace(id, caller);
      if (trace === undefined) throw unknownTraceError(id);
      const toCurrentOutcome = hideCauseInTrace(trace, service.duet.localeFor(trace.question));
      return new Response(toBoundedJson(toCurrentOutcome), { headers: { "content-type": "application/json" } });
    },
  };
}

function unknownTraceError(id: string): HttpRefusalError {
  const shown = showValue(id);
  return new HttpRefusalError({
    status: 404,
    text: {
      zh: `没有编号为 ${shown} 的运行的追踪（允许：结果中的 run_id，且该运行已结束）。`,
      en: `There is no trace of a run ${shown} (allowed: the run_id of a result, once that run has ended).`,
    },
  });
}

/** Serves the caller's runs. Runs of other callers are reported as not found. */
export function createRunRoutes(api: ApiContext): Readonly<Record<string, Route>> {
  return {
    "/agent/runs": {
      async GET({ request, caller }) {
        const page = readPage(request);
        const isRunning = readChoice(request, "status", ["running"]) !== undefined;
        const { searchParams } = new URL(request.url);
        const of = searchParams.get("conversation_id");
        const key = searchParams.get("idempotency_key");
        const beginning = key === null ? "" : toKeyNames(key, caller).beginning;
        const runs = [...api.runs.listRuns(caller), ...(await api.followed.list(caller))].filter(
          ({ id, conversationId, outcome }) =>
            (of === null || conversationId === of) && !(isRunning && outcome !== undefined) && id.startsWith(beginning),
        );
        return toJsonResponse(listPage(api, runs, page));
      },
    },
    "/agent/runs/:id": { GET: read(api), DELETE: cancel(api) },
    "/agent/runs/:id/reply": { POST: createReplyRoute(api) },
    "/agent/runs/:id/messages": { POST: createMessageRoute(api) },
    "/agent/runs/:id/feedback": { POST: createFeedbackRoute(api) },
    "/agent/runs/:id/steps/:step": { GET: createStepResultRoute(api) },
  };
}

function listPage(api: ApiContext, all: (RunHandle | ListedRun)[], { limit, offset }: Page): RunListJson {
  const newestFirst = all.sort((one, other) => other.startedAt - one.startedAt);
  const end = offset + limit;
  return {
    runs: newestFirst.slice(offset, end).map((run) => toRunEntry(api, run)),
    next_offset: all.length > end ? end : null,
  };
}

function read(api: ApiContext): Handle {
  return async (call) => {
    const { request, caller, params } = call;
    const scope = { ...api, caller };
    // Also where no stream is wanted: a wrong header is a mistake of the client.
    readLastId(request.headers);
    const drafts = readDrafts(request);
    const found = await findRun(scope, params.id ?? "");
    if (isEventStreamPreferred(request)) return watchRun(api, found, call, drafts);
    const { run, kept } = found;
    if (kept !== undefined) return toJsonResponse({ ...kept, waits_for: null } satisfies RunJson);
    const waits = run.open && toQuestionJson(run.open, run.locale);
    return toJsonResponse({ ...(await toCurrentOutcome(scope, run)), waits_for: waits ?? null } satisfies RunJson);
  };
}

/** A run that waits for approval is reported as such, with the confirmation token where the answer may be given by token. */
async function toCurrentOutcome(scope: CallerScope, run: RunHandle): Promise<Outcome> {
  const { open } = run;
  if (run.isMoved) return toRunningOutcome(run);
  if (open?.kind !== "call" && open?.kind !== "plan") return addPlanToken(scope, run.snapshot());
  if (open.kind === "call" && scope.settings.confirm === "token")
    return toOutcomeFor(scope, run, { end: "confirm", open });
  return { ...run.snapshot(), status: "needs_confirmation", stop_reason: "confirmation" };
}

function cancel(api: ApiContext): Handle {
  return async ({ caller, params }) => {
    const { run, kept } = await findRun({ ...api, caller }, params.id ?? "");
    return toJsonResponse(kept ?? (await api.runs.cancel(run, api.times.cancel)));
  };
}

/** Serves the OpenAPI description, which is built on the first request. */
export function createOpenApiRoute({ settings }: Pick<RunService, "settings">): Route {
  const url = settings.http.publicUrl?.replace(/\/+$/, "") ?? "/";
  let text: Promise<string> | undefined;
  async function describe(): Promise<string> {
    const { describeApi } = await import("./openapi/document.ts");
    return JSON.stringify(describeApi(url));
  }
  return {
    async GET() {
      text ??= describe();
      return new Response(await text, { headers: { "content-type": "application/json" } });
    },
  };
}
