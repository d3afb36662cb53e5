import type { PlanStep } from "../../core/events.ts";
import type { Message } from "../../core/messages.ts";
import type { Tool } from "../../core/tools/tool.ts";
import type { JsonObject } from "../../kit/json.ts";
import { say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/short-line.ts";
import { toAnswerMessage } from "../answer/answer-messages.ts";
import { fence } from "../context/fence.ts";
import { runTurn } from "../loop/take-turn.ts";
import { toPlaceholderValues } from "../prompts/prompt-values.ts";
import type { Run } from "../run.ts";
import type { Plan } from "./plan.ts";
import { createStepRequest } from "./plan-requests.ts";
import { fillReferences, findUnresolvedValues } from "./references.ts";

/** The parameters of a step as they can be used, or what stands against it. */
export type ReadyStep = FilledStep | { trouble: StepProblem };

export interface FilledStep {
  arguments: JsonObject;
  /** As the model wrote them. What references brought is from outside: a model reads it fenced, in its own result. */
  written: JsonObject;
}

export interface StepProblem {
  /** For the model. */
  text: string;
  /** Whether parameters that the plan gives in full are wrong too. */
  touchesPlan: boolean;
}

/** Fills the references of a step from what earlier steps brought, so that the tool takes the result. */
export async function fillFromResults(run: Run, plan: Plan, step: PlanStep, tool: Tool): Promise<ReadyStep> {
  let trouble = "";
  for (const whole of ["json", "text"] as const) {
    const { parameters, missing } = fillReferences(step.parameters, plan.results, whole);
    if (missing.length > 0) return { trouble: { text: say(run.language, notFound(missing)), touchesPlan: false } };
    const problems = (await tool.check?.(parameters).catch(() => [])) ?? [];
    if (problems.length === 0) return { arguments: parameters, written: step.parameters };
    trouble ||= problems.map(({ path, text }) => `- ${path}: ${say(run.language, text)}`).join("\n");
  }
  return { trouble: { text: trouble, touchesPlan: false } };
}

/** A step whose parameters cannot be used yet. */
export interface UnfilledStep {
  step: PlanStep;
  tool: Tool;
  trouble: StepProblem;
}

/** Has the function-call model make the step's call. Throws what the model throws. */
export async function fillFromModel(run: Run, plan: Plan, { step, tool, trouble }: UnfilledStep): Promise<ReadyStep> {
  const { name, description, inputSchema } = tool;
  run.statistics.addIteration();
  const turn = await runTurn(run, {
    phase: "decide",
    step: run.statistics.iterations,
    role: "functionCall",
    model: run.models.functionCall,
    reason: say(run.locale, reason(step.step)),
    request: { messages: fillingMessages(run, plan, step, trouble), tools: [{ name, description, inputSchema }] },
    signal: run.decideSignal,
    onText: (text) => run.emit({ type: "thought-delta", text }),
  });
  const call = turn.finish === "tool-calls" ? turn.message.toolCalls.find((one) => one.name === name) : undefined;
  if (call?.arguments === undefined) {
    const said = toShortLine(call?.argumentsText ?? turn.message.content, 200);
    return { trouble: { ...trouble, text: say(run.language, noCall(said)) } };
  }
  const filled = trouble.touchesPlan ? call.arguments : withPlanned(step, call.arguments);
  return { arguments: filled, written: filled };
}

/** What the plan gives in full stays as it was planned and, where somebody was asked, confirmed. */
function withPlanned({ parameters }: PlanStep, filled: JsonObject): JsonObject {
  const planned = Object.entries(parameters).filter(
    ([name, value]) => findUnresolvedValues({ [name]: value }).length === 0,
  );
  return { ...filled, ...Object.fromEntries(planned) };
}

function fillingMessages(run: Run, plan: Plan, step: PlanStep, { text }: StepProblem): Message[] {
  const { language: locale, marker, models } = run;
  const parameters = JSON.stringify(step.parameters);
  // What is wrong may be in the words of a server or of its schema.
  const request = createStepRequest({ ...step, parameters, trouble: fence(text, marker) });
  const done = toAnswerMessage(run.question, plan.observations, marker, locale);
  return [
    {
      role: "system",
      content: run.prompts.render("decide", { model: models.functionCall, locale }, toPlaceholderValues(run)),
    },
    ...run.history,
    { role: "user", content: `${done}\n\n${say(locale, request)}` },
  ];
}

function reason(step: number): Text {
  return {
    zh: `根据前面的结果补全步骤 ${step} 的参数`,
    en: `filling in the parameters of step ${step} from the results so far`,
  };
}

function notFound(places: readonly string[]): Text {
  const list = places.join(", ");
  return { zh: `还没有值的参数：${list}`, en: `Parameters without a value yet: ${list}` };
}

function noCall(said: string): Text {
  return {
    zh: `上一次没有给出可用的调用：${said || "空"}`,
    en: `The last reply held no call to use: ${said || "nothing"}`,
  };
}
