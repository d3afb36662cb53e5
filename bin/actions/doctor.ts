import { withDuet } from "../../src/cli/with-duet.ts";
import { toFlags } from "../options.ts";
import { readOutputFormat, type Values } from "../values.ts";
import type { Action } from "./action.ts";

/** Checks configuration, keys, models and servers; a line each. */
export function diagnose(values: Values): Action {
  return (context) =>
    withDuet(
      toFlags(values),
      context,
      async (opened) => {
        const { runDoctor } = await import("../../src/cli/doctor/doctor.ts");
        return runDoctor({ ...opened, output: readOutputFormat(values) });
      },
      { needsState: false },
    );
}
