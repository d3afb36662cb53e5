import { isDeepStrictEqual } from "node:util";
import { type ParseError, parse } from "jsonc-parser";
import { isRecord } from "../../core/json.ts";
import type { Form } from "./form.ts";
import { removeAt, setAt } from "./json-text.ts";

const mark = "\ufeff";

/** JSON, with comments and last commas where the host's people write them. */
export const jsonForm: Form = {
  parse(text) {
    const bare = withoutMark(text);
    if (bare.trim() === "") return {};
    const errors: ParseError[] = [];
    const tree: unknown = parse(bare, errors, { allowTrailingComma: true });
    if (errors.length > 0) throw new SyntaxError(`at ${errors[0]?.offset}`);
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
    const edited = fields?.reduce((now, [field, value]) => setAt(now, [...path, field], value), old);
    const whole = (): string => (entry === undefined ? removeAt(old, path) : setAt(old, path, entry));
    return (text.startsWith(mark) ? mark : "") + (edited ?? whole());
  },
};

function withoutMark(text: string): string {
  return text.startsWith(mark) ? text.slice(1) : text;
}
