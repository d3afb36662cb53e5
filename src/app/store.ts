import type { ConversationStore } from "../agent/store.ts";
import type { Config } from "../config.ts";

/** Opens where conversations and traces are kept. */
export async function openStore(_config: Pick<Config, "home">): Promise<ConversationStore> {
  const { createMemoryStore } = await import("../agent/store/memory.ts");
  return createMemoryStore();
}
