import { mergeLimits } from "../../../app/ask/merge-limits.ts";
import type { ModelChanges } from "../../../app/models/change-models.ts";
import { notAllowedError } from "../../../config/config-errors.ts";
import { describeLimit, readLimit } from "../../../config/schema/check-source.ts";
import { unitNames } from "../../../core/limits/limit-row.ts";
import { settableLimits } from "../../../core/limits/limits.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { parameterRanges } from "../../../render/choice-texts.ts";
import type { Chat } from "../chat.ts";
import { commandError } from "../commands/chat-command.ts";
import type { ModelRole } from "./switch-models.ts";

/**
 * Lists the settings that `/set` offers for model parameters: for both roles, and for each. The app checks what a vendor allows.
 */
export const parameterSettings: readonly Setting[] = [
  createSharedSettings(),
  createRoleSettings("functionCall"),
  createRoleSettings("answer"),
].flat();

type Name = "temperature" | "maxTokens" | "topP";

interface Parameter {
  name: Name;
  word: string;
  allowed: Text;
}

function createSharedSettings(): Setting[] {
  return listParameters().map((parameter) => toParameterSetting(parameter, "", ["functionCall", "answer"]));
}

function createRoleSettings(role: ModelRole): Setting[] {
  const place = role === "answer" ? "answer." : "function_call.";
  return listParameters().map((parameter) => toParameterSetting(parameter, place, [role]));
}

function listParameters(): Parameter[] {
  return [
    { name: "temperature", word: "temperature", allowed: parameterRanges.temperature },
    { name: "maxTokens", word: "max_tokens", allowed: parameterRanges.max_tokens },
    { name: "topP", word: "top_p", allowed: parameterRanges.top_p },
  ];
}

function toParameterSetting({ name, word, allowed }: Parameter, place: string, roles: readonly ModelRole[]): Setting {
  const key = place + word;
  return {
    key,
    allowed,
    async value({ duet, settings }) {
      const now = await duet.models.getParameters(settings.models);
      const values = roles.map((role) => now[role][name] ?? say(settings.locale, unset));
      return [...new Set(values)].join(" / ");
    },
    async change(chat, written) {
      const { duet, settings } = chat;
      if (written !== undefined) await refuseWithoutEffect(chat, key, roles);
      const number = written === undefined ? undefined : readNumber(key, written, allowed);
      const changes = withParameter(settings.models, roles, name, number);
      // Only what can be is taken.
      await duet.models.open(changes);
      settings.models = changes;
    },
  };
}

const unset: Text = { zh: "未设置", en: "not set" };

function withParameter(
  changes: ModelChanges,
  roles: readonly ModelRole[],
  name: Name,
  value: number | undefined,
): ModelChanges {
  const changed = roles.map((role) => [role, { ...changes.parameters?.[role], [name]: value }]);
  return { ...changes, parameters: { ...changes.parameters, ...Object.fromEntries(changed) } };
}

async function refuseWithoutEffect({ duet, settings }: Chat, key: string, roles: readonly ModelRole[]): Promise<void> {
  const [models, now] = await Promise.all([
    duet.models.open(settings.models),
    duet.models.getParameters(settings.models),
  ]);
  if (roles.every((role) => now[role].temperature === undefined)) {
    const name = `${models.answer.provider}/${models.answer.model}`;
    throw commandError({ zh: `${key}：${name} 没有参数可设置`, en: `${key}: ${name} has no parameters to set` });
  }
  if (models.functionCall !== models.answer || roles.includes("answer")) return;
  throw commandError(
    { zh: `${key}：只有一个模型，它也负责回答`, en: `${key}: there is only one model, which also answers` },
    { zh: `请设置 ${key.replace("function_call.", "")}。`, en: `Set ${key.replace("function_call.", "")}.` },
  );
}

function readNumber(key: string, written: string, allowed: Text): number {
  if (/^[+-]?\d*\.?\d+$/.test(written)) return Number(written);
  throw notAllowedError(key, toShortLine(written, 40), allowed);
}

/** Represents a value that `/set` shows and changes. */
export interface Setting {
  /** Is the name as it is typed. */
  readonly key: string;
  /** Describes the allowed values. */
  readonly allowed: Text;
  /** Returns the value in force, as it is shown. */
  value(chat: Chat): Promise<string>;
  /** Takes what was typed; undefined: what the configuration says. Throws, with nothing changed, where it cannot be. */
  change(chat: Chat, written: string | undefined): Promise<void>;
}

/** Creates the settings that `/set` offers for the limits of a run. */
export function createLimitSettings(): Setting[] {
  return settableLimits.map(toLimitSetting);
}

const none: Text = { zh: "无", en: "none" };

function toLimitSetting({ key, field, set: word, factor = 1, unit }: (typeof settableLimits)[number]): Setting {
  const allowed = describeLimit(key, word);
  const withUnit = (locale: Locale): string =>
    unit ? `${allowed[locale]}${renderUnit(locale, say(locale, unitNames[unit]))}` : allowed[locale];
  return {
    key: word,
    allowed: { zh: withUnit("zh"), en: withUnit("en") },
    async value({ config, settings }) {
      const value = mergeLimits(config, settings.limits)[field];
      return value === undefined ? say(settings.locale, none) : String(value / factor);
    },
    async change({ settings }, written) {
      const value = written === undefined ? undefined : readLimit(key, word, written) * factor;
      settings.limits = { ...settings.limits, [field]: value };
    },
  };
}

function renderUnit(locale: Locale, unit: string): string {
  return locale === "zh" ? `（${unit}）` : ` (${unit})`;
}
