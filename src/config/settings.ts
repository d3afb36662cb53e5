import * as z from "zod";
import { defaultedLimits, type LimitRow, limitRows, mapLimits, offeredLimits, optionalLimits } from "../core/limits.ts";

/** Holds the schemas of the limits under `agent` in the configuration. */
export const limitSettings = {
  // Keeps the order of the rows, in which errors list the keys; the entries below replace these.
  ...mapLimits(limitRows, ({ key }) => key, createLimitSchema),
  ...mapLimits(
    defaultedLimits,
    ({ key }) => key,
    (row) =>
      createLimitSchema(row)
        .default(row.default)
        .meta({ description: describeLimitRow(row) }),
  ),
  ...mapLimits(
    optionalLimits,
    ({ key }) => key,
    (row) =>
      createLimitSchema(row)
        .optional()
        .meta({ description: describeLimitRow(row) }),
  ),
};

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

function describeLimitRow({ help, fileHelp }: LimitRow): string {
  return fileHelp ?? help.en;
}
