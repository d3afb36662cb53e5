import type { ServerSettings } from "./settings.ts";

/** Whether the configuration wants this tool; `name` is the server's own name for it. */
export function isWanted(settings: Pick<ServerSettings, "includeTools" | "excludeTools">, name: string): boolean {
  if (settings.excludeTools?.some((pattern) => matches(pattern, name))) return false;
  return settings.includeTools?.some((pattern) => matches(pattern, name)) ?? true;
}

/** `*` is any run of characters, also none; everything else is itself. */
export function matches(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return name === pattern;
  const last = rest.pop() ?? "";
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let from = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
  }
  return from <= name.length - last.length;
}
