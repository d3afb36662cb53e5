import { textOf } from "../../core/json.ts";
import type { NumberedSource } from "../../core/sources.ts";
import { type Conversation, newId } from "../conversation.ts";
import type { ConversationStore } from "../store.ts";
import { type ConnectionOptions, openConnection } from "./connection.ts";
import { keepRun } from "./keep-run.ts";
import { type Loaded, loadWords, toEntry, toRunEntry, toTrace } from "./rows.ts";
import { createSourceList } from "./sqlite-sources.ts";

const defaults: ConnectionOptions = { patienceMs: 3_000, onDamage() {} };

/**
 * Conversations and traces in one SQLite file, which any number of processes may share. What `append` has acknowledged
 * is there after the process is killed. Rejects with a `DuetError` when the file cannot be used or is a newer Duet's.
 */
export async function createSqliteStore(
  file: string,
  options: Partial<ConnectionOptions> = {},
): Promise<ConversationStore> {
  const connection = await openConnection(file, { ...defaults, ...options });
  /** Numbers that runs gave out while the store could not be written, by conversation. */
  const owed = new Map<string, NumberedSource[]>();

  function conversationOf(id: string, { sources, ...words }: Loaded): Conversation {
    const list = createSourceList({
      conversationId: id,
      connection,
      known: sources,
      owe: (more) => void owed.set(id, [...(owed.get(id) ?? []), ...more]),
    });
    return { id, ...words, sources: list };
  }

  return {
    async load(id) {
      const loaded = await connection.read((statements) => loadWords(statements, id));
      return loaded && conversationOf(id, loaded);
    },
    create: async (id = newId("conv")) => conversationOf(id, { turns: [], summary: undefined, sources: [] }),
    async append(run) {
      const due = owed.get(run.conversationId) ?? [];
      owed.delete(run.conversationId);
      await connection.write((statements) => keepRun(statements, run, due));
    },
    async summarise(id, { text, turns }) {
      await connection.write(({ summarise }) => summarise.run({ id, text, turns }));
    },
    async latest() {
      const row = await connection.read(({ latest }) => latest.get());
      return row && textOf(row.id);
    },
    list: ({ limit, offset }) => connection.read(({ list }) => list.all(limit, offset).map(toEntry)),
    remove: (id) => connection.write(({ remove }) => remove.run(id).changes > 0),
    async trace(runId) {
      const row = await connection.read(({ trace, lastTrace }) =>
        runId === undefined ? lastTrace.get() : trace.get(runId),
      );
      return row && toTrace(row);
    },
    async runs(which) {
      const rows = await connection.read(({ runsOf, runsFrom }) =>
        "beginning" in which ? runsFrom.all({ beginning: which.beginning }) : runsOf.all(which.conversationId),
      );
      return rows.map(toTrace).flatMap((trace) => (trace ? [toRunEntry(trace)] : []));
    },
    close: async () => connection.close(),
  };
}
