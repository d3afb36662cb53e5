import type { Config } from "./settings.ts";

/** Settings that this version reads and checks but does not obey yet. */
const later = [
  "tools.ask",
  "tools.directory",
  "httpToken",
  ...["brave", "serper", "exa", "bocha", "zhipu"].map((backend) => `search.${backend}.apiKey`),
];

/** Those of them that somebody has set, by the names they were set under: nobody shall rely on them. */
export function unusedSettings({ origins }: Pick<Config, "origins">): string[] {
  return Object.entries(origins).flatMap(([path, origin]) => {
    const isLater = later.some((key) => path === key || path.startsWith(`${key}[`));
    if (!isLater || origin.from === "default") return [];
    return [origin.from === "file" || origin.from === "code" ? path : origin.name];
  });
}
