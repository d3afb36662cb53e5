import type { Config } from "../../config/load-config.ts";
import { describeDangerousVariables, findDangerousVariables } from "../../config/trust/dangerous-variables.ts";
import type { Console } from "../console.ts";
import { createWarn } from "../stderr-lines.ts";

/** Tells which variables of servers can make them run other code: they are obeyed. */
export function warnDangers(config: Config, console: Console): void {
  for (const found of findDangerousVariables(config.servers))
    createWarn(config, console)(describeDangerousVariables(found));
}
