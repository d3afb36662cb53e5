import { LRUCache } from "lru-cache";
import type { Conversation, ResultList, SourceList } from "../../core/store/conversations/conversation.ts";
import { toRunEntry } from "../../core/store/conversations/entries.ts";
import { findFileRef } from "../../core/store/conversations/find-file.ts";
import { findLastResult } from "../../core/store/conversations/move-numbers.ts";
import { createId } from "../../core/store/create-id.ts";
import type { DailyUsage } from "../../core/store/daily-usage.ts";
import type { HostTimeouts } from "../../core/store/host-timeouts.ts";
import type { IdempotencyRecords } from "../../core/store/idempotency-records.ts";
import type { Journal, RunJournal } from "../../core/store/journal.ts";
import type { ResponseRecords } from "../../core/store/response-records.ts";
import type { RunPlaces } from "../../core/store/run-places.ts";
import type { FinishedRun, SharedStore } from "../../core/store/store.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import { StoreError } from "../../store/errors/store-error.ts";
import { noConversationError } from "../../store/errors/usage-errors.ts";
import { toConversationKey } from "./sessions.ts";
import type { UnsavedRuns } from "./unsaved-runs.ts";

export interface MonitoredParts {
  unsaved: UnsavedRuns;
  owner?: string | undefined;
  /** Maps conversations to their sources, for runs that cannot be saved. */
  sourceLists?: LRUCache<string, SourceList>;
  /** Holds conversations that were deleted and have not begun again: a run of theirs that ends later must not bring them back. */
  deleted?: LRUCache<string, true>;
}

/** Limits the conversations whose source numbers are remembered for a run that cannot be saved. */
const mostConversations = 1000;

/**
 * Reports each failure of the store, keeps runs that cannot be saved, and shows them as if they were stored: a conversation goes
 * on while its last turns wait.
 */
