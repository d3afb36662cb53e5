import { writeLine } from "../../src/cli/console.ts";
import { sanitizeLine } from "../../src/kit/text/sanitize.ts";
import { readOutputFormat, toFlags, type Values } from "../read-options.ts";
import { type Action, type CommandRow, textOrJson, yes } from "./command.ts";

const help = {
  show: { zh: "每个值和它的来源，密钥遮住", en: "each value and where it came from, secrets masked" },
  path: { zh: "配置文件的位置", en: "its file" },
  schema: { zh: "配置文件的 JSON Schema", en: "its JSON Schema" },
  init: { zh: "写一个带注释的初始文件", en: "writes a commented starter file" },
};

export const configCommand: CommandRow = {
  name: "config",
  help: { zh: "生效的配置", en: "the effective configuration" },
  commands: [
    ...(["show", "path", "schema", "init"] as const).map(
      (name): CommandRow => ({
        name,
        isDefault: name === "show",
        help: help[name],
        options: textOrJson,
        run: (values) => runConfig(name, values),
      }),
    ),
    {
      name: "trust",
      help: {
        zh: "显示在 git 工作树中找到的配置会启动什么，并信任它的内容",
        en: "shows what a configuration found in a git work tree would start, and trusts its content",
      },
      options: { yes, ...textOrJson },
      run: trustConfigFiles,
    },
  ],
};

/** Shows the configuration in force, or writes a starter file. */
function runConfig(action: "show" | "path" | "schema" | "init", values: Values): Action {
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
function trustConfigFiles(values: Values): Action {
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
