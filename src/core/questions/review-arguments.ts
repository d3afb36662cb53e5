import { isRecord, type JsonObject, type JsonValue } from "../../kit/json.ts";
import { type CallReview, type ReviewedChange, type ReviewPart, shownBelow } from "./call-review.ts";

/** Lists the arguments that hold the path of a file, and the content that replaces it. */
const pathArguments = ["path", "file_path", "filepath", "filePath", "file", "filename", "absolute_path", "target_file"];
const contentNames = ["content", "contents", "file_text", "new_content", "text"];
/** Lists the arguments that hold a line for a shell. */
export const commandNames: readonly string[] = ["command", "cmd"];

/** Lists the names under which tools take a text to be replaced, and the one in its place. */
const editNames: readonly (readonly [string, string])[] = [
  ["old_string", "new_string"],
  ["old_str", "new_str"],
  ["oldText", "newText"],
  ["old_text", "new_text"],
  ["oldString", "newString"],
  ["search", "replace"],
];
const editLists = ["edits", "changes", "replacements"];

/** Only a tool that says so in its name puts a content in place of the whole file. */
const overwrites = /(?:^|[_-])(?:write|create|save|overwrite|replace)/i;
const adds = /append|insert|patch/i;

/** Holds a file as it is now; `text` is undefined where there is none yet. */
export interface CurrentFile {
  /** Is the real path. */
  path: string;
  text: string | undefined;
}

interface ReviewedCall {
  tool: string;
  arguments: JsonObject;
}

/**
 * Finds out how a call is best shown, with the file that it would change, where that is known; otherwise the arguments alone are shown.
 * Nothing of them is left out.
 */
export function reviewArguments({ tool, arguments: args }: ReviewedCall, file: CurrentFile | undefined): CallReview {
  const name = tool.slice(tool.indexOf("__") + 1);
  const change = findEdits(args, file) ?? findOverwrite(name, args, file);
  const command = findCommand(args);
  const shown = new Set([...(change?.names ?? []), ...(command?.names ?? [])]);
  const texts: ReviewPart[] = [];
  const values: JsonObject = {};
  for (const [key, value] of Object.entries(args)) {
    if (shown.has(key)) continue;
    const left = takeTexts(value, key, texts);
    if (typeof value !== "string" || left === value) values[key] = left;
  }
  return { values, parts: [...(command?.parts ?? []), ...(change?.parts ?? []), ...texts] };
}

/** Returns the path of the file that a call names. */
export function findPath(args: JsonObject): string | undefined {
  return findText(args, pathArguments)?.text;
}

/** Lists the arguments that hold the content of the file which the call is shown to change. */
export function listContentArguments({ parts }: CallReview): string[] {
  const names = parts.flatMap((part) => (part.kind === "change" && part.file !== undefined ? [part.name] : []));
  return [...new Set(names)].flatMap(
    (name) => editNames.find(([old]) => old === name) ?? [name.replace(/\[\d+\]$/, "")],
  );
}

/** Holds parts, and the arguments that they show in full. */
interface FoundParts {
  names: readonly string[];
  parts: readonly ReviewPart[];
}

/** Moves texts of several lines into parts of their own. */
function takeTexts(value: JsonValue, name: string, texts: ReviewPart[]): JsonValue {
  if (typeof value === "string") {
    if (!/[\r\n]/.test(value.trimEnd())) return value;
    texts.push({ kind: "text", name, text: value });
    return shownBelow;
  }
  if (Array.isArray(value)) return value.map((inner, index) => takeTexts(inner, `${name}[${index}]`, texts));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, takeTexts(inner, `${name}.${key}`, texts)]),
  );
}

function findCommand(args: JsonObject): FoundParts | undefined {
  const found = commandNames.find((name) => args[name] !== undefined);
  const command = found === undefined ? undefined : args[found];
  if (found === undefined || command === undefined) return undefined;
  const words = isTexts(args.args) ? args.args : undefined;
  if (typeof command === "string" && words === undefined && args.args === undefined)
    return { names: [found], parts: [{ kind: "command", name: found, line: command }] };
  const whole = isTexts(command) ? command : typeof command === "string" && words ? [command, ...words] : undefined;
  if (whole === undefined || (isTexts(command) && args.args !== undefined)) return undefined;
  const names = words === undefined ? [found] : [found, "args"];
  return { names, parts: [{ kind: "command", name: found, line: whole.map(quoteWord).join(" ") }] };
}

