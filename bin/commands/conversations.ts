import type { Argv } from "yargs";
import { runConversations } from "../actions/conversations.ts";
import { pageOptions } from "../options.ts";
import { type SetAction, textOrJson, toYargsOptions } from "./command-options.ts";

export function addConversationsCommands(it: Argv, take: SetAction): Argv {
  return it
    .command(
      ["list", "$0"],
      "lists them, the latest first",
      (list) => list.options(toYargsOptions({ ...pageOptions, ...textOrJson })),
      (values) => take(runConversations("list", values)),
    )
    .command(
      "show <id>",
      "what was asked and answered",
      (show) => show.positional("id", { type: "string", demandOption: true }).options(toYargsOptions(textOrJson)),
      (values) => take(runConversations("show", values)),
    )
    .command(
      "delete <ids..>",
      "removes conversations with their sources and traces",
      (remove) =>
        remove
          // Without it yargs keeps only the last of the IDs.
          .parserConfiguration({ "duplicate-arguments-array": true })
          .positional("ids", { type: "string", array: true, demandOption: true })
          .options(toYargsOptions(textOrJson)),
      (values) => take(runConversations("delete", values)),
    );
}
