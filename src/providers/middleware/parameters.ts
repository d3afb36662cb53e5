import type { Notice } from "../../core/events.ts";
import { type Model, type ModelRequest, replaceStream, toModelName } from "../../core/model.ts";
import type { ModelSettings, Quirks } from "../../core/model-settings.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import type { ModelContext } from "./middleware.ts";

/** Holds the set parameters that the model accepts. Each wire writes them in its own format. */
export interface Parameters {
  temperature?: number;
  topP?: number;
  /** Sets how much to reason. Undefined leaves it to the model. */
  effort?: string;
  /** Limits the output, in tokens. */
  maxTokens: number;
  /** Lists the settings that the user made and the model does not accept. */
  ignored: IgnoredSetting[];
}

export interface IgnoredSetting {
  setting: "temperature" | "topP" | "reasoningEffort" | "maxTokens";
  value: number | string;
  reason: Text;
}

/** Returns the parameters to send for a request. Only settings that the user made are reported as ignored, never defaults. */
export function chooseParameters(
  request: Pick<ModelRequest, "tools" | "maxTokens">,
  settings: ModelSettings,
): Parameters {
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
  return {
    temperature: refusal || both ? undefined : settings.temperature,
    topP: refusal ? undefined : topP,
    effort,
    maxTokens: chooseMaxTokens(request, settings, ignored),
    ignored,
  };
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

function chooseMaxTokens(
  request: Pick<ModelRequest, "maxTokens">,
  settings: ModelSettings,
  ignored: IgnoredSetting[],
): number {
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

/** Says once, at the first call that shows it, that a setting is not used; the call goes on without it. */
export function withSettingNotices(next: Model, { settings, locale = "en" }: ModelContext): Model {
  const reported = new Set<string>();
  return replaceStream(next, async (request, onEvent, signal) => {
    const fresh = chooseParameters(request, settings).ignored.filter(({ setting }) => !reported.has(setting));
    for (const { setting } of fresh) reported.add(setting);
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
} satisfies Record<string, Text>;

function withTools(effort: string): Text {
  return {
    zh: `与工具一起使用时，该接口只接受 ${effort}`,
    en: `together with tools this interface accepts only ${effort}`,
  };
}

function describeLimit(tokens: number): Text {
  return { zh: `该模型一次最多输出 ${tokens} 个 token`, en: `the model writes at most ${tokens} tokens in one turn` };
}