/** Quotes a word as a shell would have to read it, so that the borders of words can be seen. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function isTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function findOverwrite(tool: string, args: JsonObject, file: CurrentFile | undefined): FoundParts | undefined {
  if (file === undefined || !overwrites.test(tool) || adds.test(tool)) return undefined;
  const content = findText(args, contentNames);
  // A tool that takes a place within the file does not replace the whole.
  if (content === undefined || Object.keys(args).some((name) => /line|offset|position|append|mode/i.test(name)))
    return undefined;
  const change = {
    kind: "change",
    name: content.name,
    file: file.path,
    before: file.text,
    after: content.text,
  } as const;
  return { names: [content.name], parts: [change] };
}

interface Edit {
  /** Is its place in the arguments, empty where these are the edit. */
  name: string;
  before: string;
  after: string;
  isForAll: boolean;
}

/** Shows edits in the file that they change, if each can be found there once; otherwise each by itself. */
function findEdits(args: JsonObject, file: CurrentFile | undefined): FoundParts | undefined {
  const found = listEdits(args);
  if (found === undefined) return undefined;
  const { names, edits } = found;
  const name = names[0] ?? "";
  const applied = file?.text === undefined ? undefined : applyEdits(file.text, edits);
  if (file?.text !== undefined && typeof applied === "object")
    return { names, parts: [{ kind: "change", name, file: file.path, before: file.text, after: applied.text }] };
  const parts = edits.map(
    (edit): ReviewedChange => ({
      kind: "change",
      name: edit.name || name,
      before: edit.before,
      after: edit.after,
      ...(typeof applied === "string" && { file: file?.path, problem: applied }),
    }),
  );
  return { names, parts };
}

function applyEdits(text: string, edits: readonly Edit[]): { text: string } | "missing" | "repeated" {
  let now = text;
  for (const { before, after, isForAll } of edits) {
    const count = before === "" ? 0 : now.split(before).length - 1;
    if (count === 0) return "missing";
    if (count > 1 && !isForAll) return "repeated";
    now = now.split(before).join(after);
  }
  return { text: now };
}

/** Finds the edits where all that is said of them are the two texts. */
function listEdits(args: JsonObject): { names: string[]; edits: Edit[] } | undefined {
  const pair = findPair(args);
  if (pair) return { names: [...pair], edits: [toEdit(args, pair, "")] };
  const list = editLists.find((name) => Array.isArray(args[name]));
  const each = list === undefined ? undefined : args[list];
  if (list === undefined || !Array.isArray(each) || each.length === 0) return undefined;
  const edits = each.map((one, index) => {
    const inner = isRecord(one) ? findPair(one) : undefined;
    const isAll = inner !== undefined && isRecord(one) && Object.keys(one).length === inner.length;
    return isAll ? toEdit(one, inner, `${list}[${index}]`) : undefined;
  });
  return edits.every((edit) => edit !== undefined) ? { names: [list], edits } : undefined;
}

function findPair(args: Readonly<Record<string, unknown>>): readonly [string, string] | undefined {
  return editNames.find(([old, now]) => typeof args[old] === "string" && typeof args[now] === "string");
}

function toEdit(args: Readonly<Record<string, unknown>>, [old, now]: readonly [string, string], name: string): Edit {
  const isForAll = args.replace_all === true || args.replaceAll === true;
  return { name, before: String(args[old]), after: String(args[now]), isForAll };
}

function findText(args: JsonObject, names: readonly string[]): { name: string; text: string } | undefined {
  for (const name of names) {
    const text = Object.hasOwn(args, name) ? args[name] : undefined;
    if (typeof text === "string") return { name, text };
  }
  return undefined;
}
