import { LRUCache } from "lru-cache";
import { type Model, type ModelRequest, replaceStream, type ToolChoice, toModelName } from "../../core/model/model.ts";
import type { ModelSettings, Quirks } from "../../core/model/model-settings.ts";
import type { Notice } from "../../core/run/events.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { ModelContext } from "./middleware.ts";

/** Holds the set parameters that the model accepts. Each wire writes them in its own format. */
export interface Parameters {
  temperature?: number;
  topP?: number;
  /** Sets how much to reason. Undefined leaves it to the model. */
  effort?: string;
  /** Limits what can be read of the output, in tokens. */
  maxTokens: number;
  /** Is what the vendor's limit allows beside that for hidden reasoning, in tokens. */
  allowance: number;
  /** Ends the output before the first of these texts. There is at least one. */
  stop?: string[];
  /** Is absent where the model may choose by itself, and where no tools are offered. */
  toolChoice?: Exclude<ToolChoice, "auto">;
  /** Lists the settings that the user made and the model does not accept. */
  ignored: IgnoredSetting[];
}

export interface IgnoredSetting {
  setting: "temperature" | "topP" | "reasoningEffort" | "maxTokens" | "stop" | "toolChoice";
  value: number | string;
  reason: Text;
}

/** Holds what the parameters depend on, of a request. */
export type ParameterRequest = Pick<ModelRequest, "tools" | "maxTokens" | "stop" | "toolChoice"> & {
  /** Replaces what the vendor's row allows for hidden reasoning, in tokens. */
  allowance?: number | undefined;
};

/** Returns the parameters to send for a request. Only settings that the user made are reported as ignored, never defaults. */
export function chooseParameters(request: ParameterRequest, settings: ModelSettings): Parameters {
  const { quirks } = settings;
  const ignored: IgnoredSetting[] = [];
  const effort = chooseEffort(request.tools.length > 0, settings, ignored);
  const refusal = explainSampling(effort, quirks);
  const { topP } = settings;
  // Claude takes one of the two, and the narrower one is what somebody set on purpose.
  const both = settings.wire === "anthropic-messages" && topP !== undefined ? reasons.oneSampling : undefined;
  const without = quirks.samplingWithoutEffect && effort !== "none" ? reasons.withoutEffect : undefined;
  const forTemperature = refusal ?? both ?? without;
  if (forTemperature && settings.temperatureSet) {
    ignored.push({ setting: "temperature", value: settings.temperature, reason: forTemperature });
  }
  const forTopP = refusal ?? without;
  if (forTopP && topP !== undefined) ignored.push({ setting: "topP", value: topP, reason: forTopP });
  const maxTokens = chooseMaxTokens(request, settings, ignored);
  return {
    temperature: refusal || both ? undefined : settings.temperature,
    topP: refusal ? undefined : topP,
    effort,
    maxTokens,
    allowance: limitAllowance(request.allowance ?? getAllowance(effort, quirks), maxTokens, settings),
    stop: chooseStop(request.stop ?? [], settings, ignored),
    toolChoice: chooseToolChoice(request, isReasoning(effort, quirks), quirks, ignored),
    ignored,
  };
}

/** Is true when the model reasons with this effort, or without one by itself. */
export function isReasoning(
  effort: string | undefined,
  { noReasoning, alwaysReasons, reasoningAllowance }: Quirks,
): boolean {
  if (noReasoning) return false;
  if (effort !== undefined) return effort !== "none";
  return alwaysReasons === true || (reasoningAllowance?.default ?? 0) > 0;
}

function getAllowance(effort: string | undefined, { reasoningAllowance, noReasoning }: Quirks): number {
  if (reasoningAllowance === undefined || noReasoning || effort === "none") return 0;
  const { default: usual = 0, medium = usual } = reasoningAllowance;
  return effort === undefined ? usual : (reasoningAllowance[effort] ?? medium);
}

