import type { ConversationStore } from "../app.ts";
import type { Config, Flags } from "../config.ts";
import { printableLine } from "../core/printable.ts";
import type { Context } from "./console.ts";
import { loadWithState } from "./opened.ts";
import { writeLine } from "./stderr-lines.ts";

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
  const [config, { openStore }] = await Promise.all([loadWithState(flags, console), import("../app/store.ts")]);
  const { store, problem, takeNotices } = await openStore(config);
  if (problem) throw problem;
  try {
    return await work({ ...context, config, store });
  } finally {
    await store.close();
    for (const { message } of takeNotices(config.locale)) writeLine(console, printableLine(message));
  }
}
