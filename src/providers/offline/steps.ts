import type { ToolDefinition } from "../../core/model.ts";
import type { JsonObject } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { findTool, isOneOf, type MatchingTool } from "./find-tool.ts";
import type { FinishedCall, OfflineQuestion } from "./history.ts";
import { type Recognised, splitParts } from "./parts.ts";
import type { Rule, RuleMatch } from "./rules/rule.ts";
import { rules } from "./rules/rules.ts";

/** What became, or becomes, of one part of the question. */
export type Step =
  | { step: "done"; rule: Rule | undefined; arguments: JsonObject; done: FinishedCall }
  | { step: "call"; rule: Rule; arguments: JsonObject; catalog: MatchingTool }
  | { step: "refused"; refusal: Text }
  | { step: "no-tool"; rule: Rule; arguments: JsonObject }
  | { step: "left-out"; rule: Rule; arguments: JsonObject }
  | { step: "unknown"; part: string };

/** The most calls for one question, so that every run ends. */
const mostCalls = 5;

/** Characters; a longer text is no plain request. */
const longestQuestion = 20_000;

/** The steps of the question up to and including the next call, or all of them when there is none left to make. */
export function planSteps({ question, done }: OfflineQuestion, tools: readonly ToolDefinition[]): Step[] {
  const steps: Step[] = [];
  const open = [...done];
  const mayCall = tools.length > 0 && done.length < mostCalls;
  for (const part of question.length > longestQuestion ? [] : splitParts(question, recognise)) {
    const step = nextStep(part, { steps, open, tools, mayCall });
    steps.push(step);
    if (step.step === "call") return steps;
  }
  // Calls that another model made before this one took over are told too.
  for (const rest of open) {
    const rule = rules.find(({ tools: names }) => isOneOf(rest.tool, names));
    steps.push({ step: "done", rule, arguments: rest.arguments, done: rest });
  }
  return steps;
}

interface Walk {
  steps: readonly Step[];
  /** Calls made that no part has claimed yet. */
  open: FinishedCall[];
  tools: readonly ToolDefinition[];
  mayCall: boolean;
}

function nextStep(part: string, walk: Walk): Step {
  const earlier = walk.steps.flatMap((step) => (step.step === "done" && step.done.ok ? [step.done.result] : []));
  const readings = readingsOf(part, earlier);
  for (const { rule, reading } of readings) {
    if ("refusal" in reading) continue;
    const step = serve(rule, reading.arguments, walk);
    if (step !== undefined) return step;
  }
  const [first] = readings;
  if (first === undefined) return { step: "unknown", part };
  if ("refusal" in first.reading) return { step: "refused", refusal: first.reading.refusal };
  const step = walk.tools.length > 0 ? "no-tool" : "left-out";
  return { step, rule: first.rule, arguments: first.reading.arguments };
}

/** The call of a rule, made or to be made; undefined when none of its tools is on offer. */
function serve(rule: Rule, args: JsonObject, { steps, open, tools, mayCall }: Walk): Step | undefined {
  const same = steps.find((step) => step.step === "done" && step.rule === rule && isSame(step.arguments, args));
  if (same !== undefined) return same;
  const index = open.findIndex(({ tool }) => isOneOf(tool, rule.tools));
  const [done] = index < 0 ? [] : open.splice(index, 1);
  if (done !== undefined) return { step: "done", rule, arguments: args, done };
  const catalog = findTool(tools, rule.tools, args);
  if (catalog === undefined) return undefined;
  if (!mayCall) return { step: "left-out", rule, arguments: args };
  return { step: "call", rule, arguments: args, catalog };
}

function isSame(a: JsonObject, b: JsonObject): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

interface Match {
  rule: Rule;
  reading: RuleMatch;
}

function readingsOf(part: string, earlier: readonly string[]): Match[] {
  return rules.flatMap((rule) => {
    const reading = rule.read(part, earlier);
    return reading === undefined ? [] : [{ rule, reading }];
  });
}

function recognise(part: string): Recognised | undefined {
  const [first] = readingsOf(part, []);
  return first && { verbatim: first.rule.verbatim === true, complete: "arguments" in first.reading };
}
