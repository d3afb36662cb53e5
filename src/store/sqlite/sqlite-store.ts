import { LRUCache } from "lru-cache";
import type { NumberedSource } from "../../core/sources.ts";
import { firstBranch } from "../../core/store/branches.ts";
import { toConversationTitle } from "../../core/store/conversation-title.ts";
import { findFileRef } from "../../core/store/find-file.ts";
import { keepAll, type RetentionLimits } from "../../core/store/retention.ts";
import {
  type Conversation,
  type ConversationChanges,
  createId,
  type OperatorStore,
  type SharedStore,
  toRunEntry,
} from "../../core/store/store.ts";
import { toText } from "../../kit/json.ts";
import { StoreError } from "../store-errors.ts";
import { createSqliteBranches } from "./branches/branch-list.ts";
import { insertSummary } from "./branches/branches.ts";
import { type ConnectionOptions, openStoreConnection } from "./connection.ts";
import { listConversations } from "./conversation-list.ts";
import { createSqliteCredentials } from "./credentials.ts";
import { createSqliteDailyUsage } from "./daily-usage.ts";
import { createDiscardedConversations } from "./discarded.ts";
import { insertRun, packTurn } from "./finished-run.ts";
import { createSqliteHostTimeouts } from "./host-timeouts.ts";
import { createSqliteIdempotencyRecords } from "./idempotency-records.ts";
import { createSqliteJournal } from "./journal/journal.ts";
import { packTrace } from "./packed-trace.ts";
import { removeInSteps } from "./removal.ts";
import { createSqliteResponseRecords } from "./response-records.ts";
import { createSqliteResultList } from "./result-list.ts";
import { createSqliteRetention } from "./retention.ts";
import { type KnownTurns, type LoadedConversation, loadConversation, toTrace } from "./rows.ts";
import { createSqliteSourceList } from "./source-list.ts";
import type { Owner, Statements } from "./statements.ts";
import { readTurnFiles } from "./turn-files.ts";
import { createSqliteTypedHistory } from "./typed-texts.ts";
import { createSqliteUsageHistory } from "./usage-history.ts";

/** Limits the conversations whose numbers are remembered while the store cannot be written. */
const mostOwing = 1000;

/** Limits the turns that are remembered as they were read, in UTF-16 units. */
const mostKnownText = 16_000_000;

const defaults: ConnectionOptions = { patienceMs: 3_000, onDamage() {}, onReplace() {} };

export interface SqliteStoreOptions extends ConnectionOptions {
  /** Says what is removed in the background. Nothing is when it is absent. */
  retention: RetentionLimits | undefined;
  /** Returns milliseconds since 1970, for what depends on the day. */
  now: () => number;
}

/**
 * Stores conversations and traces in one SQLite file, which any number of processes may share. Turns that `append` has
 * acknowledged survive when the process is killed. Rejects with a `DuetError` when the file cannot be used or was written by a
 * newer Duet.
 */
