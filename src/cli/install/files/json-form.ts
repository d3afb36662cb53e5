import { isDeepStrictEqual } from "node:util";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { isRecord } from "../../../kit/json.ts";
import { type FileFormat, FormatError } from "./form.ts";
import { findDuplicateKey, removeJsonValue, setJsonValue } from "./json-text.ts";

const mark = "\ufeff";

/** JSON, with comments and last commas where the host's people write them. */
export const jsonForm: FileFormat = {
  parse(text) {
    const bare = withoutMark(text);
    if (bare.trim() === "") return {};
    const errors: ParseError[] = [];
    const tree: unknown = parse(bare, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first) throw new FormatError(placeOf(bare, first.offset), { cause: printParseErrorCode(first.error) });
    return tree;
  },
  edit(text, { key, name, there, entry }) {
    const bare = withoutMark(text);
    const old = bare.trim() === "" ? "{}\n" : bare;
    const path = [key, name];
    const isKept = isRecord(there) && entry !== undefined && Object.keys(there).every((field) => field in entry);
    const fields = isKept
      ? Object.entries(entry).filter(([field, value]) => !isDeepStrictEqual(there[field], value))
      : undefined;
    const edited = fields?.reduce((now, [field, value]) => setJsonValue(now, [...path, field], value), old);
    const whole = (): string => (entry === undefined ? removeJsonValue(old, path) : setJsonValue(old, path, entry));
    return (text.startsWith(mark) ? mark : "") + (edited ?? whole());
  },
  hindrance(text, { key, name }) {
    const doubled = findDuplicateKey(withoutMark(text), [key, name]);
    if (doubled === undefined) return undefined;
    return {
      zh: `${doubled} 出现了两次，未做修改：请只保留一个`,
      en: `${doubled} is given twice, and the file is left as it is: keep one of them`,
    };
  },
};

function placeOf(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

function withoutMark(text: string): string {
  return text.startsWith(mark) ? text.slice(1) : text;
}
