import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { Caller } from "../../core/caller.ts";
import type { Notice } from "../../core/events.ts";
import type { ConversationStore, OperatorStore, SharedStore, TypedHistory } from "../../core/store/store.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";
import { noticeDamagedStore, noticeUnavailableStore } from "../notices.ts";

/** Holds the conversation store and traces, and what the reader must know about it. */
export interface OpenedStore {
  store: ConversationStore;
  /** Is undefined when an embedding program has brought its own store. */
  typedHistory?: TypedHistory;
  /** Explains why conversations last only as long as the process although they should be saved. */
  problem?: DuetError;
  /** Returns the notices that nobody has received yet, in the order they occurred. Each is returned once. */
  takeNotices(locale: Locale): Notice[];
}

/** Names the database in the state directory. */
export const storeFile = "duet.db";

/**
 * Opens the file `duet.db` in the state directory, or `own` in its place. Where the file cannot be used, conversations
 * last as long as the process; never rejects.
 */
export async function openStore(
  { home, conversations }: Pick<Config, "home" | "conversations">,
  own?: ConversationStore,
): Promise<OpenedStore> {
  if (own) return { store: own, takeNotices: () => [] };
  if (conversations.store === "memory") return { ...split(await openMemory()), takeNotices: () => [] };
  const untold: ((locale: Locale) => Notice)[] = [];
  const takeNotices: OpenedStore["takeNotices"] = (locale) => untold.splice(0).map((tell) => tell(locale));
  try {
    const { createSqliteStore } = await import("../../store/sqlite/sqlite-store.ts");
    const onDamage = (name: string): void => void untold.push((locale) => noticeDamagedStore(name, locale));
    return { ...split(await createSqliteStore(join(home, storeFile), { onDamage })), takeNotices };
  } catch (thrown) {
    const problem = toDuetError(thrown);
    untold.push((locale) => noticeUnavailableStore(problem, locale));
    const onThrow = (): void => void untold.splice(0);
    const { store, typedHistory } = split(await openMemory());
    return { store: createStandIn(store, problem, onThrow), typedHistory, problem, takeNotices };
  }
}

/**
 * Returns the caller's part of the store. Throws a `config` error when an embedding program's own store cannot separate owners.
 */
export function scopeStore(store: ConversationStore, { owner }: Caller): ConversationStore {
  if (owner === undefined) return store;
  if (store.of === undefined) throw new DuetError({ code: "config", text: forOperator });
  return store.of(owner);
}

const forOperator = {
  zh: "此对话存储只为操作者服务：它没有 of(owner)",
  en: "this conversation store serves the operator only: it has no of(owner)",
};

function split(store: OperatorStore): { store: SharedStore; typedHistory: TypedHistory } {
  return { store, typedHistory: store.typedHistory };
}

async function openMemory(): Promise<OperatorStore> {
  const { createMemoryStore } = await import("../../store/memory/memory-store.ts");
  return createMemoryStore();
}

/** Does not say that nobody has ever asked anything, when it only cannot see it. */
function createStandIn(memory: SharedStore, problem: DuetError, onThrow: () => void): SharedStore {
  return {
    ...memory,
    of: (owner) => createStandIn(memory.of(owner), problem, onThrow),
    async latest() {
      const id = await memory.latest();
      if (id !== undefined) return id;
      // Whoever gets the problem itself needs no notice of it.
      onThrow();
      throw problem;
    },
  };
}
