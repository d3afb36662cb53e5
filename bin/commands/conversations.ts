import type { Argv } from "yargs";
import { conversations } from "../actions/conversations.ts";
import { pageOptions } from "../options.ts";
import { rows, type Take, textOrJson } from "./command-options.ts";

/** `duet conversations …` */
export function conversationsCommands(it: Argv, take: Take): Argv {
  return it
    .command(
      ["list", "$0"],
      "the last asked first",
      (list) => list.options(rows({ ...pageOptions, ...textOrJson })),
      (values) => take(conversations("list", values)),
    )
    .command(
      "show <id>",
      "what was asked and answered",
      (show) => show.positional("id", { type: "string", demandOption: true }).options(rows(textOrJson)),
      (values) => take(conversations("show", values)),
    )
    .command(
      "delete <ids..>",
      "removes conversations with their sources and traces",
      (remove) =>
        remove
          // Without it yargs keeps only the last of the IDs.
          .parserConfiguration({ "duplicate-arguments-array": true })
          .positional("ids", { type: "string", array: true, demandOption: true })
          .options(rows(textOrJson)),
      (values) => take(conversations("delete", values)),
    );
}
