import type { NumberedSource } from "../../core/sources.ts";
import { toConversationTitle } from "../../core/store/conversation-title.ts";
import type { RetentionLimits } from "../../core/store/retention.ts";
import {
  type Conversation,
  type ConversationChanges,
  createId,
  type FinishedRun,
  type HostIdentity,
  type HostTimeouts,
  type IdempotencyRecords,
  longestRecordMs,
  longestTimeoutRecordMs,
  mostTypedTexts,
  type OperatorStore,
  type SharedStore,
  type SourceList,
  type TypedHistory,
  toRunEntry,
} from "../../core/store/store.ts";
import type { Source } from "../../core/tools/tool.ts";
import { toText } from "../../kit/json.ts";
import { StoreError } from "../store-errors.ts";
import { type ConnectionOptions, openStoreConnection, type StoreConnection } from "./connection.ts";
import { createSqliteDailyUsage } from "./daily-usage.ts";
import { packTrace, type TraceColumns } from "./packed-trace.ts";
import { removeInSteps } from "./removal.ts";
import { createSqliteRetention } from "./retention.ts";
import { type LoadedConversation, loadConversation, toEntry, toTrace } from "./rows.ts";
import { type Owner, type Statements, updateConversation } from "./statements.ts";
import { toTypedText } from "./typed-texts.ts";

/** Limits the conversations whose numbers are remembered while the store cannot be written. */
const mostOwing = 1000;

const defaults: ConnectionOptions = { patienceMs: 3_000, onDamage() {}, onReplace() {} };

const keepAll: RetentionLimits = { keepDays: 36_500, maxSize: Number.MAX_SAFE_INTEGER };

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
  const connection = await openStoreConnection(file, { ...defaults, ...options });
  const retention = createSqliteRetention(connection, { limits: options.retention ?? keepAll, now: options.now });
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

    function toConversation(id: string, { sources, ...words }: LoadedConversation): Conversation {
      const list = createSqliteSourceList({
        conversationId: id,
        owner,
        connection,
        known: sources,
        owe: (more) => addOwed(id, more),
      });
      return { id, ...words, sources: list };
    }

    async function isAllowed(id: string): Promise<boolean> {
      return connection.read(({ conversation, isAnothers }) =>
        owner === null ? isAnothers.get({ id, owner }) === undefined : conversation.get({ id, owner }) !== undefined,
      );
    }

    return {
      of: scopeToOwner,
      idempotency: createSqliteIdempotencyRecords(connection, owner),
      hostTimeouts: createSqliteHostTimeouts(connection, owner),
      dailyUsage: createSqliteDailyUsage(connection, owner, options.now),
      async load(id) {
        const loaded = await connection.read((statements) => loadConversation(statements, { id, owner }));
        return loaded && toConversation(id, loaded);
      },
      async create(wanted) {
        const id = wanted !== undefined && (await isAllowed(wanted)) ? wanted : createId("conv");
        return toConversation(id, { turns: [], summary: undefined, sources: [] });
      },
      async append(run) {
        const due = owed.get(toKey(run.conversationId)) ?? [];
        owed.delete(toKey(run.conversationId));
        const columns = await packTrace(run.trace);
        try {
          await connection.write((statements) => insertRun(statements, { run, columns, owner, owed: due }));
        } catch (thrown) {
          // The run may be appended once more, and needs its sources then.
          if (thrown instanceof StoreError && thrown.mayPass) addOwed(run.conversationId, due);
          throw thrown;
        }
        if (options.retention !== undefined) retention.pruneWhenDue();
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
      remove: async (id) => (await removeInSteps(connection, [{ id, owner }])) > 0,
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
        connection.close();
      },
    };
  }

  return { ...scopeToOwner(undefined), typedHistory: createSqliteTypedHistory(connection), retention };
}

/** Names or pins a conversation. Returns false when the owner has none with that ID. Must run inside a transaction. */
function changeConversation(
  { change, firstRun }: Statements,
  key: { id: string; owner: Owner },
  { name, isPinned }: ConversationChanges,
): boolean {
  const first = name === "" ? firstRun.get(key.id) : undefined;
  const title = name === "" ? toConversationTitle((first && toTrace(first))?.question ?? "") : name;
  const named = name === undefined ? null : Number(name !== "");
  const pinned = isPinned === undefined ? null : Number(isPinned);
  return change.run({ ...key, title: title ?? null, named, pinned }).changes > 0;
}

function createSqliteTypedHistory(connection: StoreConnection): TypedHistory {
  return {
    async list() {
      const rows = await connection.read(({ typedTexts }) => typedTexts.all(mostTypedTexts));
      return rows.map(toTypedText);
    },
    add: (texts) =>
      connection.write(({ addTypedText, pruneTypedTexts }) => {
        const added = typeof texts === "function" ? texts() : texts;
        for (const text of added.slice(-mostTypedTexts)) addTypedText.run(JSON.stringify(text));
        if (added.length > 0) pruneTypedTexts.run(mostTypedTexts);
      }),
  };
}

