import * as z from "zod";
import type { LimitRow } from "../core/limits/limit-row.ts";
import { limitRows, mapLimits, offeredLimits } from "../core/limits/limits.ts";

/** Creates the schemas of the limits in the input of `agent_ask` and of the HTTP API, with the ranges of the configuration. */
export const createLimitArguments = () =>
  mapLimits(
    offeredLimits,
    ({ ask }) => ask,
    (row) => createLimitSchema(row).optional().describe(row.help.en),
  );

/** Holds what variables may set: they are given to every program on a machine, and keep the specified ranges. */
export const variableSchema = z.lazy(() =>
  z.object({
    agent: z
      .object(
        mapLimits(
          limitRows,
          ({ key }) => key,
          (row) => createLimitSchema(row).optional(),
        ),
      )
      .optional(),
  }),
);

/** Creates the schema of a limit as a variable or a caller may set it, without its default. */
export function createLimitSchema({ range }: LimitRow): z.ZodNumber {
  if ("above" in range) return z.number().gt(range.above).max(range.most);
  const schema = z.int().min(range.least);
  return range.most === undefined ? schema : schema.max(range.most);
}

/** Creates the schema of a limit as the operator may set it. */
export function createOperatorSchema({ ceiling, ...row }: LimitRow): z.ZodNumber {
  return createLimitSchema({ ...row, range: ceiling === undefined ? row.range : { ...row.range, most: ceiling } });
}
