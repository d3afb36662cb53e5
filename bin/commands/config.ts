import type { Argv } from "yargs";
import { runConfig, trustConfigFiles } from "../actions/config.ts";
import { type SetAction, textOrJson, toYargsOptions, yes } from "./command-options.ts";

export function addConfigCommands(it: Argv, take: SetAction): Argv {
  return (["show", "path", "schema", "init"] as const)
    .reduce(
      (command, name) =>
        command.command(
          name === "show" ? [name, "$0"] : name,
          help[name],
          (own) => own.options(toYargsOptions(textOrJson)),
          (values) => take(runConfig(name, values)),
        ),
      it,
    )
    .command(
      "trust",
      "shows what a configuration found in a git work tree would start, and trusts its content",
      (own) => own.options(toYargsOptions({ yes, ...textOrJson })),
      (values) => take(trustConfigFiles(values)),
    );
}

const help = {
  show: "each value and where it came from, secrets masked",
  path: "its file",
  schema: "its JSON Schema",
  init: "writes a commented starter file",
};
