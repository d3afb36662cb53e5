import type { Argv } from "yargs";
import { config, trustConfig } from "../actions/config.ts";
import { rows, type Take, textOrJson, yes } from "./command-options.ts";

/** `duet config …` */
export function configCommands(it: Argv, take: Take): Argv {
  return (["show", "path", "schema", "init"] as const)
    .reduce(
      (command, name) =>
        command.command(
          name === "show" ? [name, "$0"] : name,
          help[name],
          (own) => own.options(rows(textOrJson)),
          (values) => take(config(name, values)),
        ),
      it,
    )
    .command(
      "trust",
      "shows what a configuration found in a git work tree would start, and trusts its content",
      (own) => own.options(rows({ yes, ...textOrJson })),
      (values) => take(trustConfig(values)),
    );
}

const help = {
  show: "each value and where it came from, secrets masked",
  path: "its file",
  schema: "its JSON Schema",
  init: "writes a commented starter file",
};
