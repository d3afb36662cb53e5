import type { Text } from "../kit/locale.ts";
import type { Config } from "./config.ts";
import { listUnusedEvents } from "./hooks.ts";
import { describeSkippedFiles } from "./sources/choose-files.ts";
import { describeUnreadLines } from "./sources/dot-env-lines.ts";
import { describeUnsetParts } from "./sources/unset-parts.ts";

/**
 * Says what the configuration has and what is not used, a line each: files that nobody trusts, lines that are no assignment, parts
 * without their variable, settings.
 */
export function describeUnused(
  config: Pick<Config, "leftOut" | "dotEnv" | "unsetParts" | "origins" | "email" | "settings">,
): Text[] {
  const lines = [
    describeSkippedFiles(config.leftOut),
    describeUnreadLines(config.dotEnv),
    describeUnusedSettings(findUnusedSettings(config)),
  ];
  return [...lines.filter((line) => line !== undefined), ...describeUnsetParts(config.unsetParts)];
}

/**
 * Returns the settings that are set and have no effect, by the names under which they were set, so that nobody relies on them.
 */
export function findUnusedSettings({
  origins,
  email,
  settings,
}: Pick<Config, "origins" | "email" | "settings">): string[] {
  return [
    ...(origins["email.host"]?.from === "environment" && !email ? ["SMTP_HOST (SMTP_FROM?)"] : []),
    ...listUnusedEvents(settings.hooks),
  ];
}

/** Says so; undefined when there are none. */
export function describeUnusedSettings(names: readonly string[]): Text | undefined {
  if (names.length === 0) return undefined;
  const list = names.join(", ");
  return { zh: `已设置但未使用：${list}`, en: `set, but not used: ${list}` };
}
