import { LRUCache } from "lru-cache";
import type { AgentTrace } from "../../core/run/trace.ts";
import type { TurnNode } from "../../core/store/conversations/branches.ts";
import { toConversationTitle } from "../../core/store/conversations/conversation-title.ts";
import { toLastRun, toRunEntry } from "../../core/store/conversations/entries.ts";
import { findFileRef } from "../../core/store/conversations/find-file.ts";
import { createId } from "../../core/store/create-id.ts";
import { mostCallers, toUsageKey } from "../../core/store/daily-usage.ts";
import { discardedOwner } from "../../core/store/discarded-owner.ts";
import { keepAll, type RetentionLimits } from "../../core/store/retention.ts";
import { localRuns } from "../../core/store/shared-runs.ts";
import type { OperatorStore, SharedStore } from "../../core/store/store.ts";
import { noConversationError } from "../errors/usage-errors.ts";
import { createMemoryCredentials } from "./credentials.ts";
import { createMemoryDailyUsage, type MemoryDailyUsage } from "./daily-usage.ts";
import { createMemoryFiles } from "./files.ts";
import { createMemoryIdempotencyRecords } from "./idempotency-records.ts";
import { createMemoryJournal } from "./journal.ts";
import { createKeptConversations } from "./kept-conversations.ts";
import { createMemoryResponseRecords } from "./response-records.ts";
import {
  addTurn,
  changeConversation,
  copyConversation,
  createStoredConversation,
  findText,
  type StoredConversation,
  toConversation,
  toEntry,
} from "./stored-conversation.ts";
import { createMemoryTypedHistory } from "./typed-history.ts";
import { createMemoryUsageHistory } from "./usage-history.ts";

interface StoredTrace {
  owner: string | undefined;
  trace: AgentTrace;
}

export interface MemoryStoreOptions {
  /** Limits the conversations, and as many traces are kept. */
  max?: number;
  retention?: RetentionLimits | undefined;
  /** Returns milliseconds since 1970. */
  now?: () => number;
}

/**
 * Keeps conversations for as long as the process lives. Beyond the limits, the least recently used of all owners are dropped that
 * nobody has named or pinned. When only such ones are left, it keeps more.
 */
