import { showValue } from "../../core/tools/argument-feedback.ts";
import { toBoundedJson } from "../../runs/bounded-json.ts";
import { hideCauseInTrace } from "../../runs/hide-cause.ts";
import type { RunService } from "../../runs/run-service.ts";
import { RefusedError } from "../http/response/refuse.ts";
import type { Route } from "../http/routes.ts";

/** What one of the caller's runs did, once it has ended, as `duet://runs/…` of MCP tells it. */
export function createTraceRoute(service: RunService): Route {
  return {
    async GET({ params: { id = "" }, caller }) {
      const store = await service.duet.store(caller);
      const trace = await store.trace(id);
      if (trace === undefined) throw noTrace(id);
      const told = hideCauseInTrace(trace, service.duet.localeFor(trace.question));
      return new Response(toBoundedJson(told), { headers: { "content-type": "application/json" } });
    },
  };
}

function noTrace(id: string): RefusedError {
  const shown = showValue(id);
  return new RefusedError({
    status: 404,
    text: {
      zh: `没有编号为 ${shown} 的运行的记录（允许：结果中的 run_id，且该运行已结束）。`,
      en: `There is no trace of a run ${shown} (allowed: the run_id of a result, once that run has ended).`,
    },
  });
}
