import { noUsage, toModelName } from "../../core/model/model.ts";
import type { ToolResult } from "../../core/tools/tool.ts";
import { DuetError, type ErrorCode, errorCodes } from "../../kit/errors.ts";
import { say, type Text } from "../../kit/locale.ts";
import { act } from "../loop/calls/act.ts";
import { recordCalls } from "../loop/record-step.ts";
import type { AnswerResult } from "../loop/run-result.ts";
import type { Run } from "../run.ts";

/** Hands the question straight to another agent, whose answer is that of the run. No model is asked. */
export async function answerByAgent(run: Run, tool: string): Promise<AnswerResult> {
  const { services, state, input } = run;
  if (input.answerForm !== undefined) throw noFormError(tool);
  const phase = { phase: "decide", step: 1, model: toModelName(services.models.answer) } as const;
  services.emit({ type: "phase-start", ...phase, reason: say(input.locale, reason) });
  services.emit({ type: "phase-end", ...phase, usage: noUsage, elapsedMs: 0, costUsd: 0, finish: "tool-calls" });
  const question = { message: [state.question, input.instruction].filter((part) => part?.trim()).join("\n\n") };
  const call = { id: "agent", name: tool, argumentsText: JSON.stringify(question), arguments: question };
  const made = await act(run, [call], 1, 1);
  recordCalls(run, made);
  services.clock.callerSignal.throwIfAborted();
  const [observation] = made;
  if (!observation?.result.ok) throw toError(observation?.result, tool);
  state.answer.push(observation.result.text);
  state.answer.finish();
  return { finish: "stop" };
}

const reason: Text = {
  zh: "问题直接交给该智能体，不经过模型",
  en: "the question goes straight to the agent; no model is asked",
};

/** Is the error for an answer by a schema: what another program writes is taken as it is. */
function noFormError(tool: string): DuetError {
  return new DuetError({
    code: "invalid_request",
    text: { zh: `${tool} 不能按 JSON 模式回答`, en: `${tool} cannot answer by a JSON Schema` },
  });
}

/** A tool fails for more reasons than a run does. */
function toError({ error, shown, text = "" }: Partial<ToolResult> = {}, tool: string): DuetError {
  const message = shown || error?.message || text || tool;
  return new DuetError({ code: errorCodes.find(isSame) ?? "tool", text: { zh: message, en: message } });

  function isSame(code: ErrorCode): boolean {
    return code === error?.code;
  }
}
