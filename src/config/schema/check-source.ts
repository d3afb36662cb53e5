import type * as z from "zod";
import type { LimitKey } from "../../core/limits/limits.ts";
import { describeIssue, getIssuePath } from "../../core/schemas/describe-issue.ts";
import { describeAllowed, listKeys } from "../../core/schemas/describe-schema.ts";
import { isEmptyRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { configError, joinConfigErrors, unknownKeyError } from "../config-errors.ts";
import { getValue, renderPath } from "../sources/setting-path.ts";
import { createAssignedSource, type Source, type SourceFault } from "../sources/source.ts";
import { createAllowedSchema, fileSchema } from "./file-schema.ts";
import { parseOnce } from "./object-schema.ts";

/** Refuses a source that does not fit the schema, with a line for each of its faults. */
export function checkSource(source: Source, schema: z.ZodType): void {
  const faults = findFaults(source, schema);
  if (faults.length > 0) throw joinConfigErrors(faults.map(({ error }) => error));
}

/** Finds everything in a source that does not fit the schema. */
export function findFaults(source: Source, schema: z.ZodType): SourceFault[] {
  // Most starts have nothing in two or three of their four sources.
  if (isEmptyRecord(source.tree)) return [];
  const issues = schema.safeParse(source.tree, parseOnce).error?.issues ?? [];
  if (issues.length === 0) return [];
  const jsonSchema = createAllowedSchema(schema);
  const faults = issues.flatMap(openListIssue).flatMap((issue) => describeFaults(issue, source, jsonSchema));
  // A value that breaks several rules is told once.
  const places = faults.map(({ path }) => renderPath(path));
  return faults.filter((_, index) => places.indexOf(places[index] ?? "") === index);
}

/** Returns the issues of a list's entries where a value may be a list or something else, and is a list. */
function openListIssue(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  const forms = issue.code === "invalid_union" ? issue.errors : [];
  const entries = forms.find((form) => form.length > 0 && form.every(({ path }) => typeof path[0] === "number"));
  return entries?.map((entry) => ({ ...entry, path: [...issue.path, ...entry.path] })) ?? [issue];
}

function describeFaults(issue: z.core.$ZodIssue, source: Source, jsonSchema: unknown): SourceFault[] {
  const path = getIssuePath(issue);
  if (issue.code === "unrecognized_keys") {
    const allowed = listKeys(jsonSchema, path).map((name) => source.toKey(name));
    // Of a provider people expect what belongs to its models.
    const ofModels = path[0] === "providers" ? listKeys(jsonSchema, ["models", "functionCall"]) : [];
    return issue.keys.map((key) => {
      const place = [...path, key];
      const elsewhere = ofModels.includes(key) ? `models.functionCall.${key}` : undefined;
      return {
        path: place,
        error: unknownKeyError(source.describePlace(place), source.toKey(key), allowed, elsewhere),
      };
    });
  }
  const text = describeIssue(issue, jsonSchema, {
    name: source.toKey(String(path.at(-1) ?? "")),
    value: getValue(source.tree, path),
    show: () => source.renderValue(path),
  });
  return [{ path, error: configError(source.describePlace(path), text) }];
}

/** Reads a limit as the configuration would, under the name by which it was typed. Throws a `config` error of one line. */
export function readLimit(key: LimitKey, name: string, written: string): number {
  const value = /^[+-]?\d+(\.\d+)?$/.test(written) ? Number(written) : written;
  const source = createAssignedSource([{ path: ["agent", key], value, written, origin: { from: "flag", name } }], []);
  checkSource(source, fileSchema);
  return fileSchema.parse(source.tree, parseOnce).agent[key] ?? Number.NaN;
}

/** Says what is allowed for a limit. The chat asks with each key that is typed behind `/set`, so that no other schema is converted. */
export function describeLimit(key: LimitKey, name: string): Text {
  return describeAllowed(createAllowedSchema(fileSchema.shape.agent.unwrap().unwrap().shape[key]), name);
}
