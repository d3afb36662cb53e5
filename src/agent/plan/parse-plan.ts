import type { Tool } from "../../core/tools/tool.ts";
import { toDuetError } from "../../kit/errors.ts";
import { isDeeperThan, isRecord, type JsonObject, toText } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import type { PlannedStep } from "./plan.ts";
import { findUnresolvedValues, type UnresolvedValue } from "./references.ts";

export interface PlanRules {
  tools: KnownTools;
  first: number;
  /** Lists earlier steps that have a result. */
  known: ReadonlySet<number>;
  /** Limits how many steps may call a tool. */
  mostCalls: number;
  /** Is the language of the problems. */
  locale: Locale;
}

/** Holds the tools that a plan may use. It may contain more tools than `keys` names. */
export interface KnownTools {
  get(name: string): Tool | undefined;
  keys(): Iterable<string>;
}

/** `tooLong` holds the steps of a plan that calls tools more often than is allowed. */
export type ParsedPlan = { steps: PlannedStep[] } | { problems: string[]; tooLong?: PlannedStep[] };

export const mostSteps = 100;
const deepest = 32;

/** Reads a plan as the model wrote it: nothing is repaired, and every problem is reported at once, in words for the model. */
export async function parsePlan(text: string, rules: PlanRules): Promise<ParsedPlan> {
  const plan = findJsonObject(text);
  const listed = isRecord(plan) ? plan.steps : undefined;
  if (!Array.isArray(listed)) return { problems: [say(rules.locale, noPlan)] };
  const problems: Text[] = [];
  const steps: PlannedStep[] = [];
  const known = new Set(rules.known);
  for (const [index, value] of listed.slice(0, mostSteps).entries()) {
    const number = rules.first + index;
    const { step, problems: wrong } = await readStep(value, { ...rules, number, known });
    problems.push(...wrong.map(({ zh, en }) => ({ zh: `步骤 ${number}：${zh}`, en: `step ${number}: ${en}` })));
    steps.push(step);
    if (step.tool !== "") known.add(number);
  }
  const calls = listed.length > mostSteps ? listed.length : steps.filter(({ tool }) => tool !== "").length;
  const most = Math.min(rules.mostCalls, mostSteps);
  if (calls > most) problems.push(describeTooManyCalls(calls, most));
  if (problems.length === 0) return { steps };
  const texts = problems.map((problem) => say(rules.locale, problem));
  return calls > most ? { problems: texts, tooLong: steps } : { problems: texts };
}

interface StepRules extends PlanRules {
  number: number;
}

interface ReadStep {
  step: PlannedStep;
  problems: Text[];
}

const nameless: PlannedStep = { description: "", tool: "", parameters: {} };

async function readStep(value: unknown, rules: StepRules): Promise<ReadStep> {
  if (isDeeperThan(value, deepest)) return { step: nameless, problems: [tooDeepPlan] };
  if (!isRecord(value))
    return { step: nameless, problems: [describeValueProblem(value, "不是一个对象", "is not an object")] };
  const problems: Text[] = [];
  const { tool: name, parameters = {} } = value;
  const step = { description: toText(value.description).trim(), tool: toText(name).trim(), parameters: {} };
  if (value.step !== rules.number)
    problems.push(describeValueProblem(value.step, `step 应为 ${rules.number}`, `"step" must be ${rules.number}`));
  if (step.description === "") problems.push({ zh: "缺少 description", en: '"description" is missing' });
  if (name !== undefined && name !== null && typeof name !== "string")
    problems.push(describeValueProblem(name, "tool 必须是字符串", '"tool" must be a string'));
  if (!isJsonObject(parameters)) {
    problems.push(describeValueProblem(parameters, "parameters 必须是对象", '"parameters" must be an object'));
    return { step, problems };
  }
  step.parameters = parameters;
  const places = findUnresolvedValues(parameters);
  problems.push(...places.flatMap((place) => findBadReferences(place, rules.known)));
  if (step.tool !== "") problems.push(...(await checkCall(step, places, rules.tools)));
  return { step, problems };
}

