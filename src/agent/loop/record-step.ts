import type { AssistantMessage, Message, ToolMessage } from "../../core/model/messages.ts";
import type { TurnStep } from "../../core/store/conversations/conversation.ts";
import type { Run } from "../run.ts";
import type { Observation } from "./calls/observe-call.ts";
import { toToolMessages } from "./calls/tool-messages.ts";

/**
 * Records a round of calls for the conversation, and returns the results as the model reads them. `left` counts the calls that the
 * run may still make.
 */
export function recordStep(
  run: Run,
  message: AssistantMessage,
  round: readonly Observation[],
  left: number | undefined,
): ToolMessage[] {
  const results = toToolMessages(run, round, left);
  const read = round.map((one) => findReadText(run, one));
  run.state.steps.push({ message, results, read, made: round.map(({ call }) => call) });
  return results;
}

/** Returns the steps of a run for its conversation, as they were sent. Each result that a later turn may want to read again has a number. */
export function toTurnSteps({ state: { steps, results: known, windows }, services }: Run): TurnStep[] {
  const sent = windows.shortened.get(services.models.functionCall);
  return steps.map(({ read, made, ...step }) => {
    const results = step.results.map((result, index) => {
      const text = read[index];
      const message = toSent(sent?.get(result)) ?? result;
      return text === undefined ? message : { ...message, result: known.assign(text) };
    });
    return { ...step, results };
  });
}

/** Records calls that no model has asked for in its own form: those of a plan, of a rule, or of the search before an answer. */
export function recordCalls(run: Run, round: readonly Observation[]): void {
  if (round.length === 0) return;
  const toolCalls = round.map(({ call }) => call);
  recordStep(run, { role: "assistant", content: "", toolCalls }, round, undefined);
}

function toSent(message: Message | undefined): ToolMessage | undefined {
  return message?.role === "tool" ? message : undefined;
}

/** Returns what was read of a result that can be read again. What was read on is part of another result. */
function findReadText({ state: { results } }: Run, { call, ran, result, text }: Observation): string | undefined {
  return ran && result.ok && call.name !== results.findTool()?.name ? text : undefined;
}
