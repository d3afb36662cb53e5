import { posix } from "node:path";
import { getOwnValue, type JsonObject, type JsonValue } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { isMatch } from "../../kit/text/match-pattern.ts";
import type { Tool, ToolAnnotations } from "./tool.ts";

/** Matches tools and their calls by `NAME`, `NAME:ANNOTATION`, `NAME(ARGUMENT)`, or all three. */
export interface ToolPattern {
  /** Holds the pattern as the user wrote it. */
  written: string;
  /** Holds a name in which `*` is any run of characters. `server__*` matches all tools of a server. */
  name: string;
  annotation: Annotation | undefined;
  argument: ArgumentPattern | undefined;
}

const annotations = ["readOnly", "destructive", "idempotent", "openWorld"] as const satisfies (keyof ToolAnnotations)[];

type Annotation = (typeof annotations)[number];

/** Returns the parsed pattern, or what is wrong with it. */
export function parseToolPattern(written: string): ToolPattern | { problem: Text } {
  const [, name = "", word, argument] = /^([^:()\s]+)(?::([A-Za-z]+))?(?:\((.*)\))?$/s.exec(written) ?? [];
  if (name === "") return { problem: allowedForms };
  // Every tool has a name of these characters; only a server may be called otherwise.
  if (!/^(?:[\w*-]+|[^*]+__\*)$/.test(name)) return { problem: allowedNames };
  const annotation = annotations.find((each) => each.toLowerCase() === word?.toLowerCase());
  if (word !== undefined && annotation === undefined) return { problem: allowedAnnotations };
  return { written, name, annotation, argument: argument === undefined ? undefined : readArgumentPattern(argument) };
}

/** Parses patterns that were validated when they were read. An invalid one matches nothing. */
export function parseToolPatterns(written: readonly string[]): ToolPattern[] {
  return written.map(parseToolPattern).filter((pattern) => "name" in pattern);
}

/**
 * Parses the patterns of a rule that allows. Patterns with an annotation are dropped and match nothing, because a server's
 * claims about its tools never relax a rule.
 */
export function parsePermitPatterns(written: readonly string[]): ToolPattern[] {
  return parseToolPatterns(written).filter(({ annotation }) => annotation === undefined);
}

/** Says what is wrong with a pattern of a rule that allows. Returns undefined when the pattern is valid. */
export function findPermitProblem(written: string): Text | undefined {
  const parsed = parseToolPattern(written);
  if ("problem" in parsed) return parsed.problem;
  return parsed.annotation === undefined ? undefined : withoutAnnotation;
}

/** Returns true for a pattern that means this tool by its name, whatever else it asks of a call. */
export function isToolMeant(pattern: ToolPattern, tool: Pick<Tool, "name" | "source">): boolean {
  return isNameMatch(pattern, tool);
}

/** Returns which calls of a tool match, as far as this is known before a call. */
export function findFittingCalls(pattern: ToolPattern, tool: Tool): "all" | "some" | "none" {
  const { annotation, argument } = pattern;
  if (!isNameMatch(pattern, tool)) return "none";
  if (annotation !== undefined && tool.annotationsFor !== undefined) return "some";
  if (annotation !== undefined && !isSaid(annotation, tool.annotations)) return "none";
  return argument === undefined ? "all" : "some";
}

/**
 * Returns true when a call matches. For a rule that forbids, `some` matching value is enough. A rule that allows needs `every`
 * value to match, so that no other value is let through beside one that matches.
 */
export function isMatchingCall(pattern: ToolPattern, tool: Tool, args: JsonObject, values: "some" | "every"): boolean {
  const { annotation, argument } = pattern;
  if (!isNameMatch(pattern, tool)) return false;
  if (annotation !== undefined && !isSaid(annotation, tool.annotationsFor?.(args) ?? tool.annotations)) return false;
  if (argument === undefined) return true;
  return values === "some" ? hasMatchingArgument(argument, args) : hasOnlyMatchingArguments(argument, args);
}

/** Returns true when the rules allow every call of every tool of a server, whatever its tools are. */
export function isServerPermitted(written: readonly string[], server: string): boolean {
  const any = { name: `${server}__*`, source: server };
  return parsePermitPatterns(written).some((pattern) => pattern.argument === undefined && isNameMatch(pattern, any));
}

/** Returns true when the rules allow some call of a tool of which only the name is known. */
export function isNamePermitted(written: readonly string[], tool: Pick<Tool, "name" | "source">): boolean {
  return parsePermitPatterns(written).some((pattern) => isNameMatch(pattern, tool));
}

function isNameMatch({ name }: ToolPattern, tool: Pick<Tool, "name" | "source">): boolean {
  // A server whose name cannot stand in a tool's name is still meant by its own.
  const server = /^([^*]+)__\*$/.exec(name)?.[1];
  return isMatch(tool.name, name) || (server !== undefined && tool.source === server);
}

