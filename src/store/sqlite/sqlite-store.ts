import { LRUCache } from "lru-cache";
import type { NumberedSource } from "../../core/sources.ts";
import { firstBranch } from "../../core/store/branches.ts";
import { toConversationTitle } from "../../core/store/conversation-title.ts";
import { findLastResult, moveNumbers } from "../../core/store/move-numbers.ts";
import { keepAll, type RetentionLimits } from "../../core/store/retention.ts";
import {
  type Conversation,
  type ConversationChanges,
  type ConversationTurn,
  createId,
  type FinishedRun,
  type OperatorStore,
  type SharedStore,
  toRunEntry,
} from "../../core/store/store.ts";
import { toText } from "../../kit/json.ts";
import { StoreError } from "../store-errors.ts";
import { createSqliteBranches } from "./branches/branch-list.ts";
import { extendBranch, findBranch, insertSummary } from "./branches/branches.ts";
import { type ConnectionOptions, openStoreConnection } from "./connection.ts";
import { createSqliteCredentials } from "./credentials.ts";
import { createSqliteDailyUsage } from "./daily-usage.ts";
import { createSqliteHostTimeouts } from "./host-timeouts.ts";
import { createSqliteIdempotencyRecords } from "./idempotency-records.ts";
import { createSqliteJournal, dropRunFiles, endRunRecord } from "./journal/journal.ts";
import { packTextNow } from "./packed-text.ts";
import { packTrace, type TraceColumns } from "./packed-trace.ts";
import { removeInSteps } from "./removal.ts";
import { createSqliteResponseRecords } from "./response-records.ts";
import { createSqliteResultList, type PackedResult, packResults, saveResults } from "./result-list.ts";
import { createSqliteRetention } from "./retention.ts";
import { type KnownTurns, type LoadedConversation, loadConversation, toEntry, toTrace } from "./rows.ts";
import { createSqliteSourceList, saveSource } from "./source-list.ts";
import { type Owner, type Statements, updateConversation } from "./statements.ts";
import { writeTurnFiles } from "./turn-files.ts";
import { packTurnRecord, writeTurnRecord } from "./turn-record.ts";
import { createSqliteTypedHistory } from "./typed-texts.ts";

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
      async load(id, branch) {
        const cache = {
          get: () => knownTurns.get(toKey(id)),
          set: (known: KnownTurns) => void knownTurns.set(toKey(id), known),
        };
        const loaded = await connection.read((statements) =>
          loadConversation(statements, { id, owner, branch }, cache),
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
      async summarise(id, { text, turns, isWanted = false, facts = [] }, branch) {
        const words = { text, turns, isWanted, facts: facts.length > 0 ? facts.join("\n") : null };
        await connection.write((statements) => insertSummary(statements, { id, owner, branch, ...words }));
      },
      async latest(folder) {
        const row = await connection.read(({ latest }) =>
          latest.get({ owner, folder: folder ?? null, anywhere: Number(folder === undefined) }),
        );
        return row && toText(row.id);
      },
      list({ limit, offset, folder = null, withQuestions = false }) {
        const page = { limit, offset, owner, folder, questions: Number(withQuestions) };
        return connection.read(({ list }) => list.all(page).map(toEntry));
      },
      remove: async (id) => (await removeInSteps(connection, [{ id, owner }])) > 0,
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
        journal.close();
        connection.close();
      },
    };
  }

  return {
    ...scopeToOwner(undefined),
    typedHistory: createSqliteTypedHistory(connection),
    credentials: createSqliteCredentials(connection),
    retention,
    journal,
  };
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

/** Holds what a turn remembers of its run, and the results of the run, as their rows store them. */
interface PackedTurn {
  record: Uint8Array | null;
  results: readonly PackedResult[];
}

