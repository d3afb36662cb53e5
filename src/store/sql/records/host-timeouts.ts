import { type HostIdentity, type HostTimeouts, longestTimeoutRecordMs } from "../../../core/store/host-timeouts.ts";
import type { StoreConnection } from "../connection.ts";
import type { Owner } from "../conversations/update-conversation.ts";
import { statements } from "../statements/statements.ts";

/** Stores the time-outs of one owner's hosts in the store's own file. */
export function createSqlHostTimeouts(connection: StoreConnection, owner: Owner): HostTimeouts {
  const toKey = ({ name, version }: HostIdentity): string => JSON.stringify([name, version]);
  const getOldest = (): string => new Date(Date.now() - longestTimeoutRecordMs).toISOString();
  return {
    async get(host) {
      const key = { owner, host: toKey(host), oldest: getOldest() };
      const row = await connection.read(() => statements.findHostTimeout.get(key));
      return row && Number(row.seconds);
    },
    async set(host, seconds) {
      const now = new Date().toISOString();
      await connection.write(function* () {
        yield* statements.pruneHostTimeouts.run({ oldest: getOldest() });
        yield* statements.putHostTimeout.run({ owner, host: toKey(host), seconds, now });
      });
    },
  };
}
