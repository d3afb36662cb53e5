import { posix } from "node:path";
import type { Text } from "../../kit/errors.ts";
import { getOwnValue, type JsonObject, type JsonValue } from "../../kit/json.ts";
import { isMatch } from "../../kit/text/match-pattern.ts";
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

/** What a rule says of a call's arguments: `rm *` of a value anywhere in them, `path=/etc/*` of one argument. */
interface ArgumentPattern {
  /** As it was written, without the spaces round it. */
  text: string;
  key: string | undefined;
  value: string;
}

export function readArgumentPattern(written: string): ArgumentPattern {
  const text = written.trim();
  const [, key, value = text] = /^([A-Za-z_][\w-]*)=(.*)$/s.exec(text) ?? [];
  return { text, key, value: value.trim() };
}

/**
 * For rules that allow: every value fits, to the letter, so that nothing slips through beside one that does; and a path or an
 * address that climbs fits where it leads, too.
 */
export function isCoveringArguments({ key, value }: ArgumentPattern, args: JsonObject): boolean {
  const found = [...leaves(key === undefined ? args : (getOwnValue(args, key) ?? null))];
  const fits = (text: string): boolean => isMatch(text, value);
  return found.length > 0 && found.every((text) => fits(text) && (!climbs(text) || fits(destination(text))));
}

/**
 * For rules that forbid or ask: one value fits in one of its readings. Letter case, spaces, full-width and invisible characters make
 * no difference; neither does whether words stand in one text or in a list, how a path or an address is written, or how deep it
 * stands; and `rm *` is also a bare `rm`.
 */
export function isCatchingArguments({ text, key, value }: ArgumentPattern, args: JsonObject): boolean {
  if (someFits([...texts(args)], text)) return true;
  return (
    key !== undefined &&
    someFits(
      [...valuesOf(args, folded(key))].flatMap((named) => [...texts(named)]),
      value,
    )
  );
}

function someFits(found: readonly string[], value: string): boolean {
  const pattern = folded(value);
  const bare = pattern.endsWith(" *") ? pattern.slice(0, -2) : undefined;
  return found.some((text) =>
    readings(text).some((reading) => {
      const plain = folded(reading);
      return plain === bare || isMatch(plain, pattern);
    }),
  );
}

/** The same text as those may read it who get it: as a path, as an address. */
function readings(text: string): string[] {
  const address = URL.parse(text)?.href;
  const path = /[/\\]/.test(text) ? straight(text) : text;
  return [text, ...(path === text ? [] : [path]), ...(address === undefined ? [] : [address])];
}

/** Whether a segment is `..`, also as an address may write it. */
function climbs(text: string): boolean {
  return /(^|[/\\])(\.|%2e){2}([/\\?#]|$)/i.test(text.replace(/[\t\n\r]/g, ""));
}

function destination(text: string): string {
  return (/^https?:/i.test(text) ? URL.parse(text)?.href : undefined) ?? straight(text);
}

/** Without `//`, `.` and `..`. */
function straight(path: string): string {
  return posix.normalize(path.replaceAll("\\", "/"));
}

function folded(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, "")
    .trim()
    .toLowerCase();
}

/** Every value in the arguments as a text. */
function* leaves(value: JsonValue): Generator<string> {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* leaves(inner);
  else if (value !== null) yield String(value);
}

/** The values, those that stand together as one text, and the names of what stands deeper: a header's, a variable's. */
function* texts(value: JsonValue, isInner = false): Generator<string> {
  if (typeof value !== "object" || value === null) {
    yield* leaves(value);
    return;
  }
  yield [...leaves(value)].join(" ");
  if (isInner && !Array.isArray(value)) yield* Object.keys(value);
  for (const inner of Object.values(value)) yield* texts(inner, true);
}

/** What stands under a name, at whatever depth. */
function* valuesOf(value: JsonValue, name: string): Generator<JsonValue> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && folded(key) === name) yield inner;
    yield* valuesOf(inner, name);
  }
}
