import { type IdempotencyRecords, longestRecordMs } from "../../core/store/store.ts";
import { toText } from "../../kit/json.ts";
import type { StoreConnection } from "./connection.ts";
import type { Owner } from "./statements.ts";

/** Stores the idempotency records of one owner in the store's own file. */
export function createSqliteIdempotencyRecords(connection: StoreConnection, owner: Owner): IdempotencyRecords {
  return {
    async add({ runId, beginning, conversationId = null }) {
      const oldest = new Date(Date.now() - longestRecordMs).toISOString();
      const found = await connection.write(
        ({ pruneIdempotencyRecords, findIdempotencyRecord, addIdempotencyRecord }) => {
          pruneIdempotencyRecords.run({ oldest });
          const there = findIdempotencyRecord.get({ beginning, owner });
          const now = new Date().toISOString();
          if (there === undefined) addIdempotencyRecord.run({ run: runId, owner, now, conversation: conversationId });
          return there;
        },
      );
      return found && { runId: toText(found.run), begunAt: toText(found.begun_at) };
    },
    async remove(runId) {
      await connection.write(({ dropIdempotencyRecord }) => dropIdempotencyRecord.run({ run: runId, owner }));
    },
  };
}
