import type { LimitChanges } from "../src/app/ask/merge-limits.ts";
import type { ConversationChoice } from "../src/cli/conversations/chosen-conversation.ts";
import type { SubAgentSettings } from "../src/config/config.ts";
import { configError } from "../src/config/config-errors.ts";
import { type Flags, type SettingFlag, settingFlags } from "../src/config/settings/settings.ts";
import { type LimitRow, toRunUnit } from "../src/core/limits/limit-row.ts";
import { flaggedLimits, mapLimits } from "../src/core/limits/limits.ts";
import type { Mode } from "../src/core/run/outcome.ts";
import { describeNotAllowed } from "../src/core/schemas/describe-issue.ts";
import { describeAllowed } from "../src/core/schemas/describe-schema.ts";
import { isConversationId } from "../src/core/store/conversations/conversation-id.ts";
import { DuetError } from "../src/kit/errors.ts";
import type { Text } from "../src/kit/locale.ts";
import { isBlank } from "../src/kit/text/is-blank.ts";
import { findLimit } from "./options.ts";

/**
 * Converts the flags to the form that `loadConfig` takes. Throws a `config` error where a number is expected and none is given.
 */
export function toFlags(values: Values): Flags {
  const given = settingFlags.map((flag) => [flag.field, readFlag(values, flag)]);
  // Each flag has a value of its kind, as the type of `Flags` says.
  return { config: readConfigName(values), ...(Object.fromEntries(given) as Flags) };
}

/**
 * Reads the limits that flags set, which hold for the questions, whichever agent answers. The configuration gets them, too (`toFlags`):
 * an agent that is called has them where it has no limit of its own.
 */
export function readLimits(values: Values): LimitChanges {
  return mapLimits(
    flaggedLimits.filter(({ flag }) => values[flag] !== undefined),
    ({ field }) => field,
    (row) => toRunUnit(row, readFlaggedNumber(values, row.flag)),
  );
}

function readConfigName({ config }: Values): string | undefined {
  if (config !== "") return toOptionText(config);
  throw refusedFlagError("config", '""', { zh: "文件名", en: "the name of a file" });
}

function readFlag(values: Values, { name, kind, negation }: SettingFlag): Flags[keyof Flags] {
  if (kind === "number") return readFlaggedNumber(values, name);
  if (kind === "list") return splitList(values[name]);
  if (kind !== "switch") return toOptionText(values[name]);
  if (negation !== undefined && (values[`no-${name}`] === true || values[name] === false)) return false;
  return values[name] === true ? true : undefined;
}

/**
 * Reads which conversation to continue, and returns undefined for a new one. Throws a `config` error for an invalid ID, and for flags
 * that do not go together.
 */
export function readConversationChoice(values: Values): ConversationChoice | undefined {
  const id = toOptionText(values.conversation);
  if (values.all === true && values.continue !== true) throw usageError(allAlone);
  if (id === undefined) return values.continue === true ? { folder: readFolder(values) } : undefined;
  if (values.continue === true) throw usageError(onlyOne);
  if (isConversationId(id)) return { id };
  throw usageError({
    zh: `--conversation: ${JSON.stringify(id)} 不是对话编号（允许：1 到 200 个字符，不全是空白，不含控制字符）`,
    en: `--conversation: ${JSON.stringify(id)} is not a conversation ID (allowed: 1 to 200 characters, not all blank and none a control character)`,
  });
}

/**
 * Reads the stored conversations that a command names. Throws a `config` error for a blank ID. Others are not checked: earlier
 * versions stored IDs that are no longer allowed.
 */
export function readConversationIds(values: Values): string[] {
  const ids = toTexts(values.ids ?? [values.id]);
  const blank = ids.find(isBlank);
  if (blank === undefined) return ids;
  const shown = JSON.stringify(blank);
  throw usageError({
    zh: `conversations: ${shown} 不是对话编号（允许：duet conversations 列出的编号，或自动生成的编号的开头）`,
    en: `conversations: ${shown} is not a conversation ID (allowed: one that duet conversations lists, or the beginning of a generated one)`,
  });
}

/** Returns the working folder, and undefined where all folders are meant. */
function readFolder({ all }: Values): string | undefined {
  return all === true ? undefined : process.cwd();
}

const allAlone: Text = {
  zh: "--all 只与 --continue 一起使用（允许：-c --all，或 duet resume --all）",
  en: "--all goes with --continue (allowed: -c --all, or duet resume --all)",
};

