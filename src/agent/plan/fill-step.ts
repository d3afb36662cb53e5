import { cutText } from "../../core/cut-text.ts";
import type { PlanStep } from "../../core/events.ts";
import type { JsonObject } from "../../core/json.ts";
import { say, type Text } from "../../core/locale.ts";
import { printableLine } from "../../core/printable.ts";
import type { Tool } from "../../core/tool.ts";
import { handOver } from "../handover.ts";
import type { Run } from "../run.ts";
import { takeTurn } from "../turn.ts";
import type { Plan } from "./plan.ts";
import { fillingRequest } from "./plan-words.ts";
import { fillReferences, openPlaces } from "./references.ts";

/** The parameters of a step as they can be used, or what stands against it. */
export type Ready = { arguments: JsonObject } | { trouble: Trouble };

export interface Trouble {
  /** For the model. */
  text: string;
  /** Whether parameters that the plan gives in full are wrong too. */
  touchesPlan: boolean;
}

/** Fills the references of a step from what earlier steps brought, so that the tool takes the result. */
export async function fromResults(run: Run, plan: Plan, step: PlanStep, tool: Tool): Promise<Ready> {
  let trouble = "";
  for (const whole of ["json", "text"] as const) {
    const { parameters, missing } = fillReferences(step.parameters, plan.results, whole);
    if (missing.length > 0) return { trouble: { text: say(run.language, notFound(missing)), touchesPlan: false } };
    const problems = (await tool.check?.(parameters).catch(() => [])) ?? [];
    if (problems.length === 0) return { arguments: parameters };
    trouble ||= problems.map(({ path, text }) => `- ${path}: ${say(run.language, text)}`).join("\n");
  }
  return { trouble: { text: trouble, touchesPlan: false } };
}

/** Has the function-call model make the step's call. Throws what the model throws. */
export async function fromModel(run: Run, plan: Plan, step: PlanStep, trouble: Trouble): Promise<Ready> {
  const { language: locale, marker, models } = run;
  const { name, description, inputSchema } = toolOf(run, step);
  run.statistics.addIteration();
  const request = fillingRequest({ ...step, parameters: JSON.stringify(step.parameters), trouble: trouble.text });
  const turn = await takeTurn(run, {
    phase: "decide",
    step: run.statistics.iterations,
    role: "functionCall",
    model: models.functionCall,
    reason: say(run.locale, reason(step.step)),
    request: {
      messages: [
        { role: "system", content: run.prompts.render("decide", { model: models.functionCall, locale }, { marker }) },
        ...run.history,
        {
          role: "user",
          content: `${handOver(run.question, plan.observations, marker, locale)}\n\n${say(locale, request)}`,
        },
      ],
      tools: [{ name, description, inputSchema }],
    },
    signal: run.working,
    onText: (text) => run.emit({ type: "thought-delta", text }),
  });
  const call = turn.finish === "tool-calls" ? turn.message.toolCalls.find((one) => one.name === name) : undefined;
  if (call?.arguments === undefined) {
    const said = cutText(printableLine(call?.argumentsText ?? turn.message.content), 200);
    return { trouble: { ...trouble, text: say(locale, noCall(said)) } };
  }
  return { arguments: trouble.touchesPlan ? call.arguments : withPlanned(step, call.arguments) };
}

/** What the plan gives in full stays as it was planned and, where somebody was asked, confirmed. */
function withPlanned({ parameters }: PlanStep, filled: JsonObject): JsonObject {
  const open = openPlaces(parameters).map(({ path }) => path);
  const planned = Object.entries(parameters).filter(([name]) => !open.some((path) => rootOf(path) === name));
  return { ...filled, ...Object.fromEntries(planned) };
}

function rootOf(path: string): string {
  return path.split(/[.[]/, 1)[0] ?? path;
}

function toolOf(run: Run, { tool: name }: PlanStep): Pick<Tool, "name" | "description" | "inputSchema"> {
  return run.tools.get(name) ?? { name, description: "", inputSchema: { type: "object" } };
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
