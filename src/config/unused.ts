import type { Text } from "../core/locale.ts";
import type { Config } from "./settings.ts";
import type { Origin } from "./source.ts";

/** Settings that this version reads and checks but does not obey yet. */
const later = [
  "tools.ask",
  "tools.directory",
  "httpToken",
  ...["brave", "serper", "exa", "bocha", "zhipu"].map((backend) => `search.${backend}.apiKey`),
];

/** Those of them that somebody has set, by the names they were set under: nobody shall rely on them. */
export function unusedSettings(
  { origins }: Pick<Config, "origins">,
  counts: (origin: Origin) => boolean = () => true,
): string[] {
  return Object.entries(origins).flatMap(([path, origin]) => {
    const isLater = later.some((key) => path === key || path.startsWith(`${key}[`));
    if (!isLater || origin.from === "default" || !counts(origin)) return [];
    return [origin.from === "file" || origin.from === "code" ? path : origin.name];
  });
}

/** Says so; undefined when there are none. */
export function unusedLine(names: readonly string[]): Text | undefined {
  if (names.length === 0) return undefined;
  const list = names.join(", ");
  return { zh: `已设置但此版本尚不使用：${list}`, en: `set, but not used by this version yet: ${list}` };
}
