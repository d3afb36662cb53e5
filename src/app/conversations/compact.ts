import type { Compaction } from "../../agent/context/compact.ts";
import type { Prompts } from "../../agent/prompts/prompts.ts";
import type { Models } from "../../agent/run.ts";
import type { Config } from "../../config/load-config.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import type { CompactRequest } from "../ask-request.ts";
import { mergeLimits } from "../merge-limits.ts";

interface CompactOptions extends Omit<CompactRequest, "caller" | "models"> {
  models: Models;
  store: ConversationStore;
  prompts: Prompts;
  config: Config;
}

/** Puts all but the last turn of a conversation into a summary, within the time of one run. */
export async function compact({ config, locale = config.locale, ...options }: CompactOptions): Promise<Compaction> {
  const { compactConversation } = await import("../../agent/context/compact.ts");
  return compactConversation({ ...options, locale, limits: mergeLimits(config) });
}