export function createMonitoredStore(store: SharedStore, parts: MonitoredParts): SharedStore {
  const { unsaved, owner, sourceLists = new LRUCache({ max: mostConversations }) } = parts;
  const { deleted = new LRUCache<string, true>({ max: mostConversations }) } = parts;
  const toKey = (id: string): string => toConversationKey({ owner }, id);

  async function watch<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (thrown) {
      if (thrown instanceof StoreError && thrown.mayPass) unsaved.watch(toDuetError(thrown));
      throw thrown;
    }
  }

  function rememberSources(conversation: Conversation): Conversation {
    sourceLists.set(toKey(conversation.id), conversation.sources);
    return conversation;
  }

  async function load(id: string, branch?: number, place?: number): Promise<Conversation | undefined> {
    const before = unsaved.find(owner, id);
    const known = await watch(store.load(id, branch, place));
    const after = unsaved.find(owner, id);
    // What was saved meanwhile is in neither or in both.
    if (before.length !== after.length) return load(id, branch, place);
    const [first] = after;
    if (first === undefined) return known && rememberSources(known);
    const begun = known ?? (await watch(store.create(first.run.conversationId)));
    // What waits to be saved has no number yet, so that no turn follows it.
    const isOn = ({ run }: (typeof after)[number]): boolean =>
      run.after === undefined ? (run.branch ?? begun.branch) === begun.branch : branch === undefined;
    if (place !== undefined) return rememberSources(begun);
    return rememberSources(addUnsaved(begun, after.filter(isOn)));
  }

  return {
    of: (name) => createMonitoredStore(store.of(name), { unsaved, owner: name, sourceLists, deleted }),
    idempotency: createMonitoredRecords(store.idempotency, watch),
    ...(store.hostTimeouts && { hostTimeouts: createMonitoredTimeouts(store.hostTimeouts, watch) }),
    ...(store.responses && { responses: createMonitoredResponses(store.responses, watch) }),
    dailyUsage: createMonitoredUsage(store.dailyUsage, watch),
    ...(store.records && { records: store.records }),
    ...(store.runPlaces && { runPlaces: createMonitoredPlaces(store.runPlaces, watch) }),
    load,
    async create(id, options) {
      const created = await watch(store.create(id, options));
      deleted.delete(toKey(created.id));
      return rememberSources(created);
    },
    async append(run) {
      const key = toKey(run.conversationId);
      if (deleted.has(key)) throw noConversationError();
      await unsaved.append({ owner, store, run, sources: sourceLists.get(key) });
    },
    summarise: (id, summary, branch, after) => watch(store.summarise(id, summary, branch, after)),
    latest: (folder) => watch(store.latest(folder)),
    branches: {
      read: (id) => watch(store.branches.read(id)),
      begin: (id, after) => watch(store.branches.begin(id, after)),
      select: (id, branch) => watch(store.branches.select(id, branch)),
      fork: (id, options) => watch(store.branches.fork(id, options)),
    },
    list: (page) => watch(store.list(page)),
    change: (id, changes) => watch(store.change(id, changes)),
    readVersion: async () => (await store.readVersion?.()) ?? 0,
    async discard(id, graceMs) {
      // What waits is saved no more, also by an attempt that begins meanwhile.
      const until = Date.now() + graceMs;
      const count = unsaved.setAside(owner, id, until);
      try {
        const discarded = await watch(store.discard(id, graceMs));
        deleted.set(toKey(id), true);
        return discarded ?? (count > 0 ? until : undefined);
      } catch (thrown) {
        unsaved.bringBack(owner, id);
        throw thrown;
      }
    },
    async restore(id) {
      const isRestored = await watch(store.restore(id));
      const count = unsaved.bringBack(owner, id);
      if (isRestored || count > 0) deleted.delete(toKey(id));
      return isRestored || count > 0;
    },
    rate: (runId, feedback) => watch(store.rate(runId, feedback)),
    async findFile({ conversationId, hash }) {
      const waiting = unsaved.find(owner, conversationId).flatMap(({ run }) => run.turn ?? []);
      return findFileRef(waiting, hash) ?? watch(store.findFile({ conversationId, hash }));
    },
    async readFile({ conversationId, hash }) {
      const waiting = unsaved.find(owner, conversationId).flatMap(({ run }) => run.files ?? []);
      const found = waiting.find((file) => file.hash === hash)?.bytes;
      return found ?? watch(store.readFile({ conversationId, hash }));
    },
    async remove(id) {
      const isWaiting = unsaved.find(owner, id).length > 0;
      const isRemoved = await watch(store.remove(id));
      deleted.set(toKey(id), true);
      unsaved.remove(owner, id);
      return isRemoved || isWaiting;
    },
    async trace(runId) {
      const waiting = unsaved.list(owner).map(({ run }) => run);
      const found = runId === undefined ? waiting.at(-1) : waiting.find((run) => run.runId === runId);
      return found?.trace ?? watch(store.trace(runId));
    },
    async runs(which) {
      const waiting = unsaved.list(owner).map(({ run }) => run);
      const stored = await watch(store.runs(which));
      const added = waiting.filter((run) => isWanted(run, which) && !stored.some(({ id }) => id === run.runId));
      const entries = added.map(({ trace }) => toRunEntry(trace));
      return "newest" in which ? [...entries.reverse(), ...stored].slice(0, which.newest) : [...stored, ...entries];
    },
    close: () => store.close(),
  };
}

/** Reports where the work has failed because of the store. Rejects with the same. */
type Watch = <T>(work: Promise<T>) => Promise<T>;

type Selection = Parameters<SharedStore["runs"]>[0];

function isWanted({ runId, conversationId }: FinishedRun, which: Selection): boolean {
  if ("conversationId" in which) return conversationId === which.conversationId;
  return runId.startsWith(which.beginning ?? "");
}

function addUnsaved(known: Conversation, waiting: ReturnType<UnsavedRuns["find"]>): Conversation {
  const last = waiting.at(-1);
  const loaded = waiting.findLast(({ run }) => run.loadedTools !== undefined)?.run.loadedTools;
  return {
    ...known,
    turns: [...known.turns, ...waiting.flatMap(({ run }) => run.turn ?? [])],
    sources: last?.sources ?? known.sources,
    marker: known.marker ?? waiting.find(({ run }) => run.marker !== undefined)?.run.marker,
    results: addWaitingResults(known.results, waiting),
    pendingPlan: last?.run.pendingPlan,
    loadedTools: loaded ?? known.loadedTools,
  };
}

