import * as z from "zod";
import { type LimitRow, mapLimits, offeredLimits } from "../core/limits.ts";

/** Holds the schemas of the limits in the input of `agent_ask` and of the HTTP API, with the ranges of the configuration. */
export const limitArguments = mapLimits(
  offeredLimits,
  ({ ask }) => ask,
  (row) => createLimitSchema(row).optional().describe(row.help.en),
);

/** Creates the schema of a limit, without its default. */
export function createLimitSchema({ range }: LimitRow): z.ZodNumber {
  if ("above" in range) return z.number().gt(range.above).max(range.most);
  const schema = z.int().min(range.least);
  return range.most === undefined ? schema : schema.max(range.most);
}
