import type { Argv } from "yargs";
import { writeLine } from "../../src/cli/console.ts";
import { sanitizeLine } from "../../src/kit/text/sanitize.ts";
import { readOutputFormat, toFlags, type Values } from "../options.ts";
import { type Action, type SetAction, textOrJson, toYargsOptions, yes } from "./command.ts";

export function addConfigCommands(it: Argv, setAction: SetAction): Argv {
  return (["show", "path", "schema", "init"] as const)
    .reduce(
      (command, name) =>
        command.command(
          name === "show" ? [name, "$0"] : name,
          help[name],
          (own) => own.options(toYargsOptions(textOrJson)),
          (values) => setAction(runConfig(name, values)),
        ),
      it,
    )
    .command(
      "trust",
      "shows what a configuration found in a git work tree would start, and trusts its content",
      (own) => own.options(toYargsOptions({ yes, ...textOrJson })),
      (values) => setAction(trustConfigFiles(values)),
    );
}

const help = {
  show: "each value and where it came from, secrets masked",
  path: "its file",
  schema: "its JSON Schema",
  init: "writes a commented starter file",
};

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
