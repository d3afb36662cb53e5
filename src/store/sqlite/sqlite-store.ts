import type { NumberedSource } from "../../core/sources.ts";
import { type Conversation, createId } from "../../core/store/conversation.ts";
import type { SharedStore } from "../../core/store/store.ts";
import { toText } from "../../kit/json.ts";
import { type ConnectionOptions, openStoreConnection } from "./connection.ts";
import { createSqliteIdempotencyRecords } from "./idempotency-records.ts";
import { type LoadedConversation, loadConversation, toEntry, toRunEntry, toTrace } from "./rows.ts";
import { saveRun } from "./save-run.ts";
import { createSqliteSourceList } from "./source-list.ts";

const defaults: ConnectionOptions = { patienceMs: 3_000, onDamage() {} };

/**
 * Conversations and traces in one SQLite file, which any number of processes may share. What `append` has acknowledged
 * is there after the process is killed. Rejects with a `DuetError` when the file cannot be used or is a newer Duet's.
 */
export async function createSqliteStore(file: string, options: Partial<ConnectionOptions> = {}): Promise<SharedStore> {
  const connection = await openStoreConnection(file, { ...defaults, ...options });
  /** Numbers that runs gave out while the store could not be written, by owner and conversation. */
  const owed = new Map<string, NumberedSource[]>();

  function of(name: string | undefined): SharedStore {
    const owner = name ?? null;
    const keyOf = (id: string): string => JSON.stringify([owner, id]);

    function conversationOf(id: string, { sources, ...words }: LoadedConversation): Conversation {
      const list = createSqliteSourceList({
        conversationId: id,
        owner,
        connection,
        known: sources,
        owe: (more) => void owed.set(keyOf(id), [...(owed.get(keyOf(id)) ?? []), ...more]),
      });
      return { id, ...words, sources: list };
    }

    async function mayHave(id: string): Promise<boolean> {
      return connection.read(({ conversation, isAnothers }) =>
        owner === null ? isAnothers.get({ id, owner }) === undefined : conversation.get({ id, owner }) !== undefined,
      );
    }

    return {
      of,
      begun: createSqliteIdempotencyRecords(connection, owner),
      async load(id) {
        const loaded = await connection.read((statements) => loadConversation(statements, { id, owner }));
        return loaded && conversationOf(id, loaded);
      },
      async create(wanted) {
        const id = wanted !== undefined && (await mayHave(wanted)) ? wanted : createId("conv");
        return conversationOf(id, { turns: [], summary: undefined, sources: [] });
      },
      async append(run) {
        const due = owed.get(keyOf(run.conversationId)) ?? [];
        owed.delete(keyOf(run.conversationId));
        await connection.write((statements) => saveRun(statements, { run, owner, owed: due }));
      },
      async summarise(id, { text, turns, isWanted = false }) {
        await connection.write(({ summarise, wantSummary }) => {
          const { changes } = summarise.run({ id, owner, text, turns, wanted: Number(isWanted) });
          if (isWanted && changes > 0) wantSummary.run(id);
        });
      },
      async latest() {
        const row = await connection.read(({ latest }) => latest.get({ owner }));
        return row && toText(row.id);
      },
      list: ({ limit, offset }) => connection.read(({ list }) => list.all({ limit, offset, owner }).map(toEntry)),
      remove: (id) => connection.write(({ remove }) => remove.run({ id, owner }).changes > 0),
      async trace(runId) {
        const row = await connection.read(({ trace, lastTrace }) =>
          runId === undefined ? lastTrace.get({ owner }) : trace.get({ run: runId, owner }),
        );
        return row && toTrace(row);
      },
      async runs(which) {
        const rows = await connection.read(({ runsOf, runsFrom, newestRuns }) => {
          if ("newest" in which)
            return newestRuns.all({ limit: which.newest, beginning: which.beginning ?? "", owner });
          if ("beginning" in which) return runsFrom.all({ beginning: which.beginning, owner });
          return runsOf.all({ id: which.conversationId, owner });
        });
        return rows.map(toTrace).flatMap((trace) => (trace ? [toRunEntry(trace)] : []));
      },
      close: async () => (owner === null ? connection.close() : undefined),
    };
  }

  return of(undefined);
}