/** Limits an allowance by what the model writes in one turn, and by a quarter of its window, which also holds the question. */
function limitAllowance(wanted: number, maxTokens: number, { maxOutput, contextWindow }: ModelSettings): number {
  const most = Math.min(
    (maxOutput ?? Number.POSITIVE_INFINITY) - maxTokens,
    (contextWindow ?? Number.POSITIVE_INFINITY) / 4,
  );
  return Math.max(0, Math.floor(Math.min(wanted, most)));
}

/** Is how many stop texts vendors take whose row says nothing else. */
const usualStops = 4;

/** Returns the stop texts that the vendor takes: of too many the first, and none that its wire has no field for or refuses. */
function chooseStop(
  wanted: readonly string[],
  { wire, quirks }: ModelSettings,
  ignored: IgnoredSetting[],
): string[] | undefined {
  const most = wire === "openai-responses" ? 0 : (quirks.mostStops ?? usualStops);
  const readable = wire === "anthropic-messages" ? wanted.filter((text) => text.trim() !== "") : [...wanted];
  const taken = readable.slice(0, most);
  const left = wanted.filter((text) => !taken.includes(text));
  if (left.length > 0) {
    const reason = most === 0 ? reasons.noStop : readable.length > most ? describeMostStops(most) : reasons.blankStop;
    ignored.push({ setting: "stop", value: left.map((text) => JSON.stringify(text)).join(", "), reason });
  }
  return taken.length > 0 ? taken : undefined;
}

function chooseToolChoice(
  { tools, toolChoice: wanted }: ParameterRequest,
  isThinking: boolean,
  { noForcedCalls }: Quirks,
  ignored: IgnoredSetting[],
): Parameters["toolChoice"] {
  if (wanted === undefined || wanted === "auto" || tools.length === 0) return undefined;
  if (wanted === "none") return wanted;
  const isRefused = noForcedCalls === "always" || (noForcedCalls === "while-reasoning" && isThinking);
  if (!isRefused) return wanted;
  const value = typeof wanted === "string" ? wanted : wanted.tool;
  ignored.push({ setting: "toolChoice", value, reason: noForcedCalls === "always" ? neverForced : notForcedReasoning });
  return undefined;
}

function chooseEffort(hasTools: boolean, settings: ModelSettings, ignored: IgnoredSetting[]): string | undefined {
  const { quirks, reasoningEffort: wanted } = settings;
  const ignore = (reason: Text): void => {
    if (wanted !== undefined) ignored.push({ setting: "reasoningEffort", value: wanted, reason });
  };
  const canReason = settings.wire !== "anthropic-messages" || quirks.adaptiveThinking || quirks.budgetThinking;
  if (quirks.noReasoning || !canReason) {
    if (wanted !== "none") ignore(reasons.noReasoning);
    return undefined;
  }
  if (quirks.alwaysReasons && wanted === "none") {
    ignore(reasons.alwaysReasons);
    return quirks.defaultEffort;
  }
  const forced = hasTools && settings.wire === "openai-chat" ? quirks.effortWithTools : undefined;
  if (forced !== undefined && wanted !== forced) ignore(withTools(forced));
  return forced ?? wanted ?? quirks.defaultEffort;
}

function explainSampling(effort: string | undefined, { noSampling }: Quirks): Text | undefined {
  if (noSampling === "always") return reasons.refused;
  const isReasoning = effort !== undefined && effort !== "none";
  return noSampling === "while-reasoning" && isReasoning ? reasons.refusedReasoning : undefined;
}

function chooseMaxTokens(request: ParameterRequest, settings: ModelSettings, ignored: IgnoredSetting[]): number {
  const wanted = request.maxTokens ?? settings.maxTokens;
  const { maxOutput } = settings;
  if (maxOutput === undefined || wanted <= maxOutput) return wanted;
  ignored.push({ setting: "maxTokens", value: wanted, reason: describeLimit(maxOutput) });
  return maxOutput;
}

