import { LRUCache } from "lru-cache";
import type { NumberedSource } from "../../core/sources.ts";
import { firstBranch } from "../../core/store/conversations/branches.ts";
import type { Conversation } from "../../core/store/conversations/conversation.ts";
import { toConversationTitle } from "../../core/store/conversations/conversation-title.ts";
import { toRunEntry } from "../../core/store/conversations/entries.ts";
import { findFileRef } from "../../core/store/conversations/find-file.ts";
import { createId } from "../../core/store/create-id.ts";
import { type Journal, LostRunError } from "../../core/store/journal.ts";
import { keepAll, type RetentionLimits } from "../../core/store/retention.ts";
import type { ProcessNotifications } from "../../core/store/shared-records.ts";
import { localRuns, type SharedRuns } from "../../core/store/shared-runs.ts";
import type { ConversationChanges, OperatorStore, SharedStore } from "../../core/store/store.ts";
import { toText } from "../../kit/json.ts";
import { StoreError } from "../errors/store-error.ts";
import type { StoreConnection } from "./connection.ts";
import { createSqlBranches } from "./conversations/branch-list.ts";
import { insertSummary } from "./conversations/branches.ts";
import { listConversations } from "./conversations/conversation-list.ts";
import { createDiscardedConversations } from "./conversations/discarded.ts";
import { insertRun, packTurn } from "./conversations/finished-run.ts";
import { packTrace } from "./conversations/packed-trace.ts";
import { removeInSteps } from "./conversations/removal.ts";
import { createSqlResultList } from "./conversations/result-list.ts";
import { type KnownTurns, type LoadedConversation, loadConversation, toTrace } from "./conversations/rows.ts";
import { createSqlSourceList } from "./conversations/source-list.ts";
import { readTurnFiles } from "./conversations/turn-files.ts";
import type { Owner } from "./conversations/update-conversation.ts";
import { createSqlCredentials } from "./records/credentials.ts";
import { createSqlDailyUsage } from "./records/daily-usage.ts";
import { createSqlHostTimeouts } from "./records/host-timeouts.ts";
import { createSqlIdempotencyRecords } from "./records/idempotency-records.ts";
import { createSqlResponseRecords } from "./records/response-records.ts";
import { createSqlRunPlaces } from "./records/run-places.ts";
import { createSqlSharedRecords } from "./records/shared-records.ts";
import { createSqlTypedHistory } from "./records/typed-history.ts";
import { createSqlUsageHistory } from "./records/usage-history.ts";
import { createStoreRetention, type StoreSpace } from "./retention.ts";
import { statements } from "./statements/statements.ts";
import { lock, type Statement, type Work } from "./work.ts";

/** Limits the conversations whose numbers are remembered while the store cannot be written. */
const mostOwing = 1000;

/** Limits the turns that are remembered as they were read, in UTF-16 units. */
const mostKnownText = 16_000_000;

/** Is the database that a store is kept in. */
export interface SqlDatabase {
  connection: StoreConnection;
  journal: Journal;
  /** Is absent where each process knows only its own runs. */
  sharedRuns?: SharedRuns;
  /** Names this process as the holder of its runs, where another one may take them over while it lives. */
  holder?: string;
  space: StoreSpace;
  /** Selects a number, `version`, that is another one after another process has changed the store. */
  readVersion: Statement;
  /** Stores the end of a run, where the journal has to know of it. */
  endRun?(runId: string, store: () => Promise<void>): Promise<void>;
  /**
   * Selects the time, `now`, by which limits hold in all processes, where the machines that share the database may have clocks of their
   * own. Without it no other machine is there: places and records are each process's.
   */
  clock?: Statement | undefined;
  notifications?: ProcessNotifications | undefined;
  /** Ends what the process has open. */
  close(): Promise<void>;
}

export interface SqlStoreOptions {
  /** Says what is removed in the background. Nothing is when it is absent. */
  retention: RetentionLimits | undefined;
  /** Returns milliseconds since 1970, for what depends on the day. */
  now: () => number;
}

