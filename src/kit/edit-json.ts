import { createScanner, findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import { detectLineEnd } from "./text/line-end.ts";

/** Sets what stands at the path: a value that is there is replaced where it stands, a new one is added last. */
export function setJsonValue(text: string, path: readonly string[], value: unknown): string {
  const [root, node] = find(text, path);
  if (node !== undefined) {
    return replacePart(text, node.offset, node.length, renderValue(value, readIndent(text, node.offset), text));
  }
  const [key = ""] = path.slice(-1);
  const parent = path.length === 1 ? root : findNodeAtLocation(root, path.slice(0, -1));
  if (parent === undefined || parent.type === "null") return setJsonValue(text, path.slice(0, -1), { [key]: value });
  if (parent.type !== "object") throw new Error(`${path.join(".")} stands in no object.`);
  return addProperty(text, parent, key, value);
}

/** Returns the first key of the path that occurs more than once in its object. */
export function findDuplicateKey(text: string, path: readonly string[]): string | undefined {
  const [root] = find(text, path);
  return path.find((key, depth) => {
    const object = depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth));
    const same = object?.children?.filter((property) => property.children?.[0]?.value === key) ?? [];
    return same.length > 1;
  });
}

/** Removes what stands at the path, its line with it where nothing else stands there. */
export function removeJsonValue(text: string, path: readonly string[]): string {
  const [, node] = find(text, path);
  const property = node?.parent;
  const object = property?.parent;
  if (property === undefined || object === undefined) return text;
  const previous = object.children?.[object.children.indexOf(property) - 1];
  const end = property.offset + property.length;
  const comma = findCommaAfter(text, end);
  const rest = removePart(text, property.offset, comma === undefined ? end : comma + 1);
  if (comma !== undefined || previous === undefined) return collapseBraces(rest, object.offset);
  // The last one goes, and with it the comma before it.
  const before = findCommaAfter(text, previous.offset + previous.length);
  return before === undefined ? rest : rest.slice(0, before) + rest.slice(before + 1);
}

/** Finds a comma that only blanks and comments separate from `from`. */
function findCommaAfter(text: string, from: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  return text[scanner.getTokenOffset()] === "," ? scanner.getTokenOffset() : undefined;
}

function find(text: string, path: readonly string[]): [root: Node, node: Node | undefined] {
  const root = parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) throw new Error(`The text of ${text.length} characters holds no JSON value.`);
  return [root, findNodeAtLocation(root, [...path])];
}

function addProperty(text: string, object: Node, key: string, value: unknown): string {
  const eol = detectLineEnd(text);
  const outer = readIndent(text, object.offset);
  const last = object.children?.at(-1);
  const inner =
    last !== undefined && isLineStart(text, last.offset)
      ? readIndent(text, last.offset)
      : outer + detectIndentUnit(text);
  const line = `${eol}${inner}${JSON.stringify(key)}: ${renderValue(value, inner, text)}`;
  const end = object.offset + object.length - 1;
  if (last === undefined) {
    const isBare = text.slice(object.offset + 1, end).trim() === "";
    return replacePart(
      text,
      object.offset + 1,
      isBare ? end - object.offset - 1 : 0,
      isBare ? line + eol + outer : line,
    );
  }
  const at = last.offset + last.length;
  // A comment behind the last property stays with it, and where a comma stood last, one does again.
  const [behind = "", comma] = /^(\s*,)?(?:[ \t]*(?:\/\/[^\r\n]*|\/\*[^\n]*?\*\/))?/.exec(text.slice(at)) ?? [];
  const isOneLine = !text.slice(at + behind.length, end).includes("\n");
  const rest = text.slice(at + behind.length);
  const closing = isOneLine ? eol + outer + rest.trimStart() : rest;
  const [between, after] = comma === undefined ? [",", ""] : ["", ","];
  return text.slice(0, at) + between + behind + line + after + closing;
}

/** Braces with nothing between them are written together. */
function collapseBraces(text: string, brace: number): string {
  return text.slice(0, brace) + text.slice(brace).replace(/^\{\s*\}/, "{}");
}

function removePart(text: string, start: number, end: number): string {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const rest = /^[ \t]*\r?\n/.exec(text.slice(end))?.[0];
  const isWholeLine = rest !== undefined && text.slice(lineStart, start).trim() === "";
  return isWholeLine
    ? text.slice(0, lineStart) + text.slice(end + rest.length)
    : text.slice(0, start) + text.slice(end);
}

function replacePart(text: string, at: number, length: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + length);
}

function renderValue(value: unknown, indent: string, text: string): string {
  const lines = (JSON.stringify(value, undefined, detectIndentUnit(text)) ?? "null").split("\n");
  return lines.join(detectLineEnd(text) + indent);
}

function readIndent(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1))?.[0] ?? "";
}

function isLineStart(text: string, at: number): boolean {
  return text.slice(text.lastIndexOf("\n", at - 1) + 1, at).trim() === "";
}

/** Detects one step of indentation; returns two spaces when the text shows none. */
function detectIndentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}
