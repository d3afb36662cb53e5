import type { Text } from "../kit/locale.ts";

/** Returns the prefix of every message that says a server cannot be used. */
export function describeUnusable(name: string): Text {
  return { zh: `MCP 服务器 ${name} 无法使用：`, en: `MCP server ${name} cannot be used: ` };
}
