import { type ToolDefinition, toModelName } from "../../core/model/model.ts";
import type { RoutedCall, RuleRouter } from "../../core/model/rule-router.ts";
import { describeCall, offlineName, renderSteps, toToolCall } from "./model.ts";
import { planSteps, type Step, splitRequest } from "./steps.ts";

/** Limits a plain request, in characters. */
const longestPlain = 200;

/**
 * Creates the router that answers plain requests in place of a model. It takes a question only when the rules understand every
 * part of it and the tools for it are there; whatever else happens is left to the model.
 */
export function createRuleRouter(): RuleRouter {
  return {
    name: toModelName(offlineName),
    findStep({ question, done, tools, locale }) {
      if (!isPlain(question, tools)) return undefined;
      const steps = planSteps({ question, done: [...done] }, tools);
      const last = steps.at(-1);
      if (last?.step === "call")
        return { step: "call", call: toToolCall(last.catalog, done.length), thought: describeCall(last, locale) };
      const isDone = steps.every((step) => step.step === "done" && step.done.ok);
      return isDone ? { step: "answer", text: renderSteps(steps, locale) } : undefined;
    },
    recognizes: (question, tools) => planSteps({ question, done: [] }, tools).some(({ step }) => step !== "unknown"),
  };
}

/** Goes through the question as if each call gave an empty result. What would need an earlier result is not plain. */
function isPlain(question: string, tools: readonly ToolDefinition[]): boolean {
  if (question.length > longestPlain) return false;
  const parts = splitRequest(question);
  const done: RoutedCall[] = [];
  for (;;) {
    const steps = planSteps({ question, done: [...done] }, tools);
    if (!steps.every((step, index) => isPlainStep(step, parts[index] ?? ""))) return false;
    const last = steps.at(-1);
    if (last?.step !== "call") return steps.length > 0;
    done.push({ tool: last.catalog.tool, arguments: last.catalog.arguments, result: "", ok: true });
  }
}

function isPlainStep(step: Step, part: string): boolean {
  if (step.step !== "call" && step.step !== "done") return false;
  return step.rule?.isPlain?.(part, step.arguments) === true;
}
