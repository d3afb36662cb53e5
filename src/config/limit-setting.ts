import type { LimitKey } from "../core/limits.ts";
import type { Text } from "../kit/locale.ts";
import { checkSource } from "./schema/check-source.ts";
import { describeAllowed, findSchema } from "./schema/describe-schema.ts";
import { createFileJsonSchema, fileSchema, parseOnce } from "./schema/file-schema.ts";
import { createAssignedSource } from "./sources/source.ts";

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