async function packTurn({ turn, results: kept }: FinishedRun): Promise<PackedTurn> {
  const [record, results] = await Promise.all([
    packTurnRecord(turn && writeTurnRecord(turn)),
    packResults(turn && kept),
  ]);
  return { record, results };
}

interface UnsettledTurn extends PackedTurn {
  run: FinishedRun & { turn: ConversationTurn };
}

/**
 * Returns the record and the results of a turn with the marker and the numbers that they have in the conversation: two runs of it
 * may have gone on side by side.
 */
function settleTurn(statements: Statements, { run, record, results }: UnsettledTurn): PackedTurn & { last: number } {
  const { conversationId: id, marker, lastResult = 0 } = run;
  const first = marker === undefined ? "" : toText(statements.setMarker.get({ id, marker })?.marker);
  const by = Number(statements.lastResult.get(id)?.results) - lastResult;
  const given = { turn: run.turn, results: run.results ?? [] };
  const last = findLastResult(given);
  const isNumbered = by > 0 && last > lastResult;
  const isMarked = marker === undefined || first === marker;
  if (!isNumbered && isMarked) return { record, results, last };
  const { turn } = isNumbered ? moveNumbers(given, lastResult, by) : given;
  const json = writeTurnRecord(turn);
  return {
    record: json === undefined ? null : packTextNow(isMarked ? json : json.replaceAll(marker, first)),
    results: isNumbered ? results.map(({ n, body }) => ({ n: n > lastResult ? n + by : n, body })) : results,
    last: isNumbered ? last + by : last,
  };
}

/** Holds a run with its owner and the source numbers that still have to be stored. */
interface StoredRun extends PackedTurn {
  run: FinishedRun;
  columns: TraceColumns;
  owner: Owner;
  owed: readonly NumberedSource[];
}

/**
 * Keeps a run with the sources its turn may cite; a run that is kept already stays as it is. Within a transaction. Throws where
 * the conversation or the run is another owner's.
 */
function insertRun(statements: Statements, stored: StoredRun): void {
  const { run, owner } = stored;
  statements.dropIdempotencyRecord.run({ run: run.runId, owner });
  const isRecorded = endRunRecord(statements, run.runId, owner);
  if (!statements.isKept.get({ run: run.runId, owner })) insertNewRun(statements, stored);
  // What the conversation has named by now stays.
  if (isRecorded) dropRunFiles(statements, run.runId);
}

function insertNewRun(statements: Statements, { run, columns, owner, owed, record, results }: StoredRun): void {
  const { conversationId, runId, turn, trace, pendingPlan, loadedTools, files = [], folder } = run;
  const title = toConversationTitle(trace.question);
  const turns = updateConversation(statements, { id: conversationId, owner, title, turns: turn ? 1 : 0, folder });
  const row = statements.conversation.get({ id: conversationId, owner }) ?? {};
  const place = findBranch(statements, { id: conversationId, row, branch: run.branch });
  statements.addTrace.run(runId, conversationId, columns.trace, columns.packed, owner);
  statements.dropPlan.run(conversationId);
  if (pendingPlan !== undefined) statements.addPlan.run(conversationId, pendingPlan, place?.branch ?? firstBranch);
  if (loadedTools !== undefined) {
    statements.dropLoadedTools.run(conversationId);
    for (const [index, name] of loadedTools.entries()) statements.addLoadedTool.run(conversationId, index, name);
  }
  if (turn === undefined) return;
  const stored = settleTurn(statements, { run: { ...run, turn }, record, results });
  const { question, answer } = turn;
  const named = writeTurnFiles(turn);
  const parent = extendBranch(statements, conversationId, place, turns);
  statements.addTurn.run(conversationId, turns, question, answer, named, stored.record, parent, runId);
  saveResults(statements, conversationId, stored);
  for (const { hash, bytes } of files) {
    statements.addFile.run(hash, bytes);
    statements.nameFile.run(conversationId, hash);
  }
  for (const source of owed) saveSource(statements, conversationId, source);
}