const onlyOne = {
  zh: "--conversation 和 --continue 不能同时使用（允许：其中一个）",
  en: "--conversation and --continue cannot be combined (allowed: one of them)",
};

/** Reads what a host is offered. Throws a `config` error for an invalid limit. */
export function readExpose(values: Values): { expose?: "agent" | "tools" | "both"; listLimit?: number } {
  const { expose } = values;
  const listLimit =
    values["list-limit"] === undefined ? {} : { listLimit: readWhole(values, "list-limit", 0, 0, 10_000_000) };
  return expose === "agent" || expose === "tools" || expose === "both" ? { expose, ...listLimit } : listLimit;
}

/** Reads which part of a list is wanted. Throws a `config` error for an invalid number. */
export function readPage(values: Values): { limit: number; offset: number } {
  return { limit: readWhole(values, "limit", 50, 1), offset: readWhole(values, "offset", 0, 0) };
}

/** Reads a whole number. Throws a `config` error for any other value. */
export function readWhole(values: Values, name: string, byDefault: number, least: number, most = 100_000): number {
  const allowed = describeAllowed({ type: "integer", minimum: least, maximum: most }, name);
  const value = readNumber(values, name, allowed) ?? byDefault;
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw refusedFlagError(name, String(value), allowed);
}

/** Reads a number above 0; undefined where there is none. Throws a `config` error for any other value. */
export function readPositive(values: Values, name: string): number | undefined {
  const allowed = describeAllowed({ type: "number", exclusiveMinimum: 0 }, name);
  const value = readNumber(values, name, allowed);
  if (value === undefined || value > 0) return value;
  throw refusedFlagError(name, String(value), allowed);
}

export function refusedFlagError(name: string, shown: string, allowed: Text): DuetError {
  const { zh, en } = describeNotAllowed(shown, allowed);
  return usageError({ zh: `--${name}: ${zh}`, en: `--${name}: ${en}` });
}

function usageError(line: Text): DuetError {
  return new DuetError({ code: "config", text: line });
}

export function splitList(value: unknown): string[] | undefined {
  return toOptionText(value)
    ?.split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function readFlaggedNumber(values: Values, name: string): number | undefined {
  return readNumber(values, name, describeLimit(findLimit(name), name));
}

function describeLimit(row: LimitRow | undefined, name: string): Text {
  if (row === undefined || "above" in row.range) return describeAllowed({ type: "number" }, name);
  return describeAllowed({ type: "integer", minimum: row.range.least, maximum: row.ceiling ?? row.range.most }, name);
}

function readNumber(values: Values, name: string, what: Text): number | undefined {
  const given = toOptionText(values[name]);
  if (given === undefined) return undefined;
  const value = Number(given);
  if (given.trim() !== "" && Number.isFinite(value)) return value;
  throw refusedFlagError(name, JSON.stringify(given), what);
}

/** Returns all values of an option that may be given several times, and the words with its last value alone, as the parser reads them. */
export function takeRepeated(words: readonly string[], name: string): { single: string[]; values: string[] } {
  const values: string[] = [];
  const single: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    const next = words[index + 1];
    if (word.startsWith(`--${name}=`)) values.push(word.slice(name.length + 3));
    else if (word === `--${name}` && next !== undefined) {
      values.push(next);
      index += 1;
    } else single.push(word);
  }
  return { single: values.length === 0 ? single : [...single, `--${name}=${values.at(-1)}`], values };
}

/** Holds parsed flags and arguments by name, as either reader returns them. */
export type Values = Readonly<Record<string, unknown>>;

export function toOptionText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

export function readOutputFormat({ output }: Values): "json" | "text" {
  return output === "json" ? "json" : "text";
}

export function readMode({ mode }: Values): Mode | undefined {
  return mode === "chat" || mode === "agent" || mode === "plan" ? mode : undefined;
}

/** Finds the agent that `--agent` names. Throws a `config` error for one that is not configured. */
export function readAgent(
  values: Values,
  { agents }: { agents: readonly SubAgentSettings[] },
): SubAgentSettings | undefined {
  const name = toOptionText(values.agent);
  const found = agents.find((each) => each.name === name);
  if (name === undefined || found) return found;
  const names = agents.map((each) => each.name).join(", ");
  throw configError("--agent", {
    zh: `没有智能体 ${JSON.stringify(name)}（${names === "" ? "配置中没有 agents" : `允许：${names}`}）`,
    en: `there is no agent ${JSON.stringify(name)} (${names === "" ? "the configuration has no agents" : `allowed: ${names}`})`,
  });
}
