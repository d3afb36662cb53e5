import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { toDuetError } from "../../kit/errors.ts";
import { canComeBack, toOperatorError } from "../../store/errors/store-error.ts";

/** Names the database in the state directory. */
export const storeFile = "duet.db";

export type StoreSettings = Pick<Config, "home"> &
  Partial<Pick<Config, "store">> & { conversations: Pick<Config["conversations"], "store"> };

/** Returns the address of the database in which everything is kept; undefined where it is a file or nothing is kept. */
export function findDatabase({ conversations, store }: Omit<StoreSettings, "home">): string | undefined {
  return conversations.store === "memory" ? undefined : store?.url;
}

/** Says whether a program that cannot reach its database goes on and tries again, as a server does, or ends. */
export type WhenAway = "wait" | "refuse";

/**
 * Throws a `config` error where the store that the configuration names is a newer Duet's, and what else makes a database unusable. To
 * be called before it is opened.
 */
export async function refuseUnusableStore(
  { home, conversations, store }: StoreSettings,
  whenAway: WhenAway = "refuse",
): Promise<void> {
  const url = findDatabase({ conversations, store });
  if (url !== undefined) {
    const { checkDatabase } = await import("../../store/postgres/check-database.ts");
    // A server says so before anybody asks; a command says it when it writes, and some only read.
    return checkDatabase(url, { mayWrite: whenAway !== "refuse" }).catch((thrown: unknown) => {
      if (whenAway === "refuse" || !canComeBack(thrown)) throw toOperatorError(toDuetError(thrown));
    });
  }
  if (conversations.store === "memory") return;
  const { checkStoreVersion } = await import("../../store/sqlite/store-version.ts");
  checkStoreVersion(join(home, storeFile));
}
