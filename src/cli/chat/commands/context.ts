import { type ContextUse, contextParts } from "../../../agent/context/measure-context.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import { countCells, padCells } from "../../terminal/text/width.ts";
import type { ChatCommand } from "./chat-command.ts";

export const context: ChatCommand = {
  name: "/context",
  runsAtOnce: true,
  argument: "",
  help: {
    zh: "显示各模型的上下文窗口里有什么：提示词、工具、说明、历史、结果",
    en: "shows what fills each model's window: prompts, tools, instructions, history, results",
  },
  async run(chat, _argument, signal) {
    const { duet, settings, conversation, folderInstructions } = chat;
    const { mode, locale, models: changes } = settings;
    const models = await duet.models.open(changes);
    const { id: conversationId } = conversation;
    const uses = await duet.measureContext({ conversationId, mode, models, folderInstructions, locale, signal });
    chat.write(...uses.flatMap((use) => renderUse(use, locale)));
    return undefined;
  },
};

/** Renders the parts of one model's window, a line each, with their shares. All numbers are estimates. */
export function renderUse({ model, role, window, isAssumed, parts }: ContextUse, locale: Locale): Line[] {
  const used = contextParts.reduce((sum, part) => sum + parts[part], 0);
  const isEndless = !Number.isFinite(window);
  const size = isEndless ? say(locale, noWindow) : `${formatTokens(window)} tok`;
  const assumed = isAssumed && !isEndless ? say(locale, assumedText) : "";
  const rows = [
    ...contextParts.map((part) => [part, parts[part]] as const),
    ["free", Math.max(0, window - used)] as const,
  ];
  const names = rows.map(([part]) => say(locale, partNames[part]));
  const width = Math.max(...names.map(countCells));
  const sizes = rows.map(([, tokens]) => (Number.isFinite(tokens) ? formatTokens(tokens) : "∞"));
  const sizeWidth = Math.max(...sizes.map(({ length }) => length));
  const title: Line = [
    { text: model, styles: ["strong"] },
    { text: ` · ${say(locale, roleNames[role])} · ${size}${assumed}`, styles: ["dim"] },
  ];
  const lines = rows.map(([, tokens], index): Line => {
    const name = names[index] ?? "";
    const share = isEndless ? "" : `${((100 * tokens) / window).toFixed(1).padStart(5)} %`;
    const bar = isEndless ? "" : "█".repeat(Math.round((barWidth * tokens) / window));
    return [
      { text: `  ${padCells(name, width)}  ` },
      { text: `${(sizes[index] ?? "").padStart(sizeWidth)} tok ${share}` },
      { text: bar === "" ? "" : `  ${bar}`, styles: ["dim"] },
    ];
  });
  return [title, ...lines, ...(used > window ? [createLine(say(locale, tooMuch), "dim")] : [])];
}

const barWidth = 24;

function formatTokens(tokens: number): string {
  return tokens.toLocaleString("en");
}

const partNames: Record<(typeof contextParts)[number] | "free", Text> = {
  prompts: { zh: "提示词", en: "prompts" },
  tools: { zh: "工具", en: "tools" },
  instructions: { zh: "说明", en: "instructions" },
  history: { zh: "历史", en: "history" },
  results: { zh: "结果", en: "results" },
  free: { zh: "剩余", en: "free" },
};

const roleNames: Record<ContextUse["role"], Text> = {
  function_call: { zh: "选择工具", en: "picks tools" },
  answer: { zh: "写回答", en: "writes answers" },
  both: { zh: "选择工具并写回答", en: "picks tools and writes answers" },
};

const noWindow: Text = { zh: "没有窗口", en: "no window" };
const assumedText: Text = { zh: "（未知，按此估计）", en: " (not known, assumed)" };
const tooMuch: Text = {
  zh: "  超出窗口：下一个问题之前，较早的内容会被压缩。",
  en: "  More than the window: what is earlier is compressed before the next question.",
};
