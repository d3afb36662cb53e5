import type { Config } from "../../config/config.ts";
import { readConfig } from "../../config/load-config.ts";
import type { Flags } from "../../config/settings/settings.ts";
import { describeUnused } from "../../config/unused.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Context, createWarn } from "../console.ts";
import { withOpened } from "../with-duet.ts";
import { type ConfigFaults, runDoctor } from "./doctor.ts";

export interface DoctorCommand extends Context {
  flags: Flags;
  output: "text" | "json";
}

/**
 * Runs `duet doctor`, also with a configuration with which no other command runs: its errors are findings, and what they do not
 * concern is checked.
 */
export async function runDoctorCommand({ flags, output, ...context }: DoctorCommand): Promise<number> {
  const { config, ...faults } = await readConfig(flags);
  // What lacks its variable is a finding, and so is a line that sets none.
  describeUnused({ ...config, unsetParts: [], dotEnv: { ...config.dotEnv, unread: [] } }).forEach(
    createWarn(config, context.console),
  );
  let hasBegun = false;
  const check = (used: Config, known: ConfigFaults): Promise<number> =>
    withOpened(used, context, (opened) => {
      hasBegun = true;
      return runDoctor({ ...opened, output, faults: known });
    });
  try {
    return await check(config, faults);
  } catch (thrown) {
    // Prompts and an evaluator of the user's own are read where everything else is opened.
    if (hasBegun || !(thrown instanceof DuetError) || thrown.code !== "config") throw thrown;
    const evaluation = { ...config.agent.evaluation, module: undefined };
    const rest = { ...config, prompts: {}, agent: { ...config.agent, evaluation } };
    return check(rest, { ...faults, errors: [...faults.errors, thrown] });
  }
}
