import { LRUCache } from "lru-cache";
import type { Conversation, SourceList } from "../../core/store/conversations/conversation.ts";
import type { FinishedRun, SharedStore } from "../../core/store/store.ts";
import { UnsavedRunError } from "../../core/store/unsaved-run-error.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import { createRandomHex } from "../../kit/random.ts";
import { createRetryTimer, type Schedule } from "./retry-timer.ts";
import { toConversationKey } from "./sessions.ts";
import type { StoreMonitor } from "./store-monitor.ts";

export interface ReopeningOptions {
  /** Is used until the store can be opened. */
  memory: SharedStore;
  monitor: StoreMonitor;
  /** Opens the store; rejects where it still cannot be opened. */
  open(): Promise<SharedStore>;
  schedule?: Schedule | undefined;
}

export interface ReopeningStore {
  store: SharedStore;
  /** Stops trying. */
  close(): void;
}

/** Represents a run that memory alone holds. */
interface KeptRun {
  owner: string | undefined;
  run: FinishedRun;
  sources: SourceList | undefined;
}

/** Limits the runs that are moved into the store once it can be opened, and the conversations whose sources are remembered. */
const mostRuns = 1000;

/** Keeps conversations in memory, and moves them into the store as soon as that can be opened. */
export function createReopeningStore({ memory, monitor, open, schedule }: ReopeningOptions): ReopeningStore {
  let opened: SharedStore | undefined;
  const kept: KeptRun[] = [];
  const sourceLists = new LRUCache<string, SourceList>({ max: mostRuns });
  /** Holds the owners whose usage memory alone has counted. */
  const spenders = new Set<string | undefined>();
  const timer = createRetryTimer(tryToOpen, schedule);
  let isClosed = false;

  async function tryToOpen(): Promise<boolean> {
    let store: SharedStore;
    try {
      store = await open();
    } catch (thrown) {
      monitor.useMemory(toDuetError(thrown));
      return false;
    }
    for (let [first] = kept; first !== undefined && !isClosed; [first] = kept) {
      await move(store, first);
      // It may have been removed meanwhile.
      removeKept((each) => each === first);
    }
    if (isClosed) {
      await store.close();
      return true;
    }
    opened = store;
    // From here on memory counts no more, so that nothing is left out or counted twice.
    for (const owner of [...spenders]) await ignoreRejection(moveUsage(store, owner), "the next turn tries again");
    monitor.useDisk();
    return true;
  }

  function removeKept(isGone: (each: KeptRun) => boolean): void {
    for (let index = kept.length - 1; index >= 0; index--) {
      const each = kept[index];
      if (each !== undefined && isGone(each)) kept.splice(index, 1);
    }
    monitor.countWaiting(kept.length);
  }

  async function move(store: SharedStore, { owner, run, sources }: KeptRun): Promise<void> {
    try {
      await saveWithSources(store.of(owner), run, sources);
      monitor.recordSaved(run.runId);
    } catch (thrown) {
      // Whoever keeps it tries again.
      if (!(thrown instanceof UnsavedRunError)) monitor.recordLost(1);
    }
  }

  /** Counts in the store what a caller has used in memory, so that its day does not begin anew. */
  async function moveUsage(store: SharedStore, owner: string | undefined): Promise<void> {
    if (!spenders.delete(owner)) return;
    try {
      const { used } = await memory.of(owner).dailyUsage.read();
      await store.of(owner).dailyUsage.settle(createRandomHex(), used);
    } catch (thrown) {
      spenders.add(owner);
      throw thrown;
    }
  }

  function scopeToOwner(owner: string | undefined): SharedStore {
    const own = memory.of(owner);
    const getCurrent = (): SharedStore => opened?.of(owner) ?? own;
    async function moveOwnUsage(): Promise<void> {
      if (opened !== undefined) await moveUsage(opened, owner);
    }
    const toKey = (id: string): string => toConversationKey({ owner }, id);

    function rememberSources(conversation: Conversation): Conversation {
      if (opened === undefined) sourceLists.set(toKey(conversation.id), conversation.sources);
      return conversation;
    }

    return {
      of: scopeToOwner,
      idempotency: {
        add: (run) => getCurrent().idempotency.add(run),
        remove: (runId) => getCurrent().idempotency.remove(runId),
      },
      get responses() {
        return getCurrent().responses;
      },
      get hostTimeouts() {
        return getCurrent().hostTimeouts;
      },
      dailyUsage: {
        async read() {
          await moveOwnUsage();
          return getCurrent().dailyUsage.read();
        },
        async reserve(wanted) {
          await moveOwnUsage();
          return getCurrent().dailyUsage.reserve(wanted);
        },
        async settle(id, used) {
          await moveOwnUsage();
          if (opened === undefined) spenders.add(owner);
          return getCurrent().dailyUsage.settle(id, used);
        },
      },
      branches: {
        read: (id) => getCurrent().branches.read(id),
        begin: (id, after) => getCurrent().branches.begin(id, after),
        select: (id, branch) => getCurrent().branches.select(id, branch),
        fork: (id, options) => getCurrent().branches.fork(id, options),
      },
      async load(id, branch, after) {
        const known = await getCurrent().load(id, branch, after);
        return known && rememberSources(known);
      },
      create: async (id, options) => rememberSources(await getCurrent().create(id, options)),
      async append(run) {
        const sources = sourceLists.get(toKey(run.conversationId));
        // A run that has begun in memory may end after the store was opened.
        if (opened !== undefined) return saveWithSources(getCurrent(), run, sources);
        await own.append(run);
        kept.push({ owner, run, sources });
        if (kept.length > mostRuns) {
          kept.shift();
          monitor.recordLost(1);
        }
        monitor.countWaiting(kept.length);
      },
      summarise: (id, summary, branch, after) => getCurrent().summarise(id, summary, branch, after),
      latest: (folder) => getCurrent().latest(folder),
      list: (page) => getCurrent().list(page),
      change: (id, changes) => getCurrent().change(id, changes),
      async discard(id, graceMs) {
        // What memory alone has could not be brought back by the store.
        removeKept((each) => each.owner === owner && each.run.conversationId === id);
        return getCurrent().discard(id, graceMs);
      },
      readVersion: async () => (await getCurrent().readVersion?.()) ?? 0,
      restore: (id) => getCurrent().restore(id),
      rate: (runId, feedback) => getCurrent().rate(runId, feedback),
      findFile: (which) => getCurrent().findFile(which),
      readFile: (which) => getCurrent().readFile(which),
      async remove(id) {
        removeKept((each) => each.owner === owner && each.run.conversationId === id);
        return getCurrent().remove(id);
      },
      trace: (runId) => getCurrent().trace(runId),
      runs: (which) => getCurrent().runs(which),
      close: async () => {
        if (owner === undefined) await opened?.close();
      },
    };
  }

  timer.start();
  return {
    store: scopeToOwner(undefined),
    close() {
      isClosed = true;
      timer.stop();
    },
  };
}

/** Saves a run with the sources that its answer may cite. Throws where the store has given their numbers to others. */
async function saveWithSources(store: SharedStore, run: FinishedRun, sources: SourceList | undefined): Promise<void> {
  const all = sources?.all() ?? [];
  if (all.length > 0) {
    const { sources: stored } = (await store.load(run.conversationId)) ?? (await store.create(run.conversationId));
    const numbers = await stored.number(all.map(({ source }) => source));
    if (!all.every(({ n }, index) => numbers[index] === n)) throw numbersTakenError();
  }
  await store.append(run);
}

function numbersTakenError(): DuetError {
  return new DuetError({
    code: "internal",
    text: {
      zh: "来源的编号已被另一个进程使用",
      en: "another process has used the numbers of the sources",
    },
  });
}
