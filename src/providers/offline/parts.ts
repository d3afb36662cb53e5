import { protectMatches, wholes } from "./text-patterns.ts";

/** What is recognised where, so that a sentence is only cut where a request starts. */
export type Recognise = (part: string) => Recognised | undefined;

export interface Recognised {
  /** What follows may still belong to it. */
  verbatim: boolean;
  /** Nothing is missing that the request needs. */
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
    before = { text: joint[0], strength: strengthOf(joint.groups) };
  }
  return parts.map((part) => tidy(restore(part))).filter((part) => part !== "");
}

/** Far more than a request has; keeps long texts cheap. */
const mostJoints = 100;

type Strength = "sure" | "likely" | "possible";

interface Segment {
  before: { text: string; strength: Strength };
  text: string;
}

function add(parts: string[], { before, text }: Segment, recognise: Recognise): void {
  const last = parts.at(-1);
  if (last === undefined || starts(last, { before, text }, recognise)) parts.push(text);
  else parts[parts.length - 1] = last + before.text + text;
}

function starts(last: string, { before, text }: Segment, recognise: Recognise): boolean {
  const next = recognise(text);
  if (before.strength === "likely") return next !== undefined;
  if (before.strength === "sure" && next !== undefined) return true;
  if (before.strength === "possible" && (next?.complete !== true || startsWithNumber.test(text))) return false;
  const previous = recognise(last);
  // "The mean and the maximum of [1,2]": what is incomplete before an "and" goes on after it.
  return previous?.verbatim !== true && (before.strength === "sure" || previous?.complete !== false);
}

function strengthOf(groups: Record<string, string | undefined> | undefined): Strength {
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

/** The request itself, without the courtesy and the connectives in front of it. */
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
