import { mergeLimits } from "../../../app/ask/merge-limits.ts";
import type { SearchCheck } from "../../../app/models/check-models.ts";
import type { ModelParameters } from "../../../config/models/resolve-model.ts";
import { describeRange, type LimitRow } from "../../../core/limits/limit-row.ts";
import { settableLimits } from "../../../core/limits/limits.ts";
import { type Model, toModelName } from "../../../core/model/model.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { renderDollars } from "../../../render/known-cost.ts";
import { describeSearchChoice, modeHelp, modeNames } from "../../../render/mode-names.ts";
import type { Chat } from "../chat.ts";

export interface ConfigFact {
  name: Text;
  value: string;
  /** Is true for a detail of the fact above it. */
  isDetail?: true;
}

/** Lists what is in force in a chat: its mode with its settings, models, search, language and paths. */
export async function listConfigFacts(chat: Chat): Promise<ConfigFact[]> {
  const { settings, config, conversation } = chat;
  const { locale, mode } = settings;
  const [models, search] = await Promise.all([listModelFacts(chat), chat.duet.searchInUse()]);
  return [
    {
      name: { zh: "模式", en: "Mode" },
      value: `${say(locale, modeNames[mode])} · ${say(locale, modeHelp[mode])}`,
    },
    ...limitFacts(chat),
    ...models,
    { name: { zh: "联网搜索", en: "Web search" }, value: searchState(chat) },
    ...listSearchProviders(search),
    { name: { zh: "语言", en: "Language" }, value: locale === "zh" ? "中文（zh）" : "English (en)" },
    {
      name: { zh: "配置文件", en: "Configuration file" },
      value: config.file === undefined ? say(locale, noFile) : sanitizeLine(config.file),
    },
    {
      name: { zh: "对话", en: "Conversation" },
      value: conversation.id ?? say(locale, { zh: "新的对话，还没有提问", en: "a new one; no question yet" }),
    },
  ];
}

const noFile: Text = {
  zh: "没有：使用默认值、环境变量与参数",
  en: "none: defaults, environment and flags are used",
};

/** Lists the limits that apply in this mode. A plain chat answer takes no rounds and calls no tools. */
function limitFacts({ config, settings }: Chat): ConfigFact[] {
  const limits = mergeLimits(config, settings.limits);
  const isChat = settings.mode === "chat";
  const facts = settableLimits
    .filter(({ appliesToChat }) => !isChat || appliesToChat)
    .flatMap((row) => limitFact(row, limits[row.field]));
  return settings.mode === "plan" ? [...facts, planFact(config)] : facts;
}

function limitFact(row: LimitRow, limit: number | undefined): ConfigFact[] {
  if (limit === undefined) return [];
  const value = limit / (row.factor ?? 1);
  const shown = row.unit === "dollars" ? renderDollars(value) : row.unit === "seconds" ? `${value} s` : String(value);
  const range = describeRange(row, "-");
  return [createDetail(row.title, range === undefined ? shown : `${shown} (${range})`)];
}

function planFact({ agent: { plan } }: Chat["config"]): ConfigFact {
  return createDetail({ zh: "步骤失败时", en: "When a step fails" }, `${plan.onFailure} · ${plan.retries}×`);
}

function createDetail(name: Text, value: string): ConfigFact {
  return { name, value, isDetail: true };
}

async function listModelFacts({ duet, settings }: Chat): Promise<ConfigFact[]> {
  const [{ functionCall, answer }, parameters] = await Promise.all([
    duet.models.open(settings.models),
    duet.models.getParameters(settings.models),
  ]);
  const both: Text = { zh: "模型（工具调用与回答）", en: "Model (function calls and answers)" };
  if (answer === functionCall) return [{ name: both, value: describeModel(answer, parameters.answer) }];
  return [
    {
      name: { zh: "工具调用模型", en: "Function-call model" },
      value: describeModel(functionCall, parameters.functionCall),
    },
    { name: { zh: "回答模型", en: "Answer model" }, value: describeModel(answer, parameters.answer) },
  ];
}

function describeModel(model: Model, { temperature, maxTokens, topP }: ModelParameters): string {
  const all = Object.entries({ temperature, max_tokens: maxTokens, top_p: topP });
  const set = all.filter(([, value]) => value !== undefined).map(([name, value]) => `${name} ${value}`);
  return [sanitizeLine(toModelName(model)), ...set].join(" · ");
}

function searchState({ settings: { locale, mode, search } }: Chat): string {
  if (mode !== "chat") return describeSearchChoice(mode, locale);
  return say(locale, search.on ? { zh: "开", en: "on" } : { zh: "关", en: "off" });
}

/** Lists the search providers in the order in which they are asked. */
function listSearchProviders(search: SearchCheck | null): ConfigFact[] {
  if (search === null || search.chain.length === 0) return [];
  const names = search.chain.map(({ party }) => party).join(" → ");
  return [createDetail({ zh: "搜索服务", en: "Search services" }, names)];
}
