import type { Text } from "../kit/locale.ts";
import type { Config } from "./config.ts";

/** What somebody has set and nothing obeys, by the names it was set under: nobody shall rely on it. */
export function findUnusedSettings({ origins, email }: Pick<Config, "origins" | "email">): string[] {
  return origins["email.host"]?.from === "environment" && !email ? ["SMTP_HOST (SMTP_FROM?)"] : [];
}

/** Says so; undefined when there are none. */
export function describeUnusedSettings(names: readonly string[]): Text | undefined {
  if (names.length === 0) return undefined;
  const list = names.join(", ");
  return { zh: `已设置但未使用：${list}`, en: `set, but not used: ${list}` };
}
