import { say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { modeHelp, modeNames, modes } from "../../../render/mode-names.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import { padCells } from "../../terminal/text/width.ts";
import type { Chat } from "../chat.ts";
import {
  type ChatCommand,
  type CommandGroup,
  commandError,
  findCommand,
  listNames,
  renderUsage,
} from "./chat-command.ts";

/** `groups` is called when help is shown, because the help command is itself in one of them. */
export function createHelp(groups: () => readonly CommandGroup[]): ChatCommand {
  return {
    name: "/help",
    runsAtOnce: true,
    argument: "[COMMAND]",
    help: { zh: "显示帮助，或一个命令的用法", en: "shows this help, or the usage of one command" },
    complete: async ({ settings: { locale }, ownCommands }) =>
      [...groups().flatMap(({ commands }) => commands), ...ownCommands.known].map(({ name, help }) => ({
        text: name.slice(1),
        help: say(locale, help),
      })),
    run(chat, argument) {
      chat.write(...(argument === "" ? renderAll(groups(), chat) : renderCommandHelp(argument, groups(), chat)));
      return undefined;
    },
  };
}

/** Sets the width that the usage of most commands needs, in columns. A longer usage only shifts its own row. */
const usageWidth = 23;

function renderAll(groups: readonly CommandGroup[], { settings: { locale }, reader, ownCommands }: Chat): Line[] {
  const ownGroup = { title: { zh: "自己的命令", en: "Your own commands" }, commands: ownCommands.known };
  const all = ownCommands.known.length === 0 ? groups : [...groups, ownGroup];
  const ofGroups = all.flatMap(({ title, commands }) => [
    createLine(say(locale, title), "heading"),
    ...commands.map((command) => createRow(padCells(renderUsage(command), usageWidth), say(locale, command.help))),
  ]);
  return [...ofGroups, ...renderModes(locale), ...(reader ? renderKeys(locale) : [])];
}

/** Explains how the modes differ and how to switch (docs/development/model-invocation.md#帮助命令更新). */
function renderModes(locale: Chat["settings"]["locale"]): Line[] {
  return [
    createLine(say(locale, { zh: "模式的区别", en: "How the modes differ" }), "heading"),
    ...modes.map((mode): Line => {
      const name = say(locale, modeNames[mode]);
      const { zh, en } = modeHelp[mode];
      return [{ text: `  ${name}`, styles: ["accent"] }, { text: say(locale, { zh: `：${zh}`, en: `: ${en}` }) }];
    }),
    createLine(
      say(locale, {
        zh: "  用 /mode 选择模式，或直接输入 /mode chat、/mode agent、/mode plan；/search on 只在 Chat 模式下有效。",
        en: "  Choose one with /mode, or type /mode chat, /mode agent or /mode plan; /search on works in chat mode only.",
      }),
    ),
  ];
}

function renderKeys(locale: Chat["settings"]["locale"]): Line[] {
  const width = Math.max(...keyHelp.map(({ keys }) => keys.length));
  return [
    createLine(say(locale, { zh: "按键", en: "Keys" }), "heading"),
    ...keyHelp.map(({ keys, help }) => createRow(keys.padEnd(width), say(locale, help))),
  ];
}

function createRow(name: string, help: string): Line {
  return [{ text: `  ${name}`, styles: ["accent"] }, { text: `  ${help}` }];
}

function renderCommandHelp(
  argument: string,
  groups: readonly CommandGroup[],
  { settings: { locale }, ownCommands }: Chat,
): Line[] {
  const command = findCommand(argument, [...groups.flatMap(({ commands }) => commands), ...ownCommands.known]);
  if (command === undefined) {
    const shown = toShortLine(argument, 40);
    throw commandError(
      { zh: `没有 "${shown}" 命令`, en: `Unknown command "${shown}"` },
      { zh: "/help 列出全部命令。", en: "/help lists them." },
    );
  }
  const others = listNames(command).slice(1).join(" ");
  const also = others === "" ? [] : [createLine(say(locale, { zh: `  也可写作 ${others}`, en: `  also ${others}` }))];
  return [createRow(renderUsage(command), say(locale, command.help)), ...also];
}

/** Lists what keys do at a terminal, as help shows it. */
const keyHelp: readonly { keys: string; help: Text }[] = [
  {
    keys: "Enter",
    help: {
      zh: "发送；运行进行中的内容在下一步转达，已在书写回答时留到运行之后",
      en: "sends; during a run it is passed on at the next step, or asked afterwards once the answer is being written",
    },
  },
  {
    keys: "Shift+Enter, Ctrl-J, \\",
    help: { zh: "换行（\\ 在行末）", en: "starts a new line (or \\ at the end of a line)" },
  },
  {
    keys: "Up, Down, Ctrl-R",
    help: { zh: "翻阅与搜索输入历史", en: "browse and search the input history" },
  },
  {
    keys: "Tab",
    help: {
      zh: "补全命令、参数与文件；运行进行中把内容留到运行之后",
      en: "completes commands, arguments and files; during a run it leaves a text for after the run",
    },
  },
  {
    keys: "Ctrl-G",
    help: { zh: "达到限制后继续；切换后保留历史", en: "goes on after a limit; keeps the history after a switch" },
  },
  {
    keys: "@FILE",
    help: {
      zh: "附上一个文件；粘贴或拖入图片、文档也可以",
      en: "attaches a file; so does pasting or dropping an image or a document",
    },
  },
  {
    keys: "!COMMAND",
    help: {
      zh: "在当前文件夹运行命令，输出随下一个问题发给模型",
      en: "runs a command in this folder; its output goes along with your next question",
    },
  },
  { keys: "Ctrl-X", help: { zh: "用 $VISUAL 或 $EDITOR 编辑输入", en: "opens the input in $VISUAL or $EDITOR" } },
  { keys: "Ctrl-O", help: { zh: "展开上一次运行的步骤", en: "shows the steps of the last run" } },
  {
    keys: "Esc, Ctrl-C",
    help: { zh: "停止正在进行的运行，保留已有内容", en: "stop the run and keep the partial answer" },
  },
  { keys: "Ctrl-C Ctrl-C, Ctrl-D", help: { zh: "退出", en: "leave" } },
];

export const exit: ChatCommand = {
  name: "/exit",
  runsAtOnce: true,
  aliases: ["/quit"],
  argument: "",
  help: { zh: "退出（也可以按 Ctrl-D）", en: "exits (so does Ctrl-D)" },
  run: () => "exit",
};
