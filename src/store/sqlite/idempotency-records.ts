import { type IdempotencyRecords, longestRecordMs } from "../../core/store/idempotency-records.ts";
import { toText } from "../../kit/json.ts";
import type { StoreConnection } from "./connection.ts";
import type { Owner } from "./statements.ts";

/** One owner's marks, in the store's own file. */
export function createSqliteIdempotencyRecords(connection: StoreConnection, owner: Owner): IdempotencyRecords {
  return {
    async mark({ runId, beginning }) {
      const oldest = new Date(Date.now() - longestRecordMs).toISOString();
      const found = await connection.write(({ pruneMarks, markFrom, addMark }) => {
        pruneMarks.run({ oldest });
        const there = markFrom.get({ beginning, owner });
        if (there === undefined) addMark.run({ run: runId, owner, now: new Date().toISOString() });
        return there;
      });
      return found && { runId: toText(found.run), begunAt: toText(found.begun_at) };
    },
    async unmark(runId) {
      await connection.write(({ dropMark }) => dropMark.run({ run: runId, owner }));
    },
  };
}
