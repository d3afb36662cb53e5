import type { Locale, Text } from "../core/locale.ts";
import { say } from "../core/locale.ts";
import type { Mode } from "../core/outcome.ts";
import { flipSwitch, type SearchSwitch, switchLine } from "./search-switch.ts";

/** What commands may read and change of a chat. */
export interface ChatState {
  readonly locale: Locale;
  mode: Mode;
  readonly search: SearchSwitch;
  /** Begins a new conversation. */
  clear(): void;
  write(line: string): void;
}

export interface ChatCommand {
  name: string;
  usage: string;
  help: Text;
  /** Gives "exit" to end the chat. */
  run(state: ChatState, argument: string): "exit" | undefined;
}

export const modeNames: Record<ChatState["mode"], Text> = {
  chat: { zh: "Chat 模式", en: "Chat mode" },
  agent: { zh: "Agent 模式", en: "Agent mode" },
  plan: { zh: "Plan 模式", en: "Plan mode" },
};

export const modeHelp: Record<ChatState["mode"], Text> = {
  chat: { zh: "常规对话,可手动启用联网搜索", en: "plain conversation; web search can be switched on by hand" },
  agent: {
    zh: "智能助手,自动决策是否需要联网搜索",
    en: "an assistant that decides by itself whether to search the web",
  },
  plan: {
    zh: "先规划后执行，计划由你确认",
    en: "plans first, then acts; you confirm the plan",
  },
};

const modes = ["chat", "agent", "plan"] as const;

export const chatCommands: readonly ChatCommand[] = [
  {
    name: "/help",
    usage: "/help",
    help: { zh: "显示这份帮助", en: "shows this help" },
    run(state) {
      for (const { usage, help } of chatCommands) state.write(`  ${usage.padEnd(22)} ${say(state.locale, help)}`);
      for (const mode of modes)
        state.write(`  ${say(state.locale, modeNames[mode])}: ${say(state.locale, modeHelp[mode])}`);
      return undefined;
    },
  },
  {
    name: "/mode",
    usage: "/mode chat|agent|plan",
    help: { zh: "切换对话模式（会清除对话历史）", en: "switches the mode (and begins a new conversation)" },
    run(state, argument) {
      const mode = modes.find((known) => known === argument);
      if (mode === undefined) {
        const wrong =
          argument === "" ? "" : say(state.locale, { zh: `没有 "${argument}" 模式。`, en: `No mode "${argument}". ` });
        state.write(wrong + say(state.locale, { zh: "可选：chat、agent、plan。", en: "Allowed: chat, agent, plan." }));
        return undefined;
      }
      state.mode = mode;
      state.clear();
      const name = say(state.locale, modeNames[mode]);
      state.write(
        say(state.locale, {
          zh: `已切换到 ${name}，对话历史已清除。`,
          en: `Switched to ${name}; the history is cleared.`,
        }),
      );
      state.write(switchLine(state));
      return undefined;
    },
  },
  {
    name: "/search",
    usage: "/search on|off",
    help: { zh: "开关联网搜索（仅 Chat 模式）", en: "switches web search on or off (chat mode only)" },
    run(state, argument) {
      state.write(flipSwitch(state, argument));
      return undefined;
    },
  },
  {
    name: "/clear",
    usage: "/clear",
    help: { zh: "清除对话历史", en: "begins a new conversation" },
    run(state) {
      state.clear();
      state.write(say(state.locale, { zh: "对话历史已清除。", en: "The history is cleared." }));
      return undefined;
    },
  },
  {
    name: "/exit",
    usage: "/exit",
    help: { zh: "退出（也可以按 Ctrl-D）", en: "leaves (so does Ctrl-D)" },
    run: () => "exit",
  },
];

/** Runs a line that begins with `/`; an unknown command is answered with the ones there are. */
export function runCommand(line: string, state: ChatState): "exit" | undefined {
  const [name = "", ...rest] = line.trim().split(/\s+/);
  const command = chatCommands.find((known) => known.name === name.toLowerCase());
  if (command) return command.run(state, rest.join(" "));
  const names = chatCommands.map((known) => known.name).join(" ");
  state.write(
    say(state.locale, { zh: `没有 ${name} 命令。可用：${names}`, en: `There is no ${name}. Commands: ${names}` }),
  );
  return undefined;
}
