import type { Outcome } from "../../core/run/outcome.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";
import { toFinishedOutcome } from "../../runs/outcomes/finished-outcome.ts";
import { toInterruptedOutcome } from "../../runs/outcomes/interrupted-outcome.ts";
import { addPlanToken } from "../../runs/outcomes/outcome-for.ts";
import type { CallerScope } from "../../runs/run-service.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";

/** Holds a run that this process knows, or another one carries out, or the stored outcome of an older one. */
export type FoundRun = { run: RunHandle; kept?: undefined } | { run?: undefined; kept: Outcome };

/** Throws `HttpRefusalError` (404) for an unknown run and for a run of another caller. */
export async function findRun(scope: CallerScope, id: string): Promise<FoundRun> {
  const run = scope.runs.find(id, scope.caller);
  if (run !== undefined) return { run };
  await scope.resumer.resumeAll();
  const resumed = scope.runs.find(id, scope.caller);
  if (resumed !== undefined) return { run: resumed };
  const followed = await scope.followed.find(id, scope.caller);
  if (followed !== undefined) return { run: followed };
  const trace = await scope.duet.trace(id, scope.caller);
  if (trace === undefined) {
    const interrupted = await scope.resumer.find(id, scope.caller);
    if (interrupted === undefined) throw unknownRunError(id);
    return { kept: toInterruptedOutcome(interrupted) };
  }
  return { kept: await addPlanToken(scope, toFinishedOutcome(trace, scope.duet.localeFor(trace.question))) };
}

function unknownRunError(id: string): HttpRefusalError {
  const shown = showValue(id);
  return new HttpRefusalError({
    status: 404,
    text: {
      zh: `没有编号为 ${shown} 的运行（允许：结果中的 run_id，或 GET /agent/runs 列出的）。`,
      en: `There is no run ${shown} (allowed: the run_id of a result, or one that GET /agent/runs lists).`,
    },
  });
}