/** When a tool claims two annotations that exclude each other, the stricter one is used. */
function isSaid(annotation: Annotation, said: ToolAnnotations): boolean {
  if (annotation === "readOnly" && said.destructive === true) return false;
  return said[annotation] === true;
}

const allowedForms: Text = {
  zh: "NAME、NAME:注解 或 NAME(参数)，例如 filesystem__write_*、*:destructive、shell(rm *)",
  en: "NAME, NAME:ANNOTATION or NAME(ARGUMENT), such as filesystem__write_*, *:destructive, shell(rm *)",
};
const allowedNames: Text = {
  zh: "由字母、数字、_、- 组成的工具名，* 代表任意一段字符；其他名字不对应任何工具",
  en: "a tool's name of letters, digits, _ and -, in which * is any run of them; no tool has another",
};
const withoutAnnotation: Text = {
  zh: "不带注解的规则：服务器自称的注解不能放宽规则",
  en: "a pattern without an annotation: what a server claims never relaxes a rule",
};
const allowedAnnotations: Text = {
  zh: `注解 ${annotations.join("、")}`,
  en: `the annotations ${annotations.join(", ")}`,
};

/** Matches a call's arguments: `rm *` matches a value anywhere in them, and `path=/etc/*` the value of one argument. */
interface ArgumentPattern {
  /** Holds the pattern as it was written, trimmed. */
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
 * Returns true when every value matches exactly, for rules that allow, so that no other value is let through beside one that
 * matches. A path or address with `..` must also match after it is resolved.
 */
export function hasOnlyMatchingArguments({ key, value }: ArgumentPattern, args: JsonObject): boolean {
  const found = [...listLeaves(key === undefined ? args : (getOwnValue(args, key) ?? null))];
  const isAccepted = (text: string): boolean => isMatch(text, value);
  return (
    found.length > 0 &&
    found.every((text) => isAccepted(text) && (!isClimbing(text) || isAccepted(resolveDestination(text))))
  );
}

/**
 * Returns true when one value matches in one of its readings, for rules that forbid or ask. Letter case, spaces, full-width and
 * invisible characters do not matter. Nor does it matter whether words are in one text or in a list, how a path or an address is
 * written, or how deep the value is. `rm *` also matches a bare `rm`.
 */
export function hasMatchingArgument({ text, key, value }: ArgumentPattern, args: JsonObject): boolean {
  if (isSomeMatch([...listTexts(args)], text)) return true;
  return (
    key !== undefined &&
    isSomeMatch(
      [...listValues(args, foldCase(key))].flatMap((named) => [...listTexts(named)]),
      value,
    )
  );
}

function isSomeMatch(found: readonly string[], value: string): boolean {
  const pattern = foldCase(value);
  const bare = pattern.endsWith(" *") ? pattern.slice(0, -2) : undefined;
  return found.some((text) =>
    listReadings(text).some((reading) => {
      const plain = foldCase(reading);
      return plain === bare || isMatch(plain, pattern);
    }),
  );
}

/** Returns the text in each form that a receiver may read it in: as it is, as a path, as an address. */
function listReadings(text: string): string[] {
  const address = URL.parse(text)?.href;
  const path = /[/\\]/.test(text) ? straightenPath(text) : text;
  return [text, ...(path === text ? [] : [path]), ...(address === undefined ? [] : [address])];
}

/** Returns true when a segment is `..`, including its percent-encoded forms. */
function isClimbing(text: string): boolean {
  return /(^|[/\\])(\.|%2e){2}([/\\?#]|$)/i.test(text.replace(/[\t\n\r]/g, ""));
}

function resolveDestination(text: string): string {
  return (/^https?:/i.test(text) ? URL.parse(text)?.href : undefined) ?? straightenPath(text);
}

/** Removes `//`, `.` and `..`. */
function straightenPath(path: string): string {
  return posix.normalize(path.replaceAll("\\", "/"));
}

function foldCase(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, "")
    .trim()
    .toLowerCase();
}

/** Yields every value in the arguments as text. */
function* listLeaves(value: JsonValue): Generator<string> {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) yield* listLeaves(inner);
  else if (value !== null) yield String(value);
}

/**
 * Yields the values, the values of one object or list joined as one text, and the names of nested keys, such as headers or
 * variables.
 */
function* listTexts(value: JsonValue, isInner = false): Generator<string> {
  if (typeof value !== "object" || value === null) {
    yield* listLeaves(value);
    return;
  }
  yield [...listLeaves(value)].join(" ");
  if (isInner && !Array.isArray(value)) yield* Object.keys(value);
  for (const inner of Object.values(value)) yield* listTexts(inner, true);
}

/** Yields the values of this name at any depth. */
function* listValues(value: JsonValue, name: string): Generator<JsonValue> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!Array.isArray(value) && foldCase(key) === name) yield inner;
    yield* listValues(inner, name);
  }
}
