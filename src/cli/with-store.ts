import type { ConversationStore } from "../app/open-duet.ts";
import type { Config, Flags } from "../config/load-config.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";
import type { Context } from "./console.ts";
import { writeLine } from "./stderr-lines.ts";
import { loadWithState } from "./with-duet.ts";

export interface OpenedStore extends Context {
  config: Config;
  store: ConversationStore;
}

/** Opens nothing but the store for a command, and closes it after it; gives the command's exit code. */
export async function withStore(
  flags: Flags,
  context: Context,
  work: (opened: OpenedStore) => Promise<number>,
): Promise<number> {
  const { console } = context;
  const [config, { openStore }] = await Promise.all([
    loadWithState(flags, console),
    import("../app/conversations/open-store.ts"),
  ]);
  const { store, problem, takeNotices } = await openStore(config);
  if (problem) throw problem;
  try {
    return await work({ ...context, config, store });
  } finally {
    await store.close();
    for (const { message } of takeNotices(config.locale)) writeLine(console, sanitizeLine(message));
  }
}
