import { isDeepStrictEqual } from "node:util";
import type { JsonValue } from "../../kit/json.ts";
import type { ToolCallRecord } from "../run/outcome.ts";

/** Finds the record of a call that events told of; gives each record once. */
export type FindRecord = (tool: string, args: JsonValue) => ToolCallRecord | undefined;

/** Records are in the order in which calls were asked for; rounds that run side by side may start theirs in another. */
export function createRecordFinder(records: readonly ToolCallRecord[]): FindRecord {
  const left = [...records];
  return (tool, args) => {
    const index = left.findIndex((record) => record.tool === tool && isDeepStrictEqual(record.arguments, args));
    return index < 0 ? undefined : left.splice(index, 1)[0];
  };
}