/** Adds the results of runs that wait. */
function addWaitingResults(
  known: ResultList | undefined,
  waiting: ReturnType<UnsavedRuns["find"]>,
): ResultList | undefined {
  const kept = waiting.flatMap(({ run }) => run.results ?? []);
  const last = Math.max(
    0,
    ...waiting.flatMap(({ run: { turn } }) => (turn ? findLastResult({ turn, results: [] }) : 0)),
  );
  if (known === undefined || last === 0) return known;
  return {
    last: Math.max(known.last, last),
    hasResults: known.hasResults || kept.length > 0,
    get: async (n) => kept.find((one) => one.n === n)?.text ?? known.get(n),
  };
}

function createMonitoredRecords(records: IdempotencyRecords, watch: Watch): IdempotencyRecords {
  return {
    add: (run) => watch(records.add(run)),
    remove: (runId) => watch(records.remove(runId)),
  };
}

function createMonitoredResponses(responses: ResponseRecords, watch: Watch): ResponseRecords {
  return {
    put: (record) => watch(responses.put(record)),
    replace: (record) => watch(responses.replace(record)),
    get: (id) => watch(responses.get(id)),
    has: (id) => watch(responses.has(id)),
    remove: (id) => watch(responses.remove(id)),
    hasAny: (conversationId) => watch(responses.hasAny(conversationId)),
  };
}

function createMonitoredTimeouts(timeouts: HostTimeouts, watch: Watch): HostTimeouts {
  return {
    get: (host) => watch(timeouts.get(host)),
    set: (host, seconds) => watch(timeouts.set(host, seconds)),
  };
}

function createMonitoredUsage(usage: DailyUsage, watch: Watch): DailyUsage {
  return {
    read: () => watch(usage.read()),
    reserve: (wanted) => watch(usage.reserve(wanted)),
    settle: (id, used) => watch(usage.settle(id, used)),
  };
}

function createMonitoredPlaces(places: RunPlaces, watch: Watch): RunPlaces {
  return {
    claim: (wanted) => watch(places.claim(wanted)),
    renew: (held, lastsMs) => watch(places.renew(held, lastsMs)),
    release: (id, hasBegun) => watch(places.release(id, hasBegun)),
  };
}

/** Reports each failure of the journal. */
export function createMonitoredJournal(journal: Journal, report: (problem: DuetError) => void): Journal {
  async function watch<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (thrown) {
      if (thrown instanceof StoreError && thrown.mayPass) report(thrown);
      throw thrown;
    }
  }

  const watchRun = (run: RunJournal): RunJournal => ({
    runId: run.runId,
    add: (step) => watch(run.add(step)),
    addEvents: (from, events) => watch(run.addEvents(from, events)),
    forbid: (reason) => watch(run.forbid(reason)),
    mailbox: run.mailbox,
    ...(run.moved && { moved: run.moved }),
    ...(run.confirm && { confirm: () => watch(run.confirm?.() ?? Promise.resolve()) }),
    ...(run.letGo && { letGo: () => watch(run.letGo?.() ?? Promise.resolve()) }),
    ...(run.hasReader && { hasReader: () => watch(run.hasReader?.() ?? Promise.resolve(true)) }),
  });
  const { takeOver, mayBegin, countNewer } = journal;

  return {
    ...(journal.isRequired && { isRequired: true }),
    ...(takeOver && {
      takeOver: async (wanted) =>
        (await watch(takeOver(wanted))).map((taken) => ({ ...taken, journal: watchRun(taken.journal) })),
    }),
    ...(mayBegin && { mayBegin: (runId) => watch(mayBegin(runId)) }),
    ...(countNewer && { countNewer: () => watch(countNewer()) }),
    begin: async (run) => watchRun(await watch(journal.begin(run))),
    listInterrupted: (id) => watch(journal.listInterrupted(id)),
    findInterrupted: (runId) => watch(journal.findInterrupted(runId)),
    isGoing: (runId) => watch(journal.isGoing(runId)),
    async take(runId) {
      const taken = await watch(journal.take(runId));
      return taken && { ...taken, journal: watchRun(taken.journal) };
    },
    events: (runId, owner) => watch(journal.events(runId, owner)),
  };
}

/** Writes a record that nobody looks for, and removes it. Rejects where the store cannot be written. */
export async function probeStore({ idempotency }: Pick<SharedStore, "idempotency">): Promise<void> {
  const runId = createId("run");
  await idempotency.add({ runId, beginning: runId });
  await idempotency.remove(runId);
}
