import { findUsedModels, type UsedModel, type ValueOrigin } from "../app/models/used-models.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Flags } from "../config/settings/settings.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import { toJsonText, toOriginText, toTable } from "./config-command.ts";

export interface ModelsCommand {
  flags: Flags;
  output: "text" | "json";
  /** Takes whole lines, for stdout. */
  write(text: string): void;
}

/** Runs `duet models`, which prints the models in use with their limits and prices, and the source of each value. */
export async function runModelsCommand({ flags, output, write }: ModelsCommand): Promise<void> {
  const config = await loadConfig(flags);
  const models = await findUsedModels(config);
  if (output === "json") return write(toJsonText({ models }));
  // One table, so that the columns of all models line up; an empty row parts them.
  write(toTable(models.flatMap((model, index) => [...(index === 0 ? [] : [[""]]), ...toRows(model, config.locale)])));
}

function toRows({ role, model, ...values }: UsedModel, locale: Locale): string[][] {
  const { wire, timeout, idle, context_window, price } = values;
  const rows: [Text, string | undefined, ValueOrigin][] = [
    [names.wire, wire.value ?? undefined, wire.origin],
    [names.timeout, withUnit(timeout.value, seconds, locale), timeout.origin],
    [names.idle, withUnit(idle.value, seconds, locale), idle.origin],
    [names.contextWindow, withUnit(context_window.value, tokens, locale), context_window.origin],
    [names.price, renderPrice(price.value, locale), price.origin],
  ];
  return [
    [say(locale, roles[role]), sanitizeLine(model.value), toText(model.origin, locale)],
    ...rows.map(([name, value = "-", origin]) => [
      `  ${say(locale, name)}`,
      sanitizeLine(value),
      toText(origin, locale),
    ]),
  ];
}

function withUnit(value: number | null, unit: Text, locale: Locale): string | undefined {
  return value === null ? undefined : `${value}${say(locale, unit)}`;
}

function renderPrice(price: UsedModel["price"]["value"], locale: Locale): string | undefined {
  if (price === null) return undefined;
  return say(locale, {
    zh: `输入 $${price.input}，输出 $${price.output}（每百万 token）`,
    en: `$${price.input} in, $${price.output} out (1,000,000 tokens)`,
  });
}

function toText(origin: ValueOrigin, locale: Locale): string {
  switch (origin.from) {
    case "vendor-table":
      return say(locale, { zh: "内置默认（按服务商）", en: "vendor default" });
    case "price-list":
      return say(locale, { zh: `价格表（${origin.date}）`, en: `price list of ${origin.date}` });
    case "unknown":
      return say(locale, { zh: "未知", en: "not known" });
    case "nothing-configured":
      return say(locale, { zh: "没有配置模型", en: "no model is configured" });
    default:
      return sanitizeLine(toOriginText(origin, locale));
  }
}

const roles: Record<UsedModel["role"], Text> = {
  function_call: { zh: "工具调用模型", en: "function-call model" },
  answer: { zh: "回答模型", en: "answer model" },
};

const names = {
  wire: { zh: "协议", en: "wire" },
  timeout: { zh: "首个输出的时限（timeout）", en: "timeout (first content)" },
  idle: { zh: "之后无数据的上限", en: "idle (no data after it)" },
  contextWindow: { zh: "上下文窗口", en: "context window" },
  price: { zh: "价格", en: "price" },
} satisfies Record<string, Text>;

const seconds: Text = { zh: " 秒", en: " s" };
const tokens: Text = { zh: " 个 token", en: " tokens" };
