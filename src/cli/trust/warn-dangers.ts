import type { Config } from "../../config/load-config.ts";
import { dangerousLine, dangerousVariables } from "../../config/trust/dangerous-variables.ts";
import type { Console } from "../console.ts";
import { warning } from "../stderr-lines.ts";

/** Tells which variables of servers can make them run other code: they are obeyed. */
export function tellDangers(config: Config, console: Console): void {
  for (const found of dangerousVariables(config.servers)) warning(config, console)(dangerousLine(found));
}
