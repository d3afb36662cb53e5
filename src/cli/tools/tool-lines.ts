import type { Duet } from "../../app/duet.ts";
import type { Inventory } from "../../app/tools/tool-inventory.ts";
import { getOwnName } from "../../core/tools/own-name.ts";
import type { Tool } from "../../core/tools/tool.ts";
import { toErrorReport } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { renderError } from "../../render/event-lines.ts";
import { countCells, padCells } from "../terminal/text/width.ts";
import { describeHealth } from "./server-health.ts";

/** Renders every tool by its source, with the source's state and token weight, then what was left out. */
export function* renderTools(inventory: Inventory, weights: ToolWeights, locale: Locale): Generator<string> {
  for (const source of listSources(inventory)) yield* renderSource(source, inventory, weights, locale);
  const offered = renderWeight(weights, locale);
  if (offered) yield offered;
  const unwanted = inventory.dropped.filter(({ reason }) => reason === "not-allowed").length;
  for (const { text, reason } of inventory.dropped) if (reason !== "not-allowed") yield `✗ ${say(locale, text)}`;
  if (unwanted > 0)
    yield say(locale, {
      zh: `– tools.allow 不包括另外 ${unwanted} 个`,
      en: `– tools.allow excludes ${unwanted} more`,
    });
}

/** Lists the built-in source first, then every server, including those without tools. */
export function listSources({ tools, servers }: Inventory): string[] {
  return [...new Set(["builtin", ...servers.map(({ name }) => name), ...tools.map(({ source }) => source)])];
}

/** Limits the column of names, in cells. A longer name only shifts its own row. */
const widestName = 40;

/** Renders the tools of one source below a heading that does not begin with a space. */
export function* renderSource(
  source: string,
  { tools, servers }: Inventory,
  weights: ToolWeights,
  locale: Locale,
): Generator<string> {
  const own = tools.filter((tool) => tool.source === source);
  const state = servers.find(({ name }) => name === source);
  const weight = weights.of(own);
  const tokens = say(locale, { zh: `约 ${weight} token`, en: `about ${weight} tokens` });
  const count = say(locale, { zh: `${own.length} 个工具`, en: own.length === 1 ? "1 tool" : `${own.length} tools` });
  const facts = [source, say(locale, stateNames[state?.state ?? "ready"]), ...(own.length > 0 ? [count, tokens] : [])];
  yield facts.join(" · ");
  if (state?.error) yield `  ${renderError(toErrorReport(state.error, locale))}`;
  for (const problem of state?.problems ?? []) yield `  ✗ ${say(locale, problem)}`;
  for (const fact of state ? describeHealth(state) : []) yield `  ⚠ ${sanitizeLine(say(locale, fact))}`;
  const names = own.map((tool) => [tool.name, getOwnName(tool)].filter(Boolean).join(" = "));
  const width = Math.min(widestName, Math.max(0, ...names.map(countCells)));
  for (const [index, { description }] of own.entries()) {
    const name = padCells(names[index] ?? "", width);
    yield `  ${name} ${truncate(sanitizeLine(description), 100)}`;
  }
}

const stateNames: Record<Inventory["servers"][number]["state"], Text> = {
  idle: { zh: "未启动", en: "idle" },
  starting: { zh: "启动中", en: "starting" },
  ready: { zh: "就绪", en: "ready" },
  failed: { zh: "失败", en: "failed" },
  closed: { zh: "已关闭", en: "closed" },
};

/** Estimates the tokens that tools add to each request. */
export interface ToolWeights {
  of(tools: readonly Tool[]): number;
  /** Describes how tools are offered to the current model; null when it cannot be opened. */
  offer: { mode: "listed" | "searched"; tokens: number; limit: number | null } | null;
}

/** Counts by the current function-call model; when that cannot be opened, by a rule of thumb. */
export async function weighTools(duet: Duet, tools: readonly Tool[]): Promise<ToolWeights> {
  try {
    const { mode, tokens, limit, of } = await duet.weigh(tools);
    return { of, offer: { mode, tokens, limit: Number.isFinite(limit) ? limit : null } };
  } catch {
    return { of: estimateTokens, offer: null };
  }
}

/** Renders the weight in one line; returns undefined when it is unknown. */
export function renderWeight({ offer }: ToolWeights, locale: Locale): string | undefined {
  if (offer === null) return undefined;
  const { tokens, limit } = offer;
  const among = limit === null ? { zh: "", en: "" } : { zh: `，上限 ${limit}`, en: ` of at most ${limit}` };
  if (offer.mode === "listed")
    return say(locale, {
      zh: `全部列给模型：约 ${tokens} token${among.zh}`,
      en: `all are listed for the model: about ${tokens} tokens${among.en}`,
    });
  return say(locale, {
    zh: `约 ${tokens} token，超过上限 ${limit}：服务器的工具按需查找（find_tools），不全部列出`,
    en: `about ${tokens} tokens, above ${limit}: the servers' tools are searched as needed (find_tools), not listed`,
  });
}

/** Assumes four characters per token. */
function estimateTokens(tools: readonly Tool[]): number {
  const text = tools.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }));
  return Math.ceil(text.join("").length / 4);
}
