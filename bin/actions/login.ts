import { loadWithState } from "../../src/cli/with-duet.ts";
import { toFlags } from "../options.ts";
import { toText, type Values } from "../values.ts";
import type { Action } from "./action.ts";

/** Signs in to a remote server, or deletes its credentials. No other server is opened. */
export function runSignIn(values: Values): Action {
  return async ({ console, signal }) => {
    const [config, { runLogin, runLogout }] = await Promise.all([
      loadWithState(toFlags(values), console),
      import("../../src/cli/login.ts"),
    ]);
    const command = { config, server: toText(values.server) ?? "", console, signal };
    return values.remove === true ? runLogout(command) : runLogin(command);
  };
}
