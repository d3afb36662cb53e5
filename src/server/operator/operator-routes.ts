import type * as z from "zod";
import type { Config } from "../../config/config.ts";
import type {
  operatorProblemsSchema,
  operatorRunsSchema,
  operatorUsageSchema,
} from "../../core/schemas/operator-schema.ts";
import { toUsageDay } from "../../core/store/daily-usage.ts";
import { dayMs } from "../../core/store/retention.ts";
import { keptUsageDays, type UsageTotal } from "../../core/store/usage-history.ts";
import { truncate } from "../../kit/text/truncate.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";
import type { RunService } from "../../runs/run-service.ts";
import { unknownEndedRunError } from "../api/feedback.ts";
import { toJsonResponse } from "../api/json-response.ts";
import { pageLimits, readNumber, readPage } from "../api/page-query.ts";
import { longestQuestion } from "../api/run-entry.ts";
import type { Handle, Route } from "../http/routes.ts";
import type { Log } from "../operations/log.ts";
import type { ProblemLog } from "../operations/problem-log.ts";
import { createAgentsRoute } from "./agents-route.ts";
import { createApprovalsRoute } from "./approvals-route.ts";
import { guardRoutes } from "./check-operator.ts";
import { createPromptsRoute } from "./prompts-route.ts";
import { createServerRoutes } from "./server-routes.ts";
import { createConfigEditor } from "./settings-editor.ts";
import { createOperatorSettingsRoute } from "./settings-route.ts";
import { createToolsRoute } from "./tools-route.ts";
import { toSpans } from "./trace-spans.ts";

/** Limits how many models and callers are summed up by themselves. */
const mostSeries = 7;

/** Limits the entries of one page of what was used. */
export const usageRows = { from: 1, to: 1000, otherwise: 200 } as const;

export const usageDays = { from: 1, to: keptUsageDays, otherwise: 30 } as const;

/** Serves what the operator sees of all callers, on this machine alone. */
export function createOperatorRoutes(
  service: RunService,
  problems: Pick<ProblemLog, "read">,
  config: Config,
  log: Log,
): Readonly<Record<string, Route>> {
  const { duet, runs } = service;
  const editor = createConfigEditor(config, log);
  return guardRoutes(config.serve.http, {
    "/operator/settings": createOperatorSettingsRoute(config, editor),
    "/operator/tools": createToolsRoute(duet, config, editor),
    "/operator/approvals": createApprovalsRoute(duet, editor),
    "/operator/prompts": createPromptsRoute(config, editor),
    "/operator/agents": createAgentsRoute(config),
    ...createServerRoutes({ duet, config, editor, closing: runs.closing }),
    "/operator/runs": { GET: createRunsRoute(service) },
    "/operator/runs/:id/spans": { GET: createSpansRoute(service) },
    "/operator/usage": { GET: createUsageRoute(service) },
    "/operator/problems": { GET: createProblemsRoute(problems) },
  });
}

function createRunsRoute({ runs }: RunService): Handle {
  return async ({ request }) => {
    const { limit, offset } = readPage(request);
    const all = runs.listAll().sort((one, other) => other.startedAt - one.startedAt);
    const end = offset + limit;
    return toJsonResponse({
      runs: all.slice(offset, end).map(toOperatorEntry),
      next_offset: all.length > end ? end : null,
    } satisfies z.infer<typeof operatorRunsSchema>);
  };
}

function toOperatorEntry({ id, conversationId, question, caller, open, startedAt, mode, snapshot }: RunHandle) {
  const { status, error, meta } = snapshot();
  return {
    run_id: id,
    conversation_id: conversationId,
    caller: caller.owner ?? null,
    question: truncate(question, longestQuestion),
    mode,
    status,
    waits: open !== undefined,
    error_code: error?.code ?? null,
    tool_calls: meta.tool_calls_count,
    total_tokens: meta.total_tokens,
    cost_usd: meta.cost_usd,
    elapsed_ms: meta.latency_ms,
    started_at: new Date(startedAt).toISOString(),
  };
}

/** Serves when the turns and calls of a run began and how long they took, whoever has asked for it, without what they said. */
function createSpansRoute({ duet, runs }: RunService): Handle {
  return async ({ params: { id = "" } }) => {
    const run = runs.listAll().find((each) => each.id === id);
    const trace = run && (await duet.trace(id, run.caller));
    if (trace === undefined) throw unknownEndedRunError(id);
    return toJsonResponse(toSpans(trace));
  };
}

function createUsageRoute({ duet }: RunService): Handle {
  return async ({ request }) => {
    const days = readNumber(request, "days", usageDays);
    const limit = readNumber(request, "limit", usageRows);
    const offset = readNumber(request, "offset", pageLimits.offset);
    const since = toUsageDay(Date.now() - (days - 1) * dayMs);
    const history = await duet.usageHistory();
    const [entries = [], models = [], callers = []] = await Promise.all([
      history?.list(since, { limit: limit + 1, offset }),
      history?.total(since, "model", mostSeries),
      history?.total(since, "owner", mostSeries),
    ]);
    return toJsonResponse({
      models: toSeries(models),
      callers: toSeries(callers),
      next_offset: entries.length > limit ? offset + limit : null,
      days: entries.slice(0, limit).map(({ day, model, owner = null, runs, tokens, cost, unpriced }) => {
        return { day, model, caller: owner, runs, total_tokens: tokens, cost_usd: cost, unpriced_runs: unpriced };
      }),
    } satisfies z.infer<typeof operatorUsageSchema>);
  };
}

type UsageSeries = z.infer<typeof operatorUsageSchema>["models"];

/** Puts the days of each name together. */
function toSeries(totals: readonly UsageTotal[]): UsageSeries {
  const groups = Map.groupBy(totals, ({ name = null, isRest }) => JSON.stringify([name, isRest]));
  return [...groups.values()].map((own) => ({
    name: own[0]?.name ?? null,
    is_rest: own[0]?.isRest === true,
    total_tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
    cost_usd: own.reduce((sum, { cost }) => sum + cost, 0),
    cost_known: own.every(({ isPriced }) => isPriced),
    days: own.map(({ day, tokens, cost }) => ({ day, total_tokens: tokens, cost_usd: cost })),
  }));
}

function createProblemsRoute(problems: Pick<ProblemLog, "read">): Handle {
  return async () => {
    const { failures, tools } = problems.read();
    return toJsonResponse({
      errors: failures.map(({ at, runId, owner = null, code, message }) => {
        return { at, run_id: runId, caller: owner, code, message };
      }),
      tools: tools.map(({ tool, calls, failed, totalMs, longestMs }) => {
        return { tool, calls, failed, mean_ms: Math.round(totalMs / calls), max_ms: Math.round(longestMs) };
      }),
    } satisfies z.infer<typeof operatorProblemsSchema>);
  };
}
