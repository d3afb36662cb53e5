import type { ServerSettings } from "../../config/config.ts";
import { isMatch } from "../../kit/text/match-pattern.ts";

/** Returns true when the configuration includes this tool; `name` is the server's own name for it. */
export function isWanted(settings: Pick<ServerSettings, "includeTools" | "excludeTools">, name: string): boolean {
  if (settings.excludeTools?.some((pattern) => isMatch(name, pattern))) return false;
  return settings.includeTools?.some((pattern) => isMatch(name, pattern)) ?? true;
}
