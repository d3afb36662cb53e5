import { choose } from "../app/models.ts";
import type { ModelChoice } from "../config/models.ts";
import { overview } from "../config/overview.ts";
import type { Origin } from "../config/source.ts";
import { type Config, type Flags, loadConfig } from "../config.ts";
import { type Locale, say, type Text } from "../core/locale.ts";
import { modelName } from "../core/model.ts";
import { printableLine } from "../core/printable.ts";
import { type ListPrice, priceOf, pricesDate } from "../providers/prices.ts";
import { modelDefaults } from "../providers/resolve.ts";
import { defaultIdleMs } from "../providers/silence.ts";
import { asJson, originText, table } from "./config-command.ts";

export interface ModelsCommand {
  flags: Flags;
  output: "text" | "json";
  /** Takes whole lines, for stdout. */
  write(text: string): void;
}

/** A value, and who said it. */
interface Said<T> {
  value: T;
  origin: string;
}

/** A model in use, in one of its roles. Times are seconds; what is not known is null. */
interface UsedModel {
  role: "function_call" | "answer";
  model: Said<string>;
  wire: Said<string> | null;
  timeout: Said<number> | null;
  idle: Said<number> | null;
  context_window: Said<number | null>;
  /** US dollars for 1,000,000 tokens. */
  price: Said<ListPrice | null>;
}

/** `duet models`: the models in use, with their limits and prices, and where each value comes from. Asks no model anything. */
export async function runModelsCommand({ flags, output, write }: ModelsCommand): Promise<void> {
  const config = await loadConfig(flags);
  const { functionCall, answer = functionCall } = await choose(config);
  const used = [describe("function_call", functionCall, config), describe("answer", answer, config)];
  if (output === "json") return write(asJson({ models: used, prices_date: pricesDate }));
  write(used.map((model) => table(rowsOf(model, config.locale))).join("\n"));
}

function describe(role: UsedModel["role"], choice: ModelChoice, config: Config): UsedModel {
  const { locale } = config;
  const { origins } = overview(config);
  const key = role === "answer" && config.models.answer ? "answer" : "functionCall";
  const isConfigured = config.models[key] !== undefined;
  const originOf = (name: string, otherwise: Text): string => {
    const origin: Origin | undefined = isConfigured ? origins[`models.${key}.${name}`] : undefined;
    return origin === undefined || origin.from === "default" ? say(locale, otherwise) : originText(origin, locale);
  };
  const found = "wire" in choice && choice.apiKeyEnv ? { zh: choice.apiKeyEnv, en: choice.apiKeyEnv } : nothingElse;
  const model = { value: modelName(choice), origin: originOf("provider", found) };
  if (!("wire" in choice)) {
    const none = say(locale, usual);
    const noValue = { value: null, origin: none };
    return { role, model, wire: null, timeout: null, idle: null, context_window: noValue, price: noValue };
  }
  const { wire, timeoutMs, idleMs = defaultIdleMs, contextWindow = null } = choice;
  const price = priceOf(choice) ?? null;
  const priceOrigin = choice.price ? `providers.${choice.provider}.prices` : say(locale, price ? listed : unknown);
  return {
    role,
    model,
    wire: { value: wire, origin: originOf("wire", vendorRow) },
    timeout: {
      value: timeoutMs / 1000,
      origin: originOf("timeout", timeoutMs === modelDefaults.timeoutMs ? usual : vendorRow),
    },
    idle: { value: idleMs / 1000, origin: say(locale, usual) },
    context_window: {
      value: contextWindow,
      origin: originOf("contextWindow", contextWindow === null ? unknown : vendorRow),
    },
    price: { value: price, origin: priceOrigin },
  };
}

function rowsOf(used: UsedModel, locale: Locale): string[][] {
  const { role, model, price, ...rest } = used;
  const head = [say(locale, roles[role]), printableLine(model.value), printableLine(model.origin)];
  const rows = Object.entries(rest).map(([name, said]) => {
    const { text, unit } = names[name as keyof typeof names];
    const shown = said === null || said.value === null ? "-" : `${said.value}${say(locale, unit)}`;
    return [`  ${say(locale, text)}`, shown, said?.origin ?? ""];
  });
  return [head, ...rows, [`  ${say(locale, priceName)}`, priceText(price.value, locale), price.origin]];
}

function priceText(price: ListPrice | null, locale: Locale): string {
  if (price === null) return "-";
  return say(locale, {
    zh: `输入 $${price.input}，输出 $${price.output}（每百万 token）`,
    en: `$${price.input} in, $${price.output} out (1,000,000 tokens)`,
  });
}

const roles: Record<UsedModel["role"], Text> = {
  function_call: { zh: "工具调用模型", en: "function-call model" },
  answer: { zh: "回答模型", en: "answer model" },
};

const seconds = { zh: " 秒", en: " s" };
const names = {
  wire: { text: { zh: "协议", en: "wire" }, unit: { zh: "", en: "" } },
  timeout: { text: { zh: "首个内容的超时", en: "timeout (first content)" }, unit: seconds },
  idle: { text: { zh: "此后无数据的超时", en: "idle (silence after it)" }, unit: seconds },
  context_window: { text: { zh: "上下文窗口", en: "context window" }, unit: { zh: " 个 token", en: " tokens" } },
};
const priceName: Text = { zh: "价格", en: "price" };

const usual: Text = { zh: "默认", en: "default" };
const vendorRow: Text = { zh: "服务商表", en: "vendor table" };
const listed: Text = { zh: `价格表（${pricesDate}）`, en: `price list of ${pricesDate}` };
const unknown: Text = { zh: "未知", en: "not known" };
const nothingElse: Text = { zh: "没有配置其他模型", en: "no other model is configured" };
