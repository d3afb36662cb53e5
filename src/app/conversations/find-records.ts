import type { Config } from "../../config/config.ts";
import type { FindRecords, SharedRecords } from "../../core/store/shared-records.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import type { Once } from "../../kit/async/once.ts";
import { findDatabase } from "./store-settings.ts";

/** Returns what opens the records that machines share: those of `own`, or of the database that is configured. */
export function createFindRecords(
  config: Pick<Config, "conversations" | "store">,
  own: ConversationStore | undefined,
  store: Pick<Once<{ store: ConversationStore }>, "get">,
): FindRecords | undefined {
  if (own === undefined ? findDatabase(config) === undefined : own.records === undefined) return undefined;
  return async () => takeRecords((await store.get()).store);
}

/** Does a work with the records that machines share, and with undefined where each keeps its own. */
export async function withRecords<T>(config: Config, work: (find: FindRecords | undefined) => Promise<T>): Promise<T> {
  if (findDatabase(config) === undefined) return work(undefined);
  const { openStore } = await import("./open-store.ts");
  const { store } = await openStore(config);
  try {
    return await work(async () => takeRecords(store));
  } finally {
    await store.close();
  }
}

function takeRecords({ records }: ConversationStore): SharedRecords {
  if (records === undefined) throw new Error("the store shares no records");
  return records;
}