export interface SqlStore {
  store: OperatorStore;
  /** Forgets what was read before: the database is another one. */
  forget(): void;
}

/** Stores conversations and traces in a database, which any number of processes may share. */
export function createSqlStore(database: SqlDatabase, options: Partial<SqlStoreOptions> = {}): SqlStore {
  const { connection, journal, space, clock, sharedRuns = localRuns, holder } = database;
  const knownTurns = new LRUCache<string, KnownTurns>({ maxSize: mostKnownText, sizeCalculation: ({ size }) => size });
  function* readNow(): Work<number> {
    if (clock === undefined || options.now !== undefined) return (options.now ?? Date.now)();
    return Number((yield* clock.get())?.now);
  }
  const retention = createStoreRetention(connection, {
    limits: options.retention ?? keepAll,
    space,
    now: options.now,
    readNow,
  });
  const discarded = createDiscardedConversations(connection, options.now);
  void discarded.removeDue();
  /** Holds the numbers that runs gave out while the store could not be written, by owner and conversation. */
  const owed = new Map<string, NumberedSource[]>();

  function scopeToOwner(name: string | undefined): SharedStore {
    const owner = name ?? null;
    const toKey = (id: string): string => JSON.stringify([owner, id]);
    const addOwed = (id: string, more: readonly NumberedSource[]): void => {
      if (more.length > 0) owed.set(toKey(id), [...(owed.get(toKey(id)) ?? []), ...more]);
      const [oldest] = owed.keys();
      if (owed.size > mostOwing && oldest !== undefined) owed.delete(oldest);
    };

    function toConversation(
      id: string,
      { sources, lastResult, hasResults, ...words }: LoadedConversation,
    ): Conversation {
      const list = createSqlSourceList({
        conversationId: id,
        owner,
        connection,
        known: sources,
        owe: (more) => addOwed(id, more),
      });
      const results = createSqlResultList({ conversationId: id, owner, connection, last: lastResult, hasResults });
      return { id, ...words, sources: list, results };
    }

    async function isAllowed(id: string): Promise<boolean> {
      if (owner === null) return (await connection.read(() => statements.isAnothers.get({ id, owner }))) === undefined;
      return (await connection.read(() => statements.conversation.get({ id, owner }))) !== undefined;
    }

    return {
      of: scopeToOwner,
      idempotency: createSqlIdempotencyRecords(connection, owner),
      responses: createSqlResponseRecords(connection, owner, options.now ?? Date.now),
      hostTimeouts: createSqlHostTimeouts(connection, owner),
      dailyUsage: createSqlDailyUsage(connection, owner, readNow),
      ...(clock && { runPlaces: createSqlRunPlaces(connection, owner, readNow) }),
      branches: createSqlBranches(connection, owner),
      async load(id, branch, after) {
        const cache = {
          get: () => knownTurns.get(toKey(id)),
          set: (known: KnownTurns) => void knownTurns.set(toKey(id), known),
        };
        const loaded = await connection.read(() => loadConversation({ id, owner, branch, after }, cache));
        return loaded && toConversation(id, loaded);
      },
      async create(wanted, { isGiven = false } = {}) {
        const mayHave = wanted !== undefined && (isGiven || (await isAllowed(wanted)));
        const id = mayHave ? wanted : createId("conv");
        const nothing = { turns: [], summary: undefined, sources: [], lastResult: 0, hasResults: false };
        return toConversation(id, { branch: firstBranch, ...nothing });
      },
      async append(run) {
        const due = owed.get(toKey(run.conversationId)) ?? [];
        owed.delete(toKey(run.conversationId));
        const [columns, packed] = await Promise.all([packTrace(run.trace), packTurn(run)]);
        try {
          const stored = { run, columns, ...packed, owner, owed: due, holder, readNow };
          const write = async (): Promise<void> => {
            if (!(await connection.writeGrouped(() => insertRun(stored)))) throw new LostRunError(run.runId);
          };
          await (database.endRun?.(run.runId, write) ?? write());
        } catch (thrown) {
          // The run may be appended once more, and needs its sources then.
          if (thrown instanceof StoreError && thrown.mayPass) addOwed(run.conversationId, due);
          throw thrown;
        }
        if (options.retention !== undefined) retention.pruneWhenDue();
      },
      async summarise(id, { text, turns, isWanted = false, facts = [] }, branch, after) {
        const words = { text, turns, isWanted, facts: facts.length > 0 ? facts.join("\n") : null };
        await connection.write(function* () {
          yield* lock(`conversation ${id}`);
          yield* insertSummary({ id, owner, branch, after, ...words });
        });
      },
      async latest(folder) {
        const row = await connection.read(() =>
          statements.latest.get({ owner, folder: folder ?? null, anywhere: Number(folder === undefined) }),
        );
        return row && toText(row.id);
      },
      list: (page) => listConversations(connection, owner, page),
      remove: async (id) => (await removeInSteps(connection, [{ id, owner }])) > 0,
      async readVersion() {
        return Number((await connection.read(() => database.readVersion.get()))?.version);
      },
      discard: (id, graceMs) => discarded.add(id, owner, graceMs),
      restore: (id) => discarded.restore(id, owner),
      async rate(run, feedback) {
        const json = feedback === undefined ? null : JSON.stringify(feedback);
        return (await connection.write(() => statements.rate.run({ run, owner, feedback: json }))) > 0;
      },
      async findFile({ conversationId, hash }) {
        const rows = await connection.read(() => statements.turnFiles.all({ id: conversationId, hash, owner }));
        return findFileRef(
          rows.map(({ files }) => readTurnFiles(toText(files))),
          hash,
        );
      },
      async readFile({ conversationId, hash }) {
        const row = await connection.read(() => statements.readFile.get({ id: conversationId, hash, owner }));
        return row?.bytes instanceof Uint8Array ? row.bytes : undefined;
      },
      change: (id, changes) => connection.write(() => changeConversation({ id, owner }, changes)),
      async trace(runId) {
        const row = await connection.read(() =>
          runId === undefined ? statements.lastTrace.get({ owner }) : statements.trace.get({ run: runId, owner }),
        );
        return row && toTrace(row);
      },
      async runs(which) {
        const rows = await connection.read(() => {
          if ("newest" in which)
            return statements.newestRuns.all({ limit: which.newest, beginning: which.beginning ?? "", owner });
          if ("beginning" in which) return statements.runsFrom.all({ beginning: which.beginning, owner });
          return statements.runsOf.all({ id: which.conversationId, owner });
        });
        return rows.map(toTrace).flatMap((trace) => (trace ? [toRunEntry(trace)] : []));
      },
      async close() {
        if (owner !== null) return;
        retention.close();
        discarded.close();
        await database.close();
      },
    };
  }

  const store: OperatorStore = {
    ...scopeToOwner(undefined),
    typedHistory: createSqlTypedHistory(connection),
    credentials: createSqlCredentials(connection),
    usageHistory: createSqlUsageHistory(connection),
    ...(clock && { records: createSqlSharedRecords(connection, readNow, database.notifications) }),
    retention: {
      ...retention,
      async prune(signal) {
        await discarded.removeDue();
        return retention.prune(signal);
      },
    },
    journal,
    sharedRuns,
  };
  return { store, forget: () => knownTurns.clear() };
}

/** Names or pins a conversation. Returns false when the owner has none with that ID. */
function* changeConversation(
  key: { id: string; owner: Owner },
  { name, title: made, isPinned }: ConversationChanges,
): Work<boolean> {
  yield* lock(`conversation ${key.id}`);
  if (made !== undefined) yield* statements.setTitle.run({ ...key, title: made });
  const first = name === "" ? yield* statements.firstRun.get({ id: key.id }) : undefined;
  const title = name === "" ? toConversationTitle((first && toTrace(first))?.question ?? "") : name;
  const named = name === undefined ? null : Number(name !== "");
  const pinned = isPinned === undefined ? null : Number(isPinned);
  return (yield* statements.change.run({ ...key, title: title ?? null, named, pinned })) > 0;
}
