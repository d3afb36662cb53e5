import { type BegunRuns, longestMarkMs } from "../../core/store/idempotency-records.ts";
import { textOf } from "../../kit/json.ts";
import type { Connection } from "./connection.ts";
import type { Owner } from "./statements.ts";

/** One owner's marks, in the store's own file. */
export function createSqliteMarks(connection: Connection, owner: Owner): BegunRuns {
  return {
    async mark({ runId, beginning }) {
      const oldest = new Date(Date.now() - longestMarkMs).toISOString();
      const found = await connection.write(({ pruneMarks, markFrom, addMark }) => {
        pruneMarks.run({ oldest });
        const there = markFrom.get({ beginning, owner });
        if (there === undefined) addMark.run({ run: runId, owner, now: new Date().toISOString() });
        return there;
      });
      return found && { runId: textOf(found.run), begunAt: textOf(found.begun_at) };
    },
    async unmark(runId) {
      await connection.write(({ dropMark }) => dropMark.run({ run: runId, owner }));
    },
  };
}
