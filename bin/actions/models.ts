import { toFlags } from "../options.ts";
import { readOutputFormat, type Values } from "../values.ts";
import type { Action } from "./action.ts";

/** Shows the models in use. */
export function runModels(values: Values): Action {
  return async ({ console }) => {
    const { runModelsCommand } = await import("../../src/cli/models-command.ts");
    const write = (lines: string) => void console.stdout.write(lines);
    await runModelsCommand({ flags: toFlags(values), output: readOutputFormat(values), write });
    return 0;
  };
}
