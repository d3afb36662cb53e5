import { type Console, createWarn } from "../../src/cli/console.ts";
import type { Config } from "../../src/config/config.ts";
import { readMode, toFlags, type Values } from "../read-options.ts";
import type { Action } from "./command.ts";

/** Limits how long an agent may take to close when its editor has left, in milliseconds. */
const closeMs = 2_000;

/** Serves editors that take Duet as their agent (ACP), until the editor leaves. */
export function serveEditor(values: Values): Action {
  const flags = toFlags(values);
  const run: Action = async ({ console, signal }) => {
    const { stdin, stdout, stderr } = console;
    const [{ serveOverAcp }, { toWorkspaceConfig }, { loadConfig }, { openDuet }] = await Promise.all([
      import("../../src/server/acp/serve-acp.ts"),
      import("../../src/server/acp/editor-servers.ts"),
      import("../../src/config/load-config.ts"),
      import("../../src/app/open-duet.ts"),
    ]);
    const own = await loadConfig(flags);
    await serveOverAcp({
      stdin,
      stdout,
      stderr,
      signal,
      locale: own.locale,
      mode: readMode(values),
      async openWorkspace(place) {
        const { directory } = place;
        const loaded = await loadConfig(flags, undefined, directory);
        await prepareState(loaded, console);
        const config = toWorkspaceConfig(loaded, place);
        const duet = await openDuet(config, { warn: createWarn(config, console) });
        return { duet, config, directory, close: () => duet.close({ totalMs: closeMs }) };
      },
    });
    return 0;
  };
  return Object.assign(run, { endsBySignal: true });
}

/** Tells which settings are not applied, and throws a `config` error where nothing could be kept. */
async function prepareState(config: Config, console: Console): Promise<void> {
  const [{ describeUnused }, { createStateFolder }, { refuseUnusableStore }] = await Promise.all([
    import("../../src/config/unused.ts"),
    import("../../src/config/sources/state-folder.ts"),
    import("../../src/app/conversations/store-settings.ts"),
  ]);
  for (const line of describeUnused(config)) createWarn(config, console)(line);
  createStateFolder(config);
  await refuseUnusableStore(config, "wait");
}
