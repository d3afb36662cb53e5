import type { Inventory } from "../../app/open-duet.ts";
import { toErrorReport } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { renderError } from "../../render/event-lines.ts";
import { describeHealth } from "./server-health.ts";
import { renderWeight, type ToolWeights } from "./tool-weights.ts";

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
  yield `${source} · ${say(locale, stateNames[state?.state ?? "ready"])} · ${own.length} · ${tokens}`;
  if (state?.error) yield `  ${renderError(toErrorReport(state.error, locale))}`;
  for (const problem of state?.problems ?? []) yield `  ✗ ${say(locale, problem)}`;
  for (const fact of state ? describeHealth(state) : []) yield `  ⚠ ${sanitizeLine(say(locale, fact))}`;
  for (const { name, description } of own) yield `  ${name.padEnd(30)} ${truncate(sanitizeLine(description), 100)}`;
}

const stateNames: Record<Inventory["servers"][number]["state"], Text> = {
  idle: { zh: "未启动", en: "idle" },
  starting: { zh: "启动中", en: "starting" },
  ready: { zh: "就绪", en: "ready" },
  failed: { zh: "失败", en: "failed" },
  closed: { zh: "已关闭", en: "closed" },
};
