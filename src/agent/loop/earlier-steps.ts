import type { GivenStep } from "../../core/client-tools.ts";
import { createFailure, type ToolResult } from "../../core/tools/tool.ts";
import { say } from "../../kit/locale.ts";
import { noResult, toTurnStep } from "../context/given-steps.ts";
import type { Run, RunInput } from "../run.ts";
import type { Observation } from "./calls/observe-call.ts";

/** Has the conversation and the models know what was called for the question before the run. */
export function takeEarlierSteps({ input, state }: Run): void {
  const { earlierSteps = [] } = input;
  state.steps.push(...earlierSteps.map((step) => ({ ...toTurnStep(step, input), read: [], made: [] })));
  state.delivered.push(...earlierSteps.flatMap(({ messages }) => messages));
}

/** Lists the calls that were made for the question before the run, with their results, from which it goes on. */
export function listEarlierCalls({ input }: Run): Observation[] {
  return (input.earlierSteps ?? []).flatMap((step) =>
    toTurnStep(step, input).message.toolCalls.map((call): Observation => {
      const result = toResult(input, step, call.id);
      const { text } = result;
      return {
        call,
        result,
        text,
        images: [],
        ran: true,
        isRepeated: false,
        isOverLimit: false,
        isNews: true,
      };
    }),
  );
}

function toResult({ language }: RunInput, { results }: GivenStep, callId: string): ToolResult {
  const found = results.find((result) => result.callId === callId);
  if (found === undefined) return createFailure("tool", say(language, noResult));
  return found.isError ? createFailure("tool", found.text) : { ok: true, text: found.text };
}
