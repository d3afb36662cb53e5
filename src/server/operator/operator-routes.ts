import type * as z from "zod";
import type { Config } from "../../config/config.ts";
import type {
  operatorProblemsSchema,
  operatorRunsSchema,
  operatorUsageSchema,
} from "../../core/schemas/operator-schema.ts";
import { toUsageDay } from "../../core/store/daily-usage.ts";
import { dayMs } from "../../core/store/retention.ts";
import { keptUsageDays } from "../../core/store/usage-history.ts";
import { truncate } from "../../kit/text/truncate.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import type { RunService } from "../../runs/run-service.ts";
import { toJsonResponse } from "../api/json-response.ts";
import { readNumber, readPage } from "../api/page-query.ts";
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

function toOperatorEntry({ id, conversationId, question, caller, open, startedAt, mode, ...run }: RunHandle) {
  const { status, error, meta } = run.snapshot();
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

function createUsageRoute({ duet }: RunService): Handle {
  return async ({ request }) => {
    const days = readNumber(request, "days", usageDays);
    const history = await duet.usageHistory();
    const entries = (await history?.list(toUsageDay(Date.now() - (days - 1) * dayMs))) ?? [];
    return toJsonResponse({
      days: entries.map(({ day, model, owner = null, runs, tokens, cost, unpriced }) => {
        return { day, model, caller: owner, runs, total_tokens: tokens, cost_usd: cost, unpriced_runs: unpriced };
      }),
    } satisfies z.infer<typeof operatorUsageSchema>);
  };
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
