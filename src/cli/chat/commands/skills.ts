import { say } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import type { ChatCommand } from "./chat-command.ts";

export const skills: ChatCommand = {
  name: "/skills",
  runsAtOnce: true,
  argument: "",
  help: {
    zh: "列出模型可以使用的技能（tools.directory 中的 SKILL.md）",
    en: "lists the skills that the models may use (SKILL.md in tools.directory)",
  },
  async run({ duet, settings: { locale }, write }, _argument, signal) {
    const { tools } = await duet.inventory(signal, 0);
    // The tool that reads skills names each of them in a line of its description.
    const { description = "" } = tools.find(({ name, source }) => name === "skill" && source === "skills") ?? {};
    const lines = description.split("\n").filter((line) => line.startsWith("- "));
    if (lines.length === 0)
      write(
        say(locale, {
          zh: "没有技能。技能是 tools.directory 中带有 SKILL.md 的文件夹。",
          en: "There are no skills. A skill is a folder in tools.directory with a SKILL.md.",
        }),
      );
    write(...lines.map((line) => `  ${sanitizeLine(line.slice(2))}`));
    return undefined;
  },
};
