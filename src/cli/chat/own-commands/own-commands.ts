import type { UnusedFile } from "../../../app/own-commands/find-command-files.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import type { Chat, OwnCommandList } from "../chat.ts";
import { type ChatCommand, findCommand } from "../commands/chat-command.ts";

/** Holds the commands of a chat as they were last read. */
export interface OwnCommands extends OwnCommandList {
  /** Returns a line for each file that cannot be used, once. */
  takeProblems(locale: Locale): string[];
}

export interface OwnCommandsOptions {
  chat(): Chat;
  /** Lists the names that are taken, with the slash. */
  taken: readonly string[];
}

/** Creates the list, which is empty before it is read for the first time. */
export function createOwnCommands({ chat, taken }: OwnCommandsOptions): OwnCommands {
  let files: readonly ChatCommand[] = [];
  let prompts: readonly ChatCommand[] = [];
  let unused: readonly UnusedFile[] = [];
  const reported = new Set<string>();

  async function readFiles(): Promise<ChatCommand[]> {
    const [{ findCommandFiles }, { createFileCommand }] = await Promise.all([
      import("../../../app/own-commands/find-command-files.ts"),
      import("./file-command.ts"),
    ]);
    const found = await findCommandFiles(chat().folder, chat().config.environment);
    const used = new Map<string, string>(taken.map((name) => [name, ""]));
    const collided: UnusedFile[] = [];
    const commands = found.commands.flatMap((command) => {
      const name = `/${command.name}`;
      const other = used.get(name);
      if (other !== undefined) collided.push({ file: command.file, reason: describeCollision(name, other) });
      else used.set(name, command.file);
      return other === undefined ? [createFileCommand(command)] : [];
    });
    unused = [...found.unused, ...collided];
    return commands;
  }

  async function readPrompts(signal: AbortSignal): Promise<ChatCommand[]> {
    const { listPromptCommands } = await import("./prompt-command.ts");
    return listPromptCommands(chat().duet.gateway(), signal);
  }

  async function reloadFiles(): Promise<void> {
    files = (await ignoreRejection(readFiles(), "its commands are then unknown")) ?? [];
  }

  async function reloadPrompts(signal: AbortSignal): Promise<void> {
    prompts = (await ignoreRejection(readPrompts(signal), "a question reports what is wrong with servers")) ?? [];
  }

  function listKnown(): readonly ChatCommand[] {
    const names = new Set([...taken, ...files.map(({ name }) => name)]);
    return [...files, ...prompts.filter(({ name }) => !names.has(name))];
  }

  return {
    get known() {
      return listKnown();
    },
    async reload(signal) {
      // The files are there at once; a server may take its time.
      await reloadFiles();
      await reloadPrompts(signal);
    },
    async run(name, argument, signal) {
      await reloadFiles();
      signal.throwIfAborted();
      // Only a name with `__` can be that of a server's prompt.
      if (findCommand(name, files) === undefined && name.includes("__")) await reloadPrompts(signal);
      signal.throwIfAborted();
      const command = findCommand(name, listKnown());
      if (command === undefined) return false;
      await command.run(chat(), argument, signal);
      return true;
    },
    takeProblems(locale) {
      const lines = unused.map(({ file, reason }) => {
        const [shown, why] = [sanitizeLine(file), sanitizeLine(say(locale, reason))];
        return say(locale, {
          zh: `⚠ 未使用命令文件 ${shown}：${why}`,
          en: `⚠ ${shown}: not used as a command, ${why}`,
        });
      });
      const news = lines.filter((line) => !reported.has(line));
      for (const line of news) reported.add(line);
      return news;
    },
  };
}

function describeCollision(name: string, other: string): Text {
  if (other === "") return { zh: `${name} 是 Duet 自己的命令`, en: `${name} is a command of Duet's own` };
  return { zh: `${name} 已由 ${other} 定义`, en: `${name} is already defined by ${other}` };
}
