import { types } from "node:util";
import { createFailure, type ToolResult } from "../core/tools/tool.ts";
import { type RawContent, renderContent } from "../core/tools/tool-content.ts";
import { readImages } from "../core/tools/tool-images.ts";
import { isRecord } from "../kit/json.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";
import { toShortLine } from "../kit/text/sanitize.ts";
import { createSuccess } from "./create-tool.ts";

/** Limits the levels of a result. Deeper ones exhaust the stack of whoever writes them as JSON. */
const deepest = 1000;

/**
 * Converts what a tool of the user's returned to a result. A value that JSON would lose is a failure that names `where` and what
 * is allowed.
 */
export function toUserToolResult(given: unknown, where: string, locale: Locale): ToolResult {
  // The tool may have done its work, so that this is no failure.
  if (given === undefined)
    return createSuccess(say(locale, describeRefusal(where, { zh: "没有返回内容", en: "returned nothing" })));
  if (given === null) return createSuccess("");
  if (typeof given === "string") return createSuccess(given);
  if (isBlocks(given)) return toBlocksResult({ content: given }, locale);
  if (isRecord(given) && isBlocks(given.content)) {
    const text = renderContent(given, locale);
    if (given.isError === true) return { ok: false, text, error: { code: "tool", message: text } };
    return toBlocksResult(given, locale);
  }
  try {
    return createSuccess(writeJson(given));
  } catch (thrown) {
    if (!(thrown instanceof NotJson)) throw thrown;
    return createFailure("tool", say(locale, describeRefusal(where, thrown.text)));
  }
}

function toBlocksResult(raw: RawContent, locale: Locale): ToolResult {
  const images = readImages(raw);
  return { ...createSuccess(renderContent(raw, locale)), ...(images.length > 0 && { images }) };
}

const blockTypes: readonly unknown[] = ["text", "image", "audio", "resource", "resource_link"];

function isBlocks(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.every((one) => isRecord(one) && blockTypes.includes(one.type))
  );
}

/**
 * Converts a value to JSON. Throws `NotJson` for one that JSON cannot hold, which `JSON.stringify` would leave out or turn into
 * `{}`.
 */
export function writeJson(value: unknown): string {
  const holders: { value: unknown; step: string }[] = [];
  const text: string | undefined = JSON.stringify(
    value,
    function (this: unknown, key: string, inner: unknown): unknown {
      while (holders.length > 0 && holders.at(-1)?.value !== this) holders.pop();
      const step = Array.isArray(this) ? `[${key}]` : `.${key}`;
      // The outermost holder is an object that `JSON.stringify` makes itself.
      const path = holders.length === 0 ? "" : [...holders.slice(1).map((holder) => holder.step), step].join("");
      const what = holders.some((holder) => holder.value === inner && isRecordOrList(inner))
        ? circle
        : describeValue(inner);
      if (what !== undefined) throw new NotJson(what, path.replace(/^\./, ""));
      if (holders.length > deepest) throw new NotJson(tooDeep, "");
      if (isRecordOrList(inner)) holders.push({ value: inner, step });
      return inner;
    },
  );
  if (text === undefined) throw new NotJson({ zh: "空值", en: "nothing" }, "");
  return text;
}

function isRecordOrList(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** Names a value that JSON cannot hold; undefined for all others. */
function describeValue(value: unknown): Text | undefined {
  const type = typeof value;
  if (type === "function") return { zh: "函数", en: "a function" };
  if (type === "symbol") return { zh: " Symbol", en: "a symbol" };
  if (type === "bigint") return { zh: " BigInt", en: "a BigInt" };
  const isLost =
    types.isMap(value) ||
    types.isSet(value) ||
    types.isWeakMap(value) ||
    types.isWeakSet(value) ||
    types.isPromise(value) ||
    types.isNativeError(value) ||
    types.isRegExp(value) ||
    types.isAnyArrayBuffer(value);
  if (!isLost) return undefined;
  const name = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return { zh: ` ${name}`, en: `${/^[AE]/.test(name) ? "an" : "a"} ${name}` };
}

const circle: Text = { zh: "循环引用", en: "an object that contains itself" };
const tooDeep: Text = { zh: `超过 ${deepest} 层的嵌套`, en: `an object with more than ${deepest} levels` };

/** Says what the value is, and where in the whole it stands: an empty path is the whole. */
export class NotJson extends Error {
  readonly text: Text;

  constructor(what: Text, path: string) {
    const place = toShortLine(path, 80);
    super(path === "" ? `returned ${what.en}` : `returned ${what.en} at ${place}`);
    this.text = { zh: path === "" ? `返回了${what.zh}` : `返回值的 ${place} 是${what.zh}`, en: this.message };
  }
}

function describeRefusal(where: string, { zh, en }: Text): Text {
  return {
    zh: `${where}：run ${zh}（允许：文本、JSON、MCP 内容块）`,
    en: `${where}: run ${en} (allowed: text, JSON, MCP content blocks)`,
  };
}
