import type { ToolDefinition } from "../../core/model/model.ts";
import type { JsonObject } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { FinishedCall, OfflineQuestion } from "./history.ts";
import { findTool, isOneOf, type MatchingTool } from "./introduction.ts";
import type { Rule, RuleMatch } from "./rules/rule.ts";
import { rules } from "./rules/rules.ts";
import { protectMatches, wholes } from "./text-patterns.ts";

/** A step says what was done, or is to be done, for one part of the question. */
export type Step =
  | { step: "done"; rule: Rule | undefined; arguments: JsonObject; done: FinishedCall }
  | { step: "call"; rule: Rule; arguments: JsonObject; catalog: MatchingTool }
  | { step: "refused"; refusal: Text }
  | { step: "no-tool"; rule: Rule; arguments: JsonObject }
  | { step: "left-out"; rule: Rule; arguments: JsonObject }
  | { step: "unknown"; part: string };

/** Limits the calls for one question, so that every run ends. */
const mostCalls = 5;

/** Limits a question to 20,000 characters; a longer text is not a plain request. */
const longestQuestion = 20_000;

/** Returns the steps of the question up to and including the next call, or all steps when no call is left. */
export function planSteps({ question, done }: OfflineQuestion, tools: readonly ToolDefinition[]): Step[] {
  const steps: Step[] = [];
  const open = [...done];
  const mayCall = tools.length > 0 && done.length < mostCalls;
  for (const part of splitRequest(question)) {
    const step = planStep(part, { steps, open, tools, mayCall });
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

/** Returns the parts of a question that are requests of their own, in their order. Each has a step of `planSteps`. */
export function splitRequest(question: string): string[] {
  return question.length > longestQuestion ? [] : splitParts(question, recognize);
}

interface Walk {
  steps: readonly Step[];
  /** Holds the calls that no part has claimed yet. */
  open: FinishedCall[];
  tools: readonly ToolDefinition[];
  mayCall: boolean;
}

function planStep(part: string, walk: Walk): Step {
  const earlier = walk.steps.flatMap((step) => (step.step === "done" && step.done.ok ? [step.done.result] : []));
  const readings = listReadings(part, earlier);
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

/**
 * Returns the step for a call that the rule has made or is about to make. Returns undefined when none of its tools is available.
 */
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

function listReadings(part: string, earlier: readonly string[]): Match[] {
  return rules.flatMap((rule) => {
    const reading = rule.read(part, earlier);
    return reading === undefined ? [] : [{ rule, reading }];
  });
}

function recognize(part: string): Recognition | undefined {
  const [first] = listReadings(part, []);
  return first && { verbatim: first.rule.verbatim === true, complete: "arguments" in first.reading };
}

/** Tells whether a part starts a request, so that a sentence is only cut where one starts. */
type Recognise = (part: string) => Recognition | undefined;

interface Recognition {
  /** Is true when the text that follows may still belong to the request. */
  verbatim: boolean;
  /** Is true when the request has everything it needs. */
  complete: boolean;
}

/**
 * Cuts "search …, then calculate …" into its requests, in order. After punctuation and a connective (", then", "，然后")
 * a new part always starts; after a connective alone, a comma, "and" or a sentence's end only where a request does.
 */
export function splitParts(question: string, recognise: Recognise): string[] {
  const { text, restore } = protectMatches(question, wholes);
  const parts: string[] = [];
  let end = 0;
  let before = { text: "", strength: "sure" as Strength };
  for (const joint of [...text.matchAll(joints).take(mostJoints), undefined]) {
    const segment = text.slice(end, joint?.index);
    add(parts, { before, text: segment }, (part) => recognise(tidy(restore(part))));
    if (joint === undefined) break;
    end = joint.index + joint[0].length;
    before = { text: joint[0], strength: getStrength(joint.groups) };
  }
  return parts.map((part) => tidy(restore(part))).filter((part) => part !== "");
}

/** This is far more than a request has; the limit keeps long texts cheap. */
const mostJoints = 100;

type Strength = "sure" | "likely" | "possible";

interface Segment {
  before: { text: string; strength: Strength };
  text: string;
}

function add(parts: string[], { before, text }: Segment, recognise: Recognise): void {
  const last = parts.at(-1);
  if (last === undefined || isStart(last, { before, text }, recognise)) parts.push(text);
  else parts[parts.length - 1] = last + before.text + text;
}

function isStart(last: string, { before, text }: Segment, recognise: Recognise): boolean {
  const next = recognise(text);
  if (before.strength === "likely") return next !== undefined;
  if (before.strength === "sure" && next !== undefined) return true;
  if (before.strength === "possible" && (next?.complete !== true || startsWithNumber.test(text))) return false;
  const previous = recognise(last);
  // "The mean and the maximum of [1,2]": what is incomplete before an "and" goes on after it.
  return previous?.verbatim !== true && (before.strength === "sure" || previous?.complete !== false);
}

function getStrength(groups: Record<string, string | undefined> | undefined): Strength {
  if (groups?.sure !== undefined) return "sure";
  return groups?.likely === undefined ? "possible" : "likely";
}

const startsWithNumber = /^\s*[\d.+\-\ue000-\ue3e7]/;

const chinese = "(?:然后|接着|接下来|随后|之后|最后)再?|再(?![见次度说也])";
const english = "(?:and )?then(?![a-z])|and finally(?![a-z])|after that(?![a-z])";
const joints = new RegExp(
  [
    `(?<sure>[，,；;。.]\\s?(?:并且|并)?(?:${chinese}|${english})[，,]?|[；;])`,
    `(?<likely>${chinese}|(?<= )(?:${english}))`,
    "(?<possible>[，,。？?！!\\n]|\\.(?= )|并且?|(?<= )and(?= ))",
  ].join("|"),
  "gi",
);

/** Removes courtesy phrases and connectives from the start of the request. */
export function tidy(part: string): string {
  return part
    .trim()
    .replace(courtesy, "")
    .replace(/^[\s，,。；;]+|[\s，,；;]+$/g, "");
}

const courtesy = new RegExp(
  `^(?:(?:${[
    "请问|请你?|麻烦你?|劳驾|帮我|帮忙|帮|给我|替我|你?能不能|能否|可否|你能|可以|我想要?|我要|我需要|首先|先|然后|接着|最后|再",
    "(?:please|pls|kindly|can you|could you|would you|will you|i want to|i would like to|i'd like to|i need to|help me(?: to)?|first(?:ly)?|then|and|also|let's|hey|hi|hello|okay|ok)(?![a-z])",
  ].join("|")})[\\s，,]*)+`,
  "i",
);
