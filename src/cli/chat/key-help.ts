import type { Text } from "../../kit/locale.ts";

/** What keys do at a terminal, as help shows it. */
export const keyHelp: readonly { keys: string; help: Text }[] = [
  {
    keys: "Enter",
    help: { zh: "发送；回答进行中输入的内容会排队", en: "sends; what is sent while an answer streams waits" },
  },
  {
    keys: "Shift+Enter, Ctrl-J, \\",
    help: { zh: "换行（\\ 在行末）", en: "begins a new line (\\ at the end of one)" },
  },
  {
    keys: "Up, Down, Ctrl-R",
    help: { zh: "翻阅与搜索输入历史", en: "walk through what was typed before, and search it" },
  },
  { keys: "Tab", help: { zh: "补全命令、参数与文件", en: "completes commands, arguments and files" } },
  { keys: "@FILE", help: { zh: "附上一个文件", en: "attaches a file" } },
  { keys: "Ctrl-O", help: { zh: "展开上一次运行的步骤", en: "opens the steps of the last run" } },
  { keys: "Esc, Ctrl-C", help: { zh: "停止正在进行的运行，保留已有内容", en: "stop the run, and keep what there is" } },
  { keys: "Ctrl-C Ctrl-C, Ctrl-D", help: { zh: "退出", en: "leave" } },
];
