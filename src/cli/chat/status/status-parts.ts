import { isAbsolute, relative } from "node:path";
import type { StatusPart } from "../../../core/status-parts.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { toCallName } from "../../../render/event-lines.ts";
import { type KnownCost, renderDollars } from "../../../render/known-cost.ts";
import { describeSearchChoice, modeNames } from "../../../render/mode-names.ts";
import type { ChatSettings } from "../chat.ts";
import { renderSwitch, switchStates } from "../settings/search-switch.ts";

/** Holds what the status line tells. What is not known yet is undefined. */
export interface StatusFacts {
  settings: ChatSettings;
  /** Is `functionCall → answer`, and empty while they are not known. */
  models: string;
  context: ContextFill | undefined;
  tokens: number;
  cost: KnownCost;
  folder: string;
  /** Is the user's home, which `~` stands for. */
  home: string;
  branch: string | undefined;
  /** Lists the tools that run now. */
  tools: readonly string[];
}

/** Holds what the next request of the fuller model begins with, and the size of its window, in tokens. */
export interface ContextFill {
  used: number;
  window: number;
}

interface PartRow {
  name: Text;
  /** Orders the parts by what a narrow screen leaves out: the lowest first. */
  rank: number;
  /** Renders the part for the line; undefined where there is nothing to tell. */
  render(facts: StatusFacts, locale: Locale): string | undefined;
  /** Renders it in full for `/status`, where that says more. */
  renderWhole?(facts: StatusFacts, locale: Locale): string | undefined;
}

/** Limits one part, in UTF-16 units. */
const longestPart = 60;

export const statusRows: Readonly<Record<StatusPart, PartRow>> = {
  tools: {
    name: { zh: "正在运行的工具", en: "Running tools" },
    rank: 9,
    render: ({ tools: [first, ...others] }, locale) => {
      if (first === undefined) return undefined;
      return `🔧 ${toShortLine(toCallName(first, locale), longestPart)}${others.length > 0 ? ` +${others.length}` : ""}`;
    },
    renderWhole: ({ tools }) => (tools.length === 0 ? undefined : toShortLine(tools.join(", "), 400)),
  },
  mode: {
    name: { zh: "模式", en: "Mode" },
    rank: 2,
    render: ({ settings: { mode } }, locale) => say(locale, modeNames[mode]),
  },
  models: {
    name: { zh: "模型", en: "Models" },
    rank: 7,
    render: ({ models }) => models || undefined,
  },
  context: {
    name: { zh: "上下文", en: "Context" },
    rank: 8,
    render: ({ context }, locale) => {
      if (context === undefined || !Number.isFinite(context.window)) return undefined;
      return say(locale, { zh: `上下文 ${toShare(context)}`, en: `context ${toShare(context)}` });
    },
    renderWhole: ({ context }, locale) => {
      if (context === undefined || !Number.isFinite(context.window)) return undefined;
      const [used, window] = [context.used.toLocaleString("en"), context.window.toLocaleString("en")];
      return say(locale, {
        zh: `${window} 个 token 的窗口用了约 ${used} 个（${toShare(context)}）；/context 列出各部分`,
        en: `about ${used} of ${window} tokens (${toShare(context)}); /context lists the parts`,
      });
    },
  },
  tokens: {
    name: { zh: "本次聊天的 token", en: "Tokens of this chat" },
    rank: 5,
    render: ({ tokens }) => (tokens === 0 ? undefined : `${formatTokens(tokens)} tok`),
    renderWhole: ({ tokens }) => tokens.toLocaleString("en"),
  },
  cost: {
    name: { zh: "本次聊天的费用", en: "Cost of this chat" },
    rank: 6,
    render: ({ cost: { usd, isWhole }, tokens }) => {
      if (tokens === 0 || (usd === 0 && !isWhole)) return undefined;
      return `${isWhole ? "" : "≥ "}${renderDollars(usd)}`;
    },
    renderWhole: ({ cost: { usd, isWhole } }, locale) => {
      const known = renderDollars(usd);
      if (isWhole) return known;
      if (usd === 0) return say(locale, unknownCost);
      return say(locale, { zh: `至少 ${known}（部分价格未知）`, en: `at least ${known} (some prices are not known)` });
    },
  },
  folder: {
    name: { zh: "文件夹", en: "Folder" },
    rank: 4,
    render: ({ folder, home }) => toShortLine(toLastFolders(toHomePath(folder, home)), longestPart),
    renderWhole: ({ folder, home }) => toShortLine(toHomePath(folder, home), 400),
  },
  branch: {
    name: { zh: "Git 分支", en: "Git branch" },
    rank: 3,
    render: ({ branch }) => (branch === undefined ? undefined : `⎇ ${toShortLine(branch, longestPart)}`),
    renderWhole: ({ branch }) => (branch === undefined ? undefined : toShortLine(branch, 400)),
  },
  search: {
    name: { zh: "联网搜索", en: "Web search" },
    rank: 1,
    render: ({ settings }, locale) =>
      settings.mode === "chat" ? renderSwitch(settings) : describeSearchChoice(settings.mode, locale),
    renderWhole: ({ settings: { mode, search } }, locale) =>
      mode === "chat" ? say(locale, switchStates[search.on ? "on" : "off"]) : describeSearchChoice(mode, locale),
  },
  help: { name: { zh: "帮助", en: "Help" }, rank: 0, render: () => "/help" },
};

const unknownCost: Text = { zh: "未知（所用模型的价格未知）", en: "unknown (the prices of its models are not known)" };

function toShare({ used, window }: ContextFill): string {
  return `${Math.round((100 * used) / window)} %`;
}

/** Returns the number with at most four characters and its unit: 950, 12.3k, 1.2M. */
export function formatTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  const [value, unit] = tokens < 999_500 ? [tokens / 1_000, "k"] : [tokens / 1_000_000, "M"];
  return `${value < 99.95 ? value.toFixed(1) : Math.round(value)}${unit}`;
}

function toHomePath(folder: string, home: string): string {
  const inside = relative(home, folder);
  if (inside === "") return "~";
  return inside.startsWith("..") || isAbsolute(inside) ? folder : `~/${inside}`;
}

/** Leaves the last two folders of a longer path. */
function toLastFolders(path: string): string {
  const [, head = "", tail = ""] = /^(.*[/\\])([^/\\]+[/\\][^/\\]+)$/.exec(path) ?? [];
  return head.length > "~/".length ? `…/${tail}` : path;
}
