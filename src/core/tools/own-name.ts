import { toShortLine } from "../../kit/text/sanitize.ts";
import type { Tool } from "./tool.ts";

/** Limits a name that is shown, in UTF-16 units. */
const longestName = 80;

/**
 * Returns the name that a tool has at its server, behind the server's own, where models have to call it by another one that
 * nobody can read: `服务器__天气`. Undefined where the name for models says as much.
 */
export function getOwnName({ source, hostFields }: Pick<Tool, "source" | "hostFields">): string | undefined {
  const name = hostFields?.()?.name;
  if (name === undefined || !/\P{ASCII}/u.test(name)) return undefined;
  return toShortLine(`${source}__${name}`, longestName);
}
