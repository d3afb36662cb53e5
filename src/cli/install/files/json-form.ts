import { isDeepStrictEqual } from "node:util";
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { findDuplicateKey, removeJsonValue, setJsonValue } from "../../../kit/edit-json.ts";
import { isRecord } from "../../../kit/json.ts";
import { type FileFormat, FormatError } from "./file-format.ts";

/** Reads and edits JSON, with comments and trailing commas for hosts that allow them. */
export const jsonForm: FileFormat = {
  parse(text) {
    if (text.trim() === "") return {};
    const errors: ParseError[] = [];
    const tree: unknown = parse(text, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first) throw new FormatError(locateProblem(text, first.offset), { cause: printParseErrorCode(first.error) });
    return tree;
  },
  edit(text, { key, name, there, entry }) {
    const old = text.trim() === "" ? "{}\n" : text;
    const path = [key, name];
    const isKept = isRecord(there) && entry !== undefined && Object.keys(there).every((field) => field in entry);
    const fields = isKept
      ? Object.entries(entry).filter(([field, value]) => !isDeepStrictEqual(there[field], value))
      : undefined;
    const edited = fields?.reduce((now, [field, value]) => setJsonValue(now, [...path, field], value), old);
    if (edited !== undefined) return edited;
    return entry === undefined ? removeJsonValue(old, path) : setJsonValue(old, path, entry);
  },
  hindrance(text, { key, name }) {
    const doubled = findDuplicateKey(text, [key, name]);
    if (doubled === undefined) return undefined;
    return {
      zh: `${doubled} 出现了两次，未做修改：请只保留一个`,
      en: `${doubled} appears twice; the file was not changed: keep one of them`,
    };
  },
};

function locateProblem(text: string, offset: number): { line: number; column: number } {
  const lines = text.slice(0, offset).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}