async function checkCall(
  { tool: name, parameters }: PlannedStep,
  places: readonly UnresolvedValue[],
  tools: PlanRules["tools"],
): Promise<Text[]> {
  const tool = tools.get(name);
  if (tool === undefined) return [describeUnknownTool(name, [...tools.keys()])];
  try {
    const problems = (await tool.check?.(parameters)) ?? [];
    return problems
      .filter(({ path }) => !places.some((place) => isAbout(path, place.path)))
      .map(({ path, text: { zh, en } }) => ({
        zh: `parameters${path && ` ${path}`}：${zh}`,
        en: `parameters${path && ` ${path}`}: ${en}`,
      }));
  } catch (thrown) {
    // A tool whose schema cannot be used refuses every call: better that the plan does without it.
    return [toDuetError(thrown).text];
  }
}

/** Is true when a problem concerns a value that is filled in later, or something that contains such a value. */
function isAbout(problem: string, open: string): boolean {
  return isWithin(problem, open) || isWithin(open, problem);
}

function isWithin(inner: string, outer: string): boolean {
  if (outer === "" || inner === outer) return true;
  return inner.startsWith(outer) && /[.[]/.test(inner[outer.length] ?? "");
}

/** Returns the JSON object of a reply, without a code fence or prose around it. */
function findJsonObject(text: string): unknown {
  const braced = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  for (const candidate of [text, findFencedBlock(text), braced]) {
    if (candidate === undefined) continue;
    try {
      const value: unknown = JSON.parse(candidate);
      if (isRecord(value)) return value;
    } catch {
      // Perhaps another part of the reply is the plan.
    }
  }
  return undefined;
}

/**
 * Returns the content of the first code fence. Some models end in endless blank lines, so no expression here scans them twice.
 */
function findFencedBlock(text: string): string | undefined {
  const opening = /```(?:json)?[ \t\r]*\n/i.exec(text);
  if (opening === null) return undefined;
  const inside = text.slice(opening.index + opening[0].length);
  const close = inside.search(/\n[ \t]*```/);
  return close < 0 ? undefined : inside.slice(0, close);
}

/** A record that was parsed from JSON contains only JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

/** Describes what is wrong with the references at one place. `known` holds the earlier steps that have a result. */
export function findBadReferences({ path, steps, unreadable }: UnresolvedValue, known: ReadonlySet<number>): Text[] {
  const missing = steps.filter((step) => !known.has(step));
  return [
    ...missing.map((step) => ({
      zh: `parameters ${path}：{{step_${step}}} 没有指向前面有结果的步骤`,
      en: `parameters ${path}: {{step_${step}}} does not name an earlier step with a result`,
    })),
    ...unreadable.map((text) => ({
      zh: `parameters ${path}：无法理解 ${shortenName(text)}，应写成 {{step_1}} 或 {{step_1.field}}`,
      en: `parameters ${path}: ${shortenName(text)} cannot be read; write {{step_1}} or {{step_1.field}}`,
    })),
  ];
}

export function describeUnknownTool(name: string, names: string[]): Text {
  return {
    zh: `没有名为 ${shortenName(name)} 的工具（可用：${names.join("、")}）`,
    en: `there is no tool named ${shortenName(name)} (allowed: ${names.join(", ")})`,
  };
}

export function describeTooManyCalls(calls: number, most: number): Text {
  return {
    zh: `计划调用 ${calls} 次工具，最多允许 ${most} 次；请合并或去掉步骤`,
    en: `the plan calls tools ${calls} times (allowed: at most ${most}); merge or remove steps`,
  };
}

export const tooDeepPlan: Text = { zh: "嵌套太深", en: "is nested too deep" };

export const noPlan: Text = {
  zh: '回复不是 {"steps":[...]} 形式的 JSON',
  en: 'the reply is not JSON of the form {"steps":[...]}',
};

function describeValueProblem(value: unknown, zh: string, en: string): Text {
  const shown = shortenName(JSON.stringify(value) ?? "undefined");
  return { zh: `${zh}（当前值: ${shown}）`, en: `${en} (current value: ${shown})` };
}

function shortenName(text: string): string {
  return toShortLine(text, 80);
}
