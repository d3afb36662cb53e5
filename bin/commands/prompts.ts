import type { Argv } from "yargs";
import { load } from "../../src/cli/with-duet.ts";
import { readOutputFormat, toFlags, toOptionText, toTexts, type Values } from "../options.ts";
import { type Action, type SetAction, textOrJson, toYargsOptions } from "./command.ts";

export function addPromptsCommands(it: Argv, setAction: SetAction): Argv {
  return it
    .command(
      ["list", "$0"],
      "what each is used for, and which files replace it",
      (list) => list.options(toYargsOptions(textOrJson)),
      (values) => setAction(runPrompts("list", values)),
    )
    .command(
      "show <name>",
      "a prompt as the models in use get it, before its variables are filled in",
      (show) => show.positional("name", { type: "string", demandOption: true }).options(toYargsOptions(textOrJson)),
      (values) => setAction(runPrompts("show", values)),
    )
    .command(
      "export <folder> [names..]",
      "writes the built-in prompts, or those named, into a folder for prompts.directory; existing files stay",
      (own) =>
        own
          // Without it yargs keeps only the last of the names.
          .parserConfiguration({ "duplicate-arguments-array": true })
          .positional("folder", { type: "string", demandOption: true })
          .positional("names", { type: "string", array: true })
          .options(toYargsOptions(textOrJson)),
      (values) => setAction(runPrompts("export", values)),
    );
}

/** Lists, shows or exports prompts; nothing but the configuration is read. */
function runPrompts(action: "list" | "show" | "export", values: Values): Action {
  return async ({ console }) => {
    const config = await load(toFlags(values), console);
    const { listPrompts, showPrompt, exportPrompts } = await import("../../src/cli/prompts/prompts-command.ts");
    const write = (lines: string): void => void console.stdout.write(lines);
    const command = { config, output: readOutputFormat(values), write };
    if (action === "list") await listPrompts(command);
    else if (action === "show") await showPrompt(command, toOptionText(values.name) ?? "");
    else await exportPrompts(command, { folder: toOptionText(values.folder) ?? "", wanted: toTexts(values.names) });
    return 0;
  };
}
