import { findUsedModels, type UsedModel, type ValueOrigin } from "../app/models/used-models.ts";
import type { Config } from "../config/config.ts";
import type { ModelCapabilities } from "../core/model/model.ts";
import type { ListPrice } from "../core/model/model-settings.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import { toJsonText, toOriginText, toTable } from "./config-command.ts";

export interface ModelsCommand {
  config: Config;
  output: "text" | "json";
  /** Takes whole lines, for stdout. */
  write(text: string): void;
}

/** Runs `duet models`, which prints the models in use with their limits and prices, and the source of each value. */
export async function runModelsCommand({ config, output, write }: ModelsCommand): Promise<void> {
  const models = await findUsedModels(config);
  if (output === "json") return write(toJsonText({ models }));
  // One table, so that the columns of all models line up; an empty row parts them.
  write(toTable(models.flatMap((model, index) => [...(index === 0 ? [] : [[""]]), ...toRows(model, config.locale)])));
}

function toRows({ role, model, ...values }: UsedModel, locale: Locale): string[][] {
  const { wire, timeout, idle, context_window, capabilities, fallbacks, price } = values;
  const rows: [Text, string | undefined, ValueOrigin][] = [
    [names.wire, wire.value ?? undefined, wire.origin],
    [names.timeout, withUnit(timeout.value, seconds, locale), timeout.origin],
    [names.idle, withUnit(idle.value, seconds, locale), idle.origin],
    [names.contextWindow, withUnit(context_window.value, tokens, locale), context_window.origin],
    [names.capabilities, renderCapabilities(capabilities.value, locale), capabilities.origin],
    [names.price, renderPrice(price.value, locale), price.origin],
    ...(fallbacks.value === null ? [] : [toFallbackRow(fallbacks.value, fallbacks.origin)]),
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

function toFallbackRow(value: readonly string[], origin: ValueOrigin): [Text, string, ValueOrigin] {
  return [names.fallbacks, value.join(" → "), origin];
}

/** Lists what the model can do, and then what it cannot. */
function renderCapabilities(value: UsedModel["capabilities"]["value"], locale: Locale): string | undefined {
  if (value === null) return undefined;
  const listNames = (has: boolean): string[] =>
    capabilityNames.filter(([key]) => value[key] === has).map(([, name]) => say(locale, name));
  const [can, cannot] = [listNames(true), listNames(false)];
  const separator = say(locale, { zh: "、", en: ", " });
  const no = cannot.length === 0 ? [] : [say(locale, { zh: "不支持", en: "not " }) + cannot.join(separator)];
  return [...(can.length === 0 ? [] : [can.join(separator)]), ...no].join(say(locale, { zh: "；", en: "; " }));
}

function renderPrice(price: UsedModel["price"]["value"], locale: Locale): string | undefined {
  if (price === null) return undefined;
  return say(locale, {
    zh: `输入 $${price.input}，输出 $${price.output}（每百万 token）${renderTiers(price, locale)}`,
    en: `$${price.input} in, $${price.output} out (1,000,000 tokens)${renderTiers(price, locale)}`,
  });
}

/** Says what longer calls cost, which is more for their whole input and output. */
function renderTiers({ above }: ListPrice, locale: Locale): string {
  if (above === undefined) return "";
  const from = above.inputTokens.toLocaleString("en");
  const text = say(locale, {
    zh: `；输入超过 ${from} 个 token 时 $${above.input}、$${above.output}`,
    en: `; above ${from} tokens of input $${above.input}, $${above.output}`,
  });
  return text + renderTiers(above, locale);
}

function toText(origin: ValueOrigin, locale: Locale): string {
  switch (origin.from) {
    case "vendor-table":
      return say(locale, { zh: "内置默认（按服务商）", en: "vendor default" });
    case "price-list":
      return say(locale, { zh: `价格表（${origin.date}）`, en: `price list of ${origin.date}` });
    case "model-list":
      return say(locale, { zh: `模型表（${origin.date}）`, en: `model list of ${origin.date}` });
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
  capabilities: { zh: "能力", en: "capabilities" },
  price: { zh: "价格", en: "price" },
  fallbacks: { zh: "备用模型", en: "fallbacks" },
} satisfies Record<string, Text>;

const capabilityNames: readonly [keyof ModelCapabilities, Text][] = [
  ["functionCalling", { zh: "函数调用", en: "tools" }],
  ["vision", { zh: "看图", en: "images" }],
  ["structuredOutput", { zh: "结构化输出", en: "structured output" }],
  ["reasoning", { zh: "推理", en: "reasoning" }],
];

const seconds: Text = { zh: " 秒", en: " s" };
const tokens: Text = { zh: " 个 token", en: " tokens" };
