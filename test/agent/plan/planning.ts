import type { Models } from "../../../src/agent/run.ts";
import { toPlainText } from "../../../src/core/model/message-content.ts";
import type { AgentEvent, PlanStep } from "../../../src/core/run/events.ts";
import type { JsonObject } from "../../../src/kit/json.ts";
import { type ScriptedModel, type ScriptedTurn, scriptedModel } from "../../fakes/model.ts";

/** A step as a model writes it; `step` is its place in the list unless it says otherwise. */
export interface WrittenStep {
  step?: number;
  description?: string;
  tool?: string;
  parameters?: JsonObject;
}

/** A plan as a model writes it. */
export function written(...steps: WrittenStep[]): string {
  return JSON.stringify({
    steps: steps.map((step, index) => ({
      step: index + 1,
      description: `Use ${step.tool ?? "nothing"}`,
      tool: "",
      parameters: {},
      ...step,
    })),
  });
}

/** A function-call model that plays these turns, and an answer model that gives one answer. */
export function planners(
  turns: ScriptedTurn[],
  answer: ScriptedTurn = "Done.",
): Models & { functionCall: ScriptedModel; answer: ScriptedModel } {
  return { functionCall: scriptedModel(turns, "cheap"), answer: scriptedModel([answer], "strong") };
}

/** Every plan that was told, each as its steps' states: `pending pending`. */
export function statesOf(events: readonly AgentEvent[]): string[] {
  return plansOf(events).map((steps) => steps.map(({ state }) => state).join(" "));
}

export function plansOf(events: readonly AgentEvent[]): PlanStep[][] {
  return events.flatMap((event) => (event.type === "plan" ? [event.steps] : []));
}

/** Lists the calls that were started, with their arguments, in order. */
export function callsOf(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "tool-start" ? [`${event.step} ${event.tool} ${JSON.stringify(event.arguments)}`] : [],
  );
}

/** What the model was asked in its turn of that number, from 0 on: its last message. */
export function lastAsked(model: ScriptedModel, turn: number): string {
  return toPlainText(model.requests[turn]?.messages.at(-1)?.content ?? "", "en");
}
