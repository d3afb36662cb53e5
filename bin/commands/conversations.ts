import type { Argv } from "yargs";
import { withStore } from "../../src/cli/with-duet.ts";
import {
  pageOptions,
  pruneOptions,
  readOutputFormat,
  readPage,
  toFlags,
  toOptionText,
  toTexts,
  type Values,
} from "../options.ts";
import { type Action, type SetAction, textOrJson, toYargsOptions } from "./command.ts";

/** Lists the commands that take several IDs, each with its help. */
const commandsWithIds = [
  ["delete", "removes conversations with their sources and traces"],
  ["pin", "keeps conversations whatever store.keepDays and store.maxSize say"],
  ["unpin", "takes the pins away"],
] as const;

export function addConversationsCommands(it: Argv, setAction: SetAction): Argv {
  const shown = it
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
    );
  return addCommandsWithIds(shown, setAction)
    .command(
      "name <id> <name>",
      'names a conversation, which is then kept like a pinned one; "" takes the name back',
      (name) =>
        name
          .positional("id", { type: "string", demandOption: true })
          .positional("name", { type: "string", demandOption: true })
          .options(toYargsOptions(textOrJson)),
      (values) => setAction(runConversations("name", values)),
    )
    .command(
      "prune",
      "removes what store.keepDays and store.maxSize do not allow, now",
      (prune) => prune.options(toYargsOptions({ ...pruneOptions, ...textOrJson })),
      (values) => setAction(runPrune(values)),
    );
}

function addCommandsWithIds(it: Argv, setAction: SetAction): Argv {
  for (const [action, help] of commandsWithIds)
    it.command(
      `${action} <ids..>`,
      help,
      (command) => addIds(command).options(toYargsOptions(textOrJson)),
      (values) => setAction(runConversations(action, values)),
    );
  return it;
}

function addIds(it: Argv): Argv {
  return (
    it
      // Without it yargs keeps only the last of the IDs.
      .parserConfiguration({ "duplicate-arguments-array": true })
      .positional("ids", { type: "string", array: true, demandOption: true })
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

/** Removes old conversations now, or lists them; nothing but the store is opened. */
function runPrune(values: Values): Action {
  return (context) =>
    withStore(toFlags(values), context, async ({ retention, config: { locale }, console, signal }) => {
      if (retention === undefined) return 0;
      const { pruneConversations } = await import("../../src/cli/conversations/prune-command.ts");
      const isDryRun = values["dry-run"] === true;
      return pruneConversations({ retention, console, locale, output: readOutputFormat(values), isDryRun, signal });
    });
}

/** Lists, shows or changes conversations; nothing but the store is opened. */
function runConversations(action: "list" | "show" | "delete" | "pin" | "unpin" | "name", values: Values): Action {
  const page = readPage(values);
  return (context) =>
    withStore(toFlags(values), context, async ({ store, config, console }) => {
      const command = await import("../../src/cli/conversations/conversations-command.ts");
      const isKept = config.conversations.store !== "memory";
      const options = { store, isKept, console, locale: config.locale, output: readOutputFormat(values) };
      if (action === "list") return command.listConversations(options, page);
      const id = toOptionText(values.id) ?? "";
      if (action === "show") return command.showConversation(options, id);
      if (action === "name") return command.renameConversation(options, { id, name: toOptionText(values.name) ?? "" });
      if (action !== "delete")
        return command.pinConversations(options, { ids: toTexts(values.ids), isPinned: action === "pin" });
      return command.deleteConversations(options, toTexts(values.ids));
    });
}
