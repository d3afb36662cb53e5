import { writeLine } from "../../src/cli/stderr-lines.ts";
import { sanitizeLine } from "../../src/kit/text/sanitize.ts";
import { toFlags } from "../options.ts";
import { readOutputFormat, type Values } from "../values.ts";
import type { Action } from "./action.ts";

/** Shows the configuration in force, or writes a starter file. */
export function runConfig(action: "show" | "path" | "schema" | "init", values: Values): Action {
  return async ({ console }) => {
    const { runConfigCommand } = await import("../../src/cli/config-command.ts");
    await runConfigCommand(action, {
      flags: toFlags(values),
      output: readOutputFormat(values),
      write: (lines) => void console.stdout.write(lines),
      note: (line) => writeLine(console, sanitizeLine(line)),
    });
    return 0;
  };
}

/** Shows what the configuration that was found here would start, and remembers that it may. */
export function trustConfigFiles(values: Values): Action {
  return async ({ console, signal }) => {
    const [{ runTrust }, { openTrustQuestion }] = await Promise.all([
      import("../../src/cli/trust/trust-command.ts"),
      import("../../src/cli/trust/trust-question.ts"),
    ]);
    const person = openTrustQuestion(console, signal);
    try {
      return await runTrust({
        flags: toFlags(values),
        output: readOutputFormat(values),
        yes: values.yes === true,
        ...(person && { confirm: person.confirm }),
        write: (lines) => void console.stdout.write(lines),
      });
    } finally {
      person?.close();
    }
  };
}
