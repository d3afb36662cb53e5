import { type IdempotencyRecords, longestRecordMs } from "../../../core/store/idempotency-records.ts";
import { toText } from "../../../kit/json.ts";
import type { StoreConnection } from "../connection.ts";
import type { Owner } from "../conversations/update-conversation.ts";
import { statements } from "../statements/statements.ts";
import { lock } from "../work.ts";

/** Stores the idempotency records of one owner in the store's own file. */
export function createSqlIdempotencyRecords(connection: StoreConnection, owner: Owner): IdempotencyRecords {
  return {
    async add({ runId, beginning, conversationId = null }) {
      const oldest = new Date(Date.now() - longestRecordMs).toISOString();
      // By itself: a process that ends between the key and its run leaves a key without one, so nothing else is waited for in between.
      const found = await connection.write(function* () {
        yield* lock(`key ${owner ?? ""} ${beginning}`);
        yield* statements.pruneIdempotencyRecords.run({ oldest });
        const there = yield* statements.findIdempotencyRecord.get({ beginning, owner });
        const now = new Date().toISOString();
        if (there === undefined)
          yield* statements.addIdempotencyRecord.run({ run: runId, owner, now, conversation: conversationId });
        return there;
      });
      return found && { runId: toText(found.run), begunAt: toText(found.begun_at) };
    },
    async remove(runId) {
      await connection.write(() => statements.dropIdempotencyRecord.run({ run: runId, owner }));
    },
  };
}
