import type { JsonObject } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { isMatch } from "../../kit/text/match-pattern.ts";
import {
  type ArgumentPattern,
  isCatchingArguments,
  isCoveringArguments,
  readArgumentPattern,
} from "./argument-pattern.ts";
import type { Tool, ToolAnnotations } from "./tool.ts";

/** A rule about tools and their calls: `NAME`, `NAME:ANNOTATION`, `NAME(ARGUMENT)`, or all three. */
export interface ToolPattern {
  /** As somebody wrote it. */
  written: string;
  /** `*` is any run of characters; `server__*` are all tools of a server. */
  name: string;
  annotation: Annotation | undefined;
  argument: ArgumentPattern | undefined;
}

const annotations = ["readOnly", "destructive", "idempotent", "openWorld"] as const satisfies (keyof ToolAnnotations)[];
type Annotation = (typeof annotations)[number];

/** The pattern that was written, or what is wrong with it. */
export function parseToolPattern(written: string): ToolPattern | { problem: Text } {
  const [, name = "", word, argument] = /^([^:()\s]+)(?::([A-Za-z]+))?(?:\((.*)\))?$/s.exec(written) ?? [];
  if (name === "") return { problem: allowedForms };
  const annotation = annotations.find((each) => each.toLowerCase() === word?.toLowerCase());
  if (word !== undefined && annotation === undefined) return { problem: allowedAnnotations };
  return { written, name, annotation, argument: argument === undefined ? undefined : readArgumentPattern(argument) };
}

/** Patterns that were checked where they were read; what is none fits nothing. */
export function parseToolPatterns(written: readonly string[]): ToolPattern[] {
  return written.map(parseToolPattern).filter((pattern) => "name" in pattern);
}

/** Those of a rule that allows: what a server claims of its tools never relaxes a rule, so one that goes by it fits nothing. */
export function parsePermitPatterns(written: readonly string[]): ToolPattern[] {
  return parseToolPatterns(written).filter(({ annotation }) => annotation === undefined);
}

/** What is wrong with a pattern of a rule that allows; undefined when nothing is. */
export function findPermitProblem(written: string): Text | undefined {
  const parsed = parseToolPattern(written);
  if ("problem" in parsed) return parsed.problem;
  return parsed.annotation === undefined ? undefined : withoutAnnotation;
}

/** Which calls of a tool fit, as far as can be said before there is one. */
export function findFittingCalls(pattern: ToolPattern, tool: Tool): "all" | "some" | "none" {
  const { annotation, argument } = pattern;
  if (!fitsName(pattern, tool)) return "none";
  if (annotation !== undefined && tool.annotationsFor !== undefined) return "some";
  if (annotation !== undefined && !isSaid(annotation, tool.annotations)) return "none";
  return argument === undefined ? "all" : "some";
}

/**
 * Whether a call fits. Of its values, `some` is enough for a rule that forbids; a rule that allows wants `every` one, so that
 * nothing slips through beside one that fits.
 */
export function isFittingCall(pattern: ToolPattern, tool: Tool, args: JsonObject, values: "some" | "every"): boolean {
  const { annotation, argument } = pattern;
  if (!fitsName(pattern, tool)) return false;
  if (annotation !== undefined && !isSaid(annotation, tool.annotationsFor?.(args) ?? tool.annotations)) return false;
  if (argument === undefined) return true;
  return values === "some" ? isCatchingArguments(argument, args) : isCoveringArguments(argument, args);
}

/** Whether rules that allow let all calls of every tool of a server pass, whatever its tools are. */
export function isServerPermitted(written: readonly string[], server: string): boolean {
  const any = { name: `${server}__*`, source: server };
  return parsePermitPatterns(written).some((pattern) => pattern.argument === undefined && fitsName(pattern, any));
}

/** Whether rules that allow let some call of a tool pass of which no more is known than its name. */
export function isNamePermitted(written: readonly string[], tool: Pick<Tool, "name" | "source">): boolean {
  return parsePermitPatterns(written).some((pattern) => fitsName(pattern, tool));
}

function fitsName({ name }: ToolPattern, tool: Pick<Tool, "name" | "source">): boolean {
  // A server whose name cannot stand in a tool's name is still meant by its own.
  const server = /^([^*]+)__\*$/.exec(name)?.[1];
  return isMatch(tool.name, name) || (server !== undefined && tool.source === server);
}

/** A tool that claims two things that exclude each other is taken at the worse. */
function isSaid(annotation: Annotation, said: ToolAnnotations): boolean {
  if (annotation === "readOnly" && said.destructive === true) return false;
  return said[annotation] === true;
}

const allowedForms: Text = {
  zh: "NAME、NAME:注解 或 NAME(参数)，例如 filesystem__write_*、*:destructive、shell(rm *)",
  en: "NAME, NAME:ANNOTATION or NAME(ARGUMENT), such as filesystem__write_*, *:destructive, shell(rm *)",
};
const withoutAnnotation: Text = {
  zh: "不带注解的规则：服务器自称的注解不能放宽规则",
  en: "a pattern without an annotation: what a server claims never relaxes a rule",
};
const allowedAnnotations: Text = {
  zh: `注解 ${annotations.join("、")}`,
  en: `the annotations ${annotations.join(", ")}`,
};
