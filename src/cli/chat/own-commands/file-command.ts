import {
  type CommandFile,
  fillArguments,
  toModelChanges,
  untrustedCommandError,
} from "../../../app/own-commands/command-file.ts";
import { makeTextVisible } from "../../../client/trust/hidden-characters.ts";
import { isTrusted, readTrusted, trustFiles } from "../../../config/trust/trusted-files.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../../kit/text/sanitize.ts";
import { pickOne } from "../../questions/pick-one.ts";
import type { Chat } from "../chat.ts";
import type { ChatCommand } from "../commands/chat-command.ts";

/** Creates the command of a file: it asks what the file says, with the arguments put in. */
export function createFileCommand(command: CommandFile): ChatCommand {
  const { name, description, argumentHint, isFromProject } = command;
  const from: Text = isFromProject ? { zh: "（项目）", en: " (project)" } : { zh: "（自己的）", en: " (yours)" };
  // The description of a file that nobody has trusted says what somebody else wants to be read.
  const help: Text = { zh: `${description}${from.zh}`, en: `${description}${from.en}` };
  return {
    name: `/${name}`,
    argument: argumentHint || "[ARGUMENTS]",
    help,
    async run(chat, argument, signal) {
      if (isFromProject && !(await isAccepted(command, chat, signal))) return undefined;
      signal.throwIfAborted();
      const { mode, tools, body } = command;
      const models = toModelChanges(command);
      await chat.ask(fillArguments(body, argument), mode ?? chat.settings.mode, {
        ...(tools && { tools }),
        ...(models && { models }),
      });
      return undefined;
    },
  };
}

/** Is true where a person trusts exactly this text at this place. They are asked when the command is used for the first time. */
async function isAccepted({ file, text, name }: CommandFile, chat: Chat, signal: AbortSignal): Promise<boolean> {
  const { config, reader, settings, write } = chat;
  const { locale } = settings;
  if (isTrusted(await readTrusted(config.home, "commands"), file, text)) return true;
  const shown = sanitizeLine(file);
  if (reader === undefined) throw untrustedCommandError(name, file);
  const title = say(locale, {
    zh: `使用 ${shown} 吗？它可能来自他人。`,
    en: `Use ${shown}? It may come from somebody else.`,
  });
  for (;;) {
    const choices = trustChoices.map(({ value, label, words }) => ({ value, label: say(locale, label), words }));
    const choice = await pickOne(reader, { title, choices }, signal);
    if (choice === "show") {
      write(sanitize(makeTextVisible(text.trimEnd())));
      continue;
    }
    if (choice !== "yes") {
      write(say(locale, { zh: `没有执行 /${name}。`, en: `/${name} was not run.` }));
      return false;
    }
    await trustFiles([{ file, text }], config.home, "commands");
    return true;
  }
}

const trustChoices: readonly { value: "yes" | "no" | "show"; label: Text; words: string[] }[] = [
  { value: "yes", label: { zh: "是，记住这个内容", en: "Yes, and remember this content" }, words: ["y", "yes", "是"] },
  { value: "no", label: { zh: "否", en: "No" }, words: ["n", "no", "否"] },
  { value: "show", label: { zh: "先看内容", en: "Show it first" }, words: ["s", "show", "看"] },
];