/** Returns the fields of a chat completion that set the reasoning effort. */
export function toEffortFields(effort: string | undefined, quirks: Quirks): Record<string, unknown> {
  if (effort === undefined) return {};
  const reasons = effort !== "none";
  switch (quirks.thinkingSwitch) {
    case "enable_thinking":
      return { enable_thinking: reasons };
    case "enable_thinking+reasoning_effort":
      return { enable_thinking: reasons, reasoning_effort: reasons ? effort : undefined };
    case "thinking":
      return { thinking: { type: reasons ? "enabled" : "disabled" }, reasoning_effort: reasons ? effort : undefined };
    default:
      return { reasoning_effort: effort };
  }
}

/** Lists what each request sets for itself, so that its own reader has to learn of it. The configuration sets the rest. */
const requestSettings: ReadonlySet<IgnoredSetting["setting"]> = new Set(["stop", "toolChoice"]);

/** Limits how many notices are remembered as told. */
const mostReported = 1000;

/**
 * Says that a setting is not used, and the call goes on without it: once, at the first call that shows it, or once in each run for what
 * the request has set.
 */
export function withSettingNotices(next: Model, { settings, locale = "en" }: ModelContext): Model {
  const reported = new LRUCache<string, true>({ max: mostReported });
  return replaceStream(next, async (request, onEvent, signal) => {
    const toKey = ({ setting }: IgnoredSetting): string =>
      requestSettings.has(setting) ? `${setting} ${request.run?.id}` : setting;
    const fresh = chooseParameters(request, settings).ignored.filter((each) => !reported.has(toKey(each)));
    for (const each of fresh) reported.set(toKey(each), true);
    for (const each of fresh) onEvent(notice(toModelName(next), each, request.locale ?? locale));
    return next.stream(request, onEvent, signal);
  });
}

function notice(name: string, { setting, value, reason }: IgnoredSetting, locale: Locale): Notice {
  const message = say(locale, {
    zh: `${name} 不使用设置 ${setting}（${value}）：${reason.zh}`,
    en: `${name} does not use the setting ${setting} (${value}): ${reason.en}`,
  });
  return { type: "notice", level: "warning", code: "setting-ignored", message };
}

const reasons = {
  refused: { zh: "该模型拒绝此参数", en: "the model refuses it" },
  refusedReasoning: { zh: "该模型推理时拒绝此参数", en: "the model refuses it while it reasons" },
  withoutEffect: { zh: "该模型思考时此参数不起作用", en: "it has no effect while the model thinks" },
  oneSampling: {
    zh: "该模型只接受 temperature 与 topP 之一",
    en: "the model accepts only one of temperature and topP",
  },
  noReasoning: { zh: "该模型不推理", en: "the model does not reason" },
  alwaysReasons: { zh: "该模型总是推理", en: "the model always reasons" },
  noStop: { zh: "该模型不接受停止词", en: "the model takes no stop texts" },
  blankStop: { zh: "该模型不接受只含空白的停止词", en: "the model takes no stop text of white space alone" },
} satisfies Record<string, Text>;

const neverForced: Text = {
  zh: "该模型不能被要求必须调用工具，由它自己决定",
  en: "the model cannot be made to call a tool; it chooses by itself",
};
const notForcedReasoning: Text = {
  zh: "该模型推理时不能被要求必须调用工具，由它自己决定",
  en: "the model cannot be made to call a tool while it reasons; it chooses by itself",
};

function describeMostStops(most: number): Text {
  return { zh: `该模型最多接受 ${most} 个停止词`, en: `the model takes at most ${most} stop texts` };
}

function withTools(effort: string): Text {
  return {
    zh: `与工具一起使用时，该接口只接受 ${effort}`,
    en: `together with tools this interface accepts only ${effort}`,
  };
}

function describeLimit(tokens: number): Text {
  return { zh: `该模型一次最多输出 ${tokens} 个 token`, en: `the model writes at most ${tokens} tokens in one turn` };
}
