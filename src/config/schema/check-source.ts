import * as z from "zod";
import type { LimitKey } from "../../core/limits.ts";
import { describeIssue, getIssuePath } from "../../core/schemas/describe-issue.ts";
import { describeAllowed, findSchema, listKeys } from "../../core/schemas/describe-schema.ts";
import type { DuetError } from "../../kit/errors.ts";
import { isEmptyRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { configError, unknownKeyError } from "../config-errors.ts";
import { getValue } from "../sources/setting-path.ts";
import { createAssignedSource, type Source } from "../sources/source.ts";
import { createFileJsonSchema, fileSchema, parseOnce } from "./file-schema.ts";

/** Refuses a source that does not fit the schema, with one line for its first fault. */
export function checkSource(source: Source, schema: z.ZodType): void {
  // Most starts have nothing in two or three of their four sources.
  if (isEmptyRecord(source.tree)) return;
  const issue = schema.safeParse(source.tree, parseOnce).error?.issues[0];
  if (issue !== undefined) throw issueError(issue, source, schema);
}

function issueError(issue: z.core.$ZodIssue, source: Source, schema: z.ZodType): DuetError {
  const jsonSchema = z.toJSONSchema(schema, { io: "input" });
  const path = getIssuePath(issue);
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    const allowed = listKeys(jsonSchema, path).map((name) => source.toKey(name));
    return unknownKeyError(source.describePlace([...path, key]), source.toKey(key), allowed);
  }
  const text = describeIssue(issue, jsonSchema, {
    name: source.toKey(String(path.at(-1) ?? "")),
    value: getValue(source.tree, path),
    show: () => source.renderValue(path),
  });
  return configError(source.describePlace(path), text);
}

/** Reads a limit as the configuration would, under the name by which it was typed. Throws a `config` error of one line. */
export function readLimit(key: LimitKey, name: string, written: string): number {
  const value = /^[+-]?\d+(\.\d+)?$/.test(written) ? Number(written) : written;
  const source = createAssignedSource([{ path: ["agent", key], value, written, origin: { from: "flag", name } }], []);
  checkSource(source, fileSchema);
  return fileSchema.parse(source.tree, parseOnce).agent[key] ?? Number.NaN;
}

export function describeLimit(key: LimitKey, name: string): Text {
  return describeAllowed(findSchema(createFileJsonSchema(), ["agent", key]), name);
}
