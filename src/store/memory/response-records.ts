import { LRUCache } from "lru-cache";
import { longestResponseMs, type ResponseRecord, type ResponseRecords } from "../../core/store/response-records.ts";

export interface MemoryResponseRecords {
  of(owner: string | undefined): ResponseRecords;
  /** Removes the records of a conversation. */
  removeOf(conversationId: string): void;
  /** Gives the records of a conversation to another owner. */
  changeOwner(conversationId: string, owner: string | undefined): void;
}

/** Limits what all records take, in UTF-16 units. */
const mostLength = 64_000_000;

/** Creates records that live as long as the process, the last ones that were used. */
export function createMemoryResponseRecords(): MemoryResponseRecords {
  const records = new LRUCache<string, ResponseRecord & { owner: string | undefined }>({
    maxSize: mostLength,
    sizeCalculation: ({ body }) => 1 + body.length,
    ttl: longestResponseMs,
  });
  return {
    removeOf(wanted) {
      for (const [id, { conversationId }] of records) if (conversationId === wanted) records.delete(id);
    },
    changeOwner(wanted, owner) {
      for (const record of records.values()) if (record.conversationId === wanted) record.owner = owner;
    },
    of: (owner) => {
      const find = (id: string): ResponseRecord | undefined => {
        const found = records.get(id);
        return found?.owner === owner ? found : undefined;
      };
      const keep = (record: ResponseRecord): void => {
        const before = records.get(record.id);
        if (before !== undefined && before.owner !== owner) throw new Error("the response is another owner's");
        records.set(record.id, { ...record, owner });
      };
      return {
        put: async (record) => keep(record),
        async replace(record) {
          // No other process knows these, and one that had to make room is put back.
          keep(record);
          return true;
        },
        get: async (id) => find(id),
        has: async (id) => find(id) !== undefined,
        remove: async (id) => find(id) !== undefined && records.delete(id),
        async hasAny(conversationId) {
          for (const record of records.values())
            if (record.owner === owner && record.conversationId === conversationId) return true;
          return false;
        },
      };
    },
  };
}
