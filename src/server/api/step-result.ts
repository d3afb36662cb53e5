import type { StepResultJson } from "../../core/schemas/run-schema.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Handle } from "../http/routes.ts";
import type { ApiContext } from "./api-context.ts";
import { unknownEndedRunError } from "./feedback.ts";
import { toJsonResponse } from "./json-response.ts";
import { pageLimits, readNumber } from "./page-query.ts";

/** Limits a part of a result, in UTF-16 units. */
export const partLimits = { from: 1, to: 100_000, otherwise: 20_000 } as const;

/**
 * Serves `GET /agent/runs/{id}/steps/{step}`: the result of a call in parts, of which the events and the outcome show the beginning alone.
 * Steps have the numbers of the trace: those of calls, in the order in which they began, from 1.
 */
export function createStepResultRoute({ duet }: ApiContext): Handle {
  return async ({ request, caller, params: { id = "", step: wanted = "" } }) => {
    const limit = readNumber(request, "limit", partLimits);
    const offset = readNumber(request, "offset", pageLimits.offset);
    const trace = await duet.trace(id, caller);
    if (trace === undefined) throw unknownEndedRunError(id);
    const calls = trace.steps.filter(({ action }) => action?.type === "action");
    const step = calls.find((each) => String(each.step) === wanted);
    if (step === undefined) throw unknownStepError(wanted, calls.length);
    const { tool_output, tool_output_left_out = 0, observation, observation_left_out = 0, error } = step;
    const text = tool_output ?? (observation || (error ?? ""));
    const end = toCharacterEnd(text, offset + limit);
    return toJsonResponse({
      run_id: id,
      step: step.step,
      tool: step.action?.tool ?? "",
      ok: error === undefined,
      text: text.slice(offset, end),
      offset,
      total: text.length,
      next_offset: end < text.length ? end : null,
      left_out: tool_output === undefined ? observation_left_out : tool_output_left_out,
    } satisfies StepResultJson);
  };
}

/** Returns the end of a part, which is never within a character. */
function toCharacterEnd(text: string, end: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) && end < text.length ? end + 1 : end;
}

function unknownStepError(step: string, most: number): HttpRefusalError {
  if (most === 0)
    return new HttpRefusalError({
      status: 404,
      text: { zh: "这次运行没有调用工具的步骤。", en: "This run has no steps with a call." },
    });
  const shown = showValue(step);
  return new HttpRefusalError({
    status: 404,
    text: {
      zh: `此运行没有编号为 ${shown} 的调用步骤（允许：1 到 ${most}）。`,
      en: `This run has no step ${shown} with a call (allowed: 1 to ${most}).`,
    },
  });
}
