import type { Argv } from "yargs";
import { withStore } from "../../src/cli/with-duet.ts";
import { pageOptions, readOutputFormat, readPage, toFlags, toOptionText, toTexts, type Values } from "../options.ts";
import { type Action, type SetAction, textOrJson, toYargsOptions } from "./command.ts";

export function addConversationsCommands(it: Argv, setAction: SetAction): Argv {
  return it
    .command(
      ["list", "$0"],
      "lists them, the latest first",
      (list) => list.options(toYargsOptions({ ...pageOptions, ...textOrJson })),
      (values) => setAction(runConversations("list", values)),
    )
    .command(
      "show <id>",
      "what was asked and answered",
      (show) => show.positional("id", { type: "string", demandOption: true }).options(toYargsOptions(textOrJson)),
      (values) => setAction(runConversations("show", values)),
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
      (values) => setAction(runConversations("delete", values)),
    );
}

/** Shows the trace of a run; nothing but the store is opened. */
export function showTrace(values: Values): Action {
  return (context) =>
    withStore(toFlags(values), context, async ({ store, config: { locale, agent, conversations }, console }) => {
      const { runTrace } = await import("../../src/cli/trace/trace-command.ts");
      const isKept = conversations.store !== "memory";
      const options = { store, isKept, console, locale, output: readOutputFormat(values), verbose: agent.verbose };
      return runTrace(options, toOptionText(values.run));
    });
}

/** Lists, shows or deletes conversations; nothing but the store is opened. */
function runConversations(action: "list" | "show" | "delete", values: Values): Action {
  const page = readPage(values);
  return (context) =>
    withStore(toFlags(values), context, async ({ store, config, console }) => {
      const command = await import("../../src/cli/conversations/conversations-command.ts");
      const isKept = config.conversations.store !== "memory";
      const options = { store, isKept, console, locale: config.locale, output: readOutputFormat(values) };
      if (action === "list") return command.listConversations(options, page);
      if (action === "show") return command.showConversation(options, toOptionText(values.id) ?? "");
      return command.deleteConversations(options, toTexts(values.ids));
    });
}