export async function createSqliteStore(
  file: string,
  options: Partial<SqliteStoreOptions> = {},
): Promise<OperatorStore> {
  const knownTurns = new LRUCache<string, KnownTurns>({ maxSize: mostKnownText, sizeCalculation: ({ size }) => size });
  const { onReplace = defaults.onReplace, onDamage = defaults.onDamage } = options;
  const connection = await openStoreConnection(file, {
    ...defaults,
    ...options,
    onReplace() {
      knownTurns.clear();
      onReplace();
    },
    onDamage(name) {
      knownTurns.clear();
      onDamage(name);
    },
  });
  const journal = createSqliteJournal(file, connection);
  const retention = createSqliteRetention(connection, { limits: options.retention ?? keepAll, now: options.now });
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
      const list = createSqliteSourceList({
        conversationId: id,
        owner,
        connection,
        known: sources,
        owe: (more) => addOwed(id, more),
      });
      const results = createSqliteResultList({ conversationId: id, owner, connection, last: lastResult, hasResults });
      return { id, ...words, sources: list, results };
    }

    async function isAllowed(id: string): Promise<boolean> {
      return connection.read(({ conversation, isAnothers }) =>
        owner === null ? isAnothers.get({ id, owner }) === undefined : conversation.get({ id, owner }) !== undefined,
      );
    }

    return {
      of: scopeToOwner,
      idempotency: createSqliteIdempotencyRecords(connection, owner),
      responses: createSqliteResponseRecords(connection, owner, options.now ?? Date.now),
      hostTimeouts: createSqliteHostTimeouts(connection, owner),
      dailyUsage: createSqliteDailyUsage(connection, owner, options.now),
      branches: createSqliteBranches(connection, owner),
      async load(id, branch, after) {
        const cache = {
          get: () => knownTurns.get(toKey(id)),
          set: (known: KnownTurns) => void knownTurns.set(toKey(id), known),
        };
        const loaded = await connection.read((statements) =>
          loadConversation(statements, { id, owner, branch, after }, cache),
        );
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
          await connection.write((statements) => insertRun(statements, { run, columns, ...packed, owner, owed: due }));
        } catch (thrown) {
          // The run may be appended once more, and needs its sources then.
          if (thrown instanceof StoreError && thrown.mayPass) addOwed(run.conversationId, due);
          throw thrown;
        }
        if (options.retention !== undefined) retention.pruneWhenDue();
      },
      async summarise(id, { text, turns, isWanted = false, facts = [] }, branch, after) {
        const words = { text, turns, isWanted, facts: facts.length > 0 ? facts.join("\n") : null };
        await connection.write((statements) => insertSummary(statements, { id, owner, branch, after, ...words }));
      },
      async latest(folder) {
        const row = await connection.read(({ latest }) =>
          latest.get({ owner, folder: folder ?? null, anywhere: Number(folder === undefined) }),
        );
        return row && toText(row.id);
      },
      list: (page) => listConversations(connection, owner, page),
      remove: async (id) => (await removeInSteps(connection, [{ id, owner }])) > 0,
      readVersion: () => connection.read(({ dataVersion }) => Number(dataVersion.get()?.version)),
      discard: (id, graceMs) => discarded.add(id, owner, graceMs),
      restore: (id) => discarded.restore(id, owner),
      rate: (run, feedback) =>
        connection.write(({ rate }) => {
          const json = feedback === undefined ? null : JSON.stringify(feedback);
          return rate.run({ run, owner, feedback: json }).changes > 0;
        }),
      async findFile({ conversationId, hash }) {
        const rows = await connection.read(({ turnFiles }) => turnFiles.all({ id: conversationId, hash, owner }));
        return findFileRef(
          rows.map(({ files }) => readTurnFiles(toText(files))),
          hash,
        );
      },
      async readFile({ conversationId, hash }) {
        const row = await connection.read(({ readFile }) => readFile.get({ id: conversationId, hash, owner }));
        return row?.bytes instanceof Uint8Array ? row.bytes : undefined;
      },
      change: (id, changes) => connection.write((statements) => changeConversation(statements, { id, owner }, changes)),
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
      async close() {
        if (owner !== null) return;
        retention.close();
        discarded.close();
        journal.close();
        connection.close();
      },
    };
  }

  return {
    ...scopeToOwner(undefined),
    typedHistory: createSqliteTypedHistory(connection),
    credentials: createSqliteCredentials(connection),
    usageHistory: createSqliteUsageHistory(connection),
    retention: {
      ...retention,
      async prune(signal) {
        await discarded.removeDue();
        return retention.prune(signal);
      },
    },
    journal,
  };
}

/** Names or pins a conversation. Returns false when the owner has none with that ID. Must run inside a transaction. */
function changeConversation(
  { change, setTitle, firstRun }: Statements,
  key: { id: string; owner: Owner },
  { name, title: made, isPinned }: ConversationChanges,
): boolean {
  if (made !== undefined) setTitle.run({ ...key, title: made });
  const first = name === "" ? firstRun.get(key.id) : undefined;
  const title = name === "" ? toConversationTitle((first && toTrace(first))?.question ?? "") : name;
  const named = name === undefined ? null : Number(name !== "");
  const pinned = isPinned === undefined ? null : Number(isPinned);
  return change.run({ ...key, title: title ?? null, named, pinned }).changes > 0;
}
