import { fromParts } from "../../../core/model/message-content.ts";
import type { ToolMessage } from "../../../core/model/messages.ts";
import { isRefusedCall } from "../../../core/tools/refused-call.ts";
import { say } from "../../../kit/locale.ts";
import { describeCallsLeft } from "../../context/calls-left.ts";
import { fenceResult, reportResult } from "../../context/fence.ts";
import { renderNote } from "../../hooks/render-note.ts";
import { getUsage } from "../../limits/reached-limit.ts";
import { renderFilledArguments } from "../../plan/filled-arguments.ts";
import { toPlaceholderValues } from "../../prompts/prompt-values.ts";
import type { Run } from "../../run.ts";
import type { Observation } from "./observe-call.ts";

/**
 * Returns the results of a round for the model. Behind the last one stands how many calls and rounds are left. `calls` is undefined for
 * calls that no model has asked for, whose rounds are not counted.
 */
export function toToolMessages(run: Run, round: readonly Observation[], calls: number | undefined): ToolMessage[] {
  const { input, state } = run;
  const rounds = Math.max(0, input.limits.maxIterations - getUsage(state).iterations);
  // Each reply of the asking program brings the limits anew.
  const isHandedOver = round.some(({ call }) => state.client?.tools.tools.some(({ name }) => name === call.name));
  const left = calls === undefined || isHandedOver ? undefined : say(input.language, describeCallsLeft(calls, rounds));
  return round.map((one, index) => {
    const { call, result, images, sources } = one;
    const isLast = index === round.length - 1;
    const filled = one.ran ? renderFilledArguments(call, input.marker, input.language) : "";
    const text = renderObservation(run, one) + filled + renderNote(result, input.marker, input.language);
    const said = isLast && left !== undefined ? `${text}\n${left}` : text;
    const content = fromParts([{ type: "text", text: said }, ...images]);
    return { role: "tool", callId: call.id, tool: call.name, content, ok: result.ok, ...(sources && { sources }) };
  });
}

/**
 * Returns a result in its fence; one that failed stands in the prompt for errors. What Duet itself tells the model to do about a call
 * that was not run is no data, so it stands outside: but for the name of a tool, it holds nothing of others.
 */
function renderObservation(run: Run, { call, result, text, ran, isRepeated, isOverLimit }: Observation): string {
  const { language: locale, marker } = run.input;
  const { prompts, models } = run.services;
  // No model decides any more in this run, and in the next one the same call may be right: nothing is advised against it.
  const isOver = run.services.clock.decideSignal.aborted;
  const fenced = fenceResult(text, result, marker);
  if (result.ok || (!isOver && models.functionCall.followsPrompts === false)) return fenced;
  if (isRefusedCall(result) || isRepeated || isOverLimit) return text.replaceAll(marker, "…");
  if (!ran || result.permission?.decision === "denied") return fenced;
  if (isOver) return reportResult(text, result, run.input);
  const values = { ...toPlaceholderValues(run), tool: call.name, error: fenced };
  return prompts.render("error", { model: models.functionCall, locale }, values);
}