/** Stores the time-outs of one owner's hosts in the store's own file. */
function createSqliteHostTimeouts(connection: StoreConnection, owner: Owner): HostTimeouts {
  const toKey = ({ name, version }: HostIdentity): string => JSON.stringify([name, version]);
  const getOldest = (): string => new Date(Date.now() - longestTimeoutRecordMs).toISOString();
  return {
    async get(host) {
      const key = { owner, host: toKey(host), oldest: getOldest() };
      const row = await connection.read(({ findHostTimeout }) => findHostTimeout.get(key));
      return row && Number(row.seconds);
    },
    async set(host, seconds) {
      const now = new Date().toISOString();
      await connection.write(({ pruneHostTimeouts, putHostTimeout }) => {
        pruneHostTimeouts.run({ oldest: getOldest() });
        putHostTimeout.run({ owner, host: toKey(host), seconds, now });
      });
    },
  };
}

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

/** Holds a run with its owner and the source numbers that still have to be stored. */
interface StoredRun {
  run: FinishedRun;
  columns: TraceColumns;
  owner: Owner;
  owed: readonly NumberedSource[];
}

/**
 * Keeps a run with the sources its turn may cite; a run that is kept already stays as it is. Within a transaction. Throws where
 * the conversation or the run is another owner's.
 */
export function insertRun(statements: Statements, { run, columns, owner, owed }: StoredRun): void {
  const { conversationId, runId, turn, trace, pendingPlan, loadedTools } = run;
  statements.dropIdempotencyRecord.run({ run: runId, owner });
  if (statements.isKept.get({ run: runId, owner })) return;
  const title = toConversationTitle(trace.question);
  const turns = updateConversation(statements, { id: conversationId, owner, title, turns: turn ? 1 : 0 });
  statements.addTrace.run(runId, conversationId, columns.trace, columns.packed, owner);
  statements.dropPlan.run(conversationId);
  if (pendingPlan !== undefined) statements.addPlan.run(conversationId, pendingPlan);
  if (loadedTools !== undefined) {
    statements.dropLoadedTools.run(conversationId);
    for (const [index, name] of loadedTools.entries()) statements.addLoadedTool.run(conversationId, index, name);
  }
  if (turn === undefined) return;
  statements.addTurn.run(conversationId, turns, turn.question, turn.answer);
  for (const source of owed) saveSource(statements, conversationId, source);
}

export interface SourceListOptions {
  conversationId: string;
  owner: Owner;
  connection: StoreConnection;
  /** Holds the sources that were loaded. */
  known: readonly NumberedSource[];
  /** Takes the numbers that could not be claimed; they are to be kept with the conversation's next turn. */
  owe(sources: readonly NumberedSource[]): void;
}

/**
 * Lists the sources of one conversation as one run sees them: those that were loaded and those it claimed. A number is claimed
 * in the store before it is used, so that no other process gives it to another page. When the store cannot be written, the run
 * uses numbers of its own and stores them later.
 */
export function createSqliteSourceList({
  conversationId,
  owner,
  connection,
  known,
  owe,
}: SourceListOptions): SourceList {
  const byNumber = new Map(known.map(({ n, source }) => [n, source]));
  const byUrl = new Map(known.map(({ n, source }) => [source.url, n]));
  let last = known.at(-1)?.n ?? 0;

  const isFresh = ({ url }: Source): boolean => !byUrl.has(url);

  function recordSource({ n, source }: NumberedSource): void {
    byNumber.set(n, source);
    byUrl.set(source.url, n);
    last = Math.max(last, n);
  }

  /** Gives and learns in one go: calls run side by side, and a number may be given only once. */
  function numberAlone(sources: readonly Source[]): void {
    const numbered = sources.filter(isFresh).map((source, index) => ({ n: last + 1 + index, source }));
    numbered.forEach(recordSource);
    owe(numbered);
  }

  return {
    async number(sources) {
      const fresh = [...new Map(sources.filter(isFresh).map((source) => [source.url, source])).values()];
      if (fresh.length > 0) {
        await connection
          .write((statements) => claim(statements, { conversationId, owner, sources: fresh, after: last }))
          .then(
            (claimed) => claimed.forEach(recordSource),
            () => numberAlone(fresh),
          );
      }
      return sources.map(({ url }) => byUrl.get(url) ?? 0);
    },
    get: (wanted) => byNumber.get(wanted),
    all: () => [...byNumber].map(([n, source]) => ({ n, source })).sort((a, b) => a.n - b.n),
    get size() {
      return byNumber.size;
    },
  };
}

interface Claim {
  conversationId: string;
  owner: Owner;
  sources: readonly Source[];
  /** New numbers are greater than this one, which is in use whatever the store says. */
  after: number;
}

/** Returns the numbers of these pages, and assigns new ones where needed. Must run inside a transaction. */
function claim(statements: Statements, { conversationId, owner, sources, after }: Claim): NumberedSource[] {
  updateConversation(statements, { id: conversationId, owner });
  let last = Math.max(after, Number(statements.lastNumber.get(conversationId)?.n));
  return sources.map((source) => {
    const taken = statements.sourceNumber.get(conversationId, source.url);
    if (taken) return { n: Number(taken.n), source };
    saveSource(statements, conversationId, { n: ++last, source });
    return { n: last, source };
  });
}

/** Keeps a source under its number. Throws when either is taken. */
function saveSource(statements: Statements, conversationId: string, { n, source }: NumberedSource): void {
  statements.addSource.run(conversationId, n, source.url, source.title, source.snippet);
}
