import { load } from "../../src/cli/with-duet.ts";
import { readOutputFormat, toFlags, toOptionText, toTexts, type Values } from "../read-options.ts";
import { type Action, type CommandRow, textOrJson } from "./command.ts";

export const promptsCommand: CommandRow = {
  name: "prompts",
  help: { zh: "模型得到的提示词", en: "the prompts that the models get" },
  commands: [
    {
      name: "list",
      isDefault: true,
      help: { zh: "各自的用途，以及替换它的文件", en: "what each is used for, and which files replace it" },
      options: textOrJson,
      run: (values) => runPrompts("list", values),
    },
    {
      name: "show",
      help: {
        zh: "当前模型得到的一个提示词，变量尚未填入",
        en: "a prompt as the models in use get it, before its variables are filled in",
      },
      positionals: [{ name: "name", isRequired: true }],
      options: textOrJson,
      run: (values) => runPrompts("show", values),
    },
    {
      name: "export",
      help: {
        zh: "把内置的或指定的提示词写入一个文件夹，供 prompts.directory 使用；已有文件不动",
        en: "writes the built-in prompts, or those named, into a folder for prompts.directory; existing files stay",
      },
      positionals: [
        { name: "folder", isRequired: true, completes: "folder" },
        { name: "names", isRepeated: true },
      ],
      options: textOrJson,
      run: (values) => runPrompts("export", values),
    },
  ],
};

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