export function createMemoryStore({
  max = 1000,
  retention: limits = keepAll,
  now = Date.now,
}: MemoryStoreOptions = {}): OperatorStore {
  const traces = new LRUCache<string, StoredTrace>({ max });
  const records = createMemoryIdempotencyRecords();
  const responses = createMemoryResponseRecords();
  const journal = createMemoryJournal((owner, usage) => getUsage(owner).count(usage), now);
  const files = createMemoryFiles();
  const usages = new LRUCache<string, MemoryDailyUsage>({ maxSize: mostCallers, sizeCalculation: () => 1 });
  let asked = 0;
  const conversations = createKeptConversations({
    ...{ max, limits, now },
    removeParts({ id, owner, runIds }) {
      for (const runId of runIds) traces.delete(runId);
      records.removeOf(id);
      responses.removeOf(id);
      journal.removeOf(id, owner);
      files.removeOf(id);
    },
  });

  /** Gives a conversation and what belongs to it to another owner. */
  function changeOwner(kept: StoredConversation, owner: string | undefined): void {
    kept.owner = owner;
    for (const runId of kept.runIds) {
      const found = traces.peek(runId);
      if (found) found.owner = owner;
    }
    responses.changeOwner(kept.id, owner);
  }

  function getUsage(owner: string | undefined): MemoryDailyUsage {
    const key = toUsageKey(owner);
    const known = usages.get(key) ?? createMemoryDailyUsage(now);
    usages.set(key, known);
    return known;
  }

  function scopeToOwner(owner: string | undefined): SharedStore {
    function getOwned<T extends { owner: string | undefined }>(found: T | undefined): T | undefined {
      return found?.owner === owner ? found : undefined;
    }

    /** Returns the conversation, or a new one, and marks it as the most recently used. */
    function touch(id: string): StoredConversation {
      const kept = conversations.get(id) ?? createStoredConversation(id, owner, toTime(now()));
      if (kept.owner !== owner) throw noConversationError();
      kept.asked = ++asked;
      kept.updatedAt = toTime(now());
      conversations.markUsed(kept);
      conversations.dropExpired();
      return kept;
    }

    function isAllowed(id: string): boolean {
      const there = conversations.get(id);
      return there === undefined ? owner === undefined : there.owner === owner;
    }

    const sortByLastAsked = (folder?: string | null): StoredConversation[] =>
      conversations
        .list()
        .filter((kept) => getOwned(kept) && (folder === undefined || (kept.folder ?? null) === folder))
        .sort((a, b) => b.asked - a.asked);
    function findOwned(id: string, folder: string | null | undefined): StoredConversation[] {
      const kept = getOwned(conversations.get(id));
      return kept && (folder === undefined || (kept.folder ?? null) === folder) ? [kept] : [];
    }

    const findFirstTrace = (id: string): AgentTrace | undefined =>
      listTraces().findLast(({ conversation_id }) => conversation_id === id);
    const listTraces = (): AgentTrace[] => [...traces.values()].filter(getOwned).map(({ trace }) => trace);

    return {
      of: scopeToOwner,
      idempotency: records.of(owner),
      responses: responses.of(owner),
      dailyUsage: getUsage(owner),
      branches: {
        async read(id) {
          const tree = getOwned(conversations.get(id))?.turns.tree();
          const addFeedback = (turn: TurnNode): TurnNode => {
            const feedback = traces.peek(turn.runId ?? "")?.trace.feedback;
            return feedback ? { ...turn, feedback } : turn;
          };
          return tree && { ...tree, turns: tree.turns.map(addFeedback) };
        },
        begin: async (id, after) => getOwned(conversations.get(id))?.turns.begin(after),
        select: async (id, branch) => getOwned(conversations.get(id))?.turns.select(branch) ?? false,
        async fork(id, { branch, folder } = {}) {
          const kept = getOwned(conversations.get(id));
          const { turns: copied = [] } = kept?.turns.read(branch) ?? {};
          if (kept === undefined || copied.length === 0) return undefined;
          const fork = touch(createId("conv"));
          await copyConversation(kept, fork, branch);
          files.add(fork.id, files.list(id));
          fork.folder = folder;
          conversations.countBytes(fork.bytes);
          return fork.id;
        },
      },
      async load(id, branch, after) {
        const kept = getOwned(conversations.get(id));
        if (kept) conversations.markUsed(kept);
        return kept && toConversation(kept, branch, after);
      },
      create: async (wanted, { isGiven = false } = {}) =>
        toConversation(touch(wanted !== undefined && (isGiven || isAllowed(wanted)) ? wanted : createId("conv"))),
      async append(run) {
        const { conversationId, runId, turn, trace, pendingPlan, loadedTools, files: added = [], ...others } = run;
        const { branch, after, folder, ...more } = others;
        if (traces.has(runId) && !getOwned(traces.peek(runId))) throw noConversationError();
        const kept = touch(conversationId);
        kept.title ||= toConversationTitle(trace.question);
        kept.folder ??= folder;
        kept.lastRun = toLastRun(trace);
        const said = turn ? addTurn(kept, { turn, runId, branch, after, ...more }) : 0;
        // A turn makes its branch the current one.
        const place = kept.turns.read(turn ? undefined : branch).branch;
        const bytes = 2 * (JSON.stringify(trace).length + said) + files.add(conversationId, added);
        kept.bytes += bytes;
        conversations.countBytes(bytes);
        kept.runIds.push(runId);
        kept.pendingPlan = pendingPlan === undefined ? undefined : { plan: pendingPlan, branch: place };
        kept.loadedTools = loadedTools ?? kept.loadedTools;
        traces.set(runId, { owner, trace });
        records.settle(runId);
        journal.end(runId, owner);
        conversations.dropExpired();
      },
      async findFile({ conversationId, hash }) {
        const kept = getOwned(conversations.get(conversationId));
        const branches = kept?.turns.tree().branches ?? [];
        return findFileRef(
          branches.flatMap(({ branch }) => kept?.turns.read(branch).turns ?? []),
          hash,
        );
      },
      async readFile({ conversationId, hash }) {
        return getOwned(conversations.get(conversationId)) && files.read(conversationId, hash);
      },
      async summarise(conversationId, summary, branch, after) {
        getOwned(conversations.get(conversationId))?.turns.summarise(summary, branch, after);
      },
      async latest(folder) {
        const begun = sortByLastAsked(folder).find(
          ({ turns, pendingPlan }) => turns.count > 0 || pendingPlan !== undefined,
        );
        return begun?.id;
      },
      async list({ limit, offset, folder, withQuestions = false, id, beginning = "", isPinned, search }) {
        return (id === undefined ? sortByLastAsked(folder) : findOwned(id, folder))
          .filter((kept) => (isPinned ?? kept.isPinned) === kept.isPinned && kept.id.startsWith(beginning))
          .flatMap((kept) => {
            const match = search === undefined ? undefined : findText(kept, search);
            return search === undefined || match ? [{ kept, match }] : [];
          })
          .slice(offset, offset + limit)
          .map(({ kept, match }) => ({ ...toEntry(kept, withQuestions), ...(match && { match }) }));
      },
      async remove(id) {
        return getOwned(conversations.get(id)) !== undefined && conversations.drop(id);
      },
      async discard(id, graceMs) {
        const kept = getOwned(conversations.get(id));
        if (kept === undefined) return undefined;
        kept.discarded = { owner, until: now() + graceMs };
        changeOwner(kept, discardedOwner);
        records.removeOf(id);
        journal.removeOf(id, owner);
        setTimeout(conversations.dropDue, graceMs + 1).unref();
        return kept.discarded.until;
      },
      async restore(id) {
        conversations.dropDue();
        const kept = conversations.get(id);
        if (kept?.discarded === undefined || kept.discarded.owner !== owner) return false;
        kept.discarded = undefined;
        changeOwner(kept, owner);
        return true;
      },
      async rate(runId, feedback) {
        const found = getOwned(traces.peek(runId));
        if (found) found.trace = { ...found.trace, feedback };
        return found !== undefined;
      },
      async change(id, changes) {
        const kept = getOwned(conversations.get(id));
        if (kept) changeConversation(kept, changes, findFirstTrace(id));
        return kept !== undefined;
      },
      // A trace that is only read does not become the last one.
      trace: async (runId) => (runId === undefined ? listTraces()[0] : getOwned(traces.peek(runId))?.trace),
      async runs(which) {
        if ("newest" in which)
          return listTraces()
            .filter(({ run_id }) => run_id.startsWith(which.beginning ?? ""))
            .slice(0, which.newest)
            .map(toRunEntry);
        const all = listTraces().reverse();
        if ("beginning" in which)
          return all
            .filter(({ run_id }) => run_id.startsWith(which.beginning))
            .slice(0, 10)
            .map(toRunEntry);
        return all.filter(({ conversation_id }) => conversation_id === which.conversationId).map(toRunEntry);
      },
      async close() {},
    };
  }

  return {
    ...scopeToOwner(undefined),
    typedHistory: createMemoryTypedHistory(),
    credentials: createMemoryCredentials(),
    usageHistory: createMemoryUsageHistory(now),
    retention: conversations.retention,
    journal: journal.open(),
    sharedRuns: localRuns,
  };
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
