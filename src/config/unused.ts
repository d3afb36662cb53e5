import type { Text } from "../core/locale.ts";
import type { Config } from "./settings.ts";

/** Settings that this version reads and checks but does not obey yet. */
const later = ["httpToken"];

/** Those of them that somebody has set, by the names they were set under: nobody shall rely on them. */
export function unusedSettings({ origins, email }: Pick<Config, "origins" | "email">): string[] {
  const mail = origins["email.host"]?.from === "environment" && !email ? ["SMTP_HOST (SMTP_FROM?)"] : [];
  const notYet = Object.entries(origins).flatMap(([path, origin]) => {
    if (!later.includes(path) || origin.from === "default") return [];
    return [origin.from === "file" || origin.from === "code" ? path : origin.name];
  });
  return [...notYet, ...mail];
}

/** Says so; undefined when there are none. */
export function unusedLine(names: readonly string[]): Text | undefined {
  if (names.length === 0) return undefined;
  const list = names.join(", ");
  return { zh: `已设置但未使用：${list}`, en: `set, but not used: ${list}` };
}
