import { join } from "node:path";
import type { Notice } from "../../core/run/events.ts";
import type { Credentials } from "../../core/store/credentials.ts";
import type { Journal } from "../../core/store/journal.ts";
import type { Retention, RetentionLimits } from "../../core/store/retention.ts";
import type { SharedRuns } from "../../core/store/shared-runs.ts";
import type { ConversationStore, OperatorStore, SharedStore } from "../../core/store/store.ts";
import type { TypedHistory } from "../../core/store/typed-history.ts";
import type { UsageHistory } from "../../core/store/usage-history.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";
import { StoreError } from "../../store/errors/store-error.ts";
import { createLateCredentials } from "./late-credentials.ts";
import { createMonitoredJournal, createMonitoredStore, probeStore } from "./monitored-store.ts";
import { createReopeningStore } from "./reopening-store.ts";
import { createStoreMonitor, type StoreMonitor } from "./store-monitor.ts";
import { findDatabase, type StoreSettings, storeFile } from "./store-settings.ts";
import { createUnsavedRuns, type UnsavedRuns } from "./unsaved-runs.ts";

type CreateNotice = (locale: Locale) => Notice;

/** Holds the conversation store and traces, and what the reader must know about it. */
export interface OpenedStore {
  store: ConversationStore;
  /** Is undefined when an embedding program has brought its own store. */
  typedHistory?: TypedHistory;
  /** Removes old conversations. Is undefined when an embedding program has brought its own store. */
  retention?: Retention;
  /** Records the steps of runs. Is undefined where nothing outlives the process. */
  journal?: Journal;
  /** Lets processes follow the runs of each other. Is undefined where each process knows its own alone. */
  sharedRuns?: SharedRuns;
  /** Holds API tokens and sessions. They last as long as the process where an embedding program has brought its own store. */
  credentials: Credentials;
  /** Keeps what callers use. Is undefined when an embedding program has brought its own store. */
  usageHistory?: UsageHistory;
  /** Explains why conversations last only as long as the process although they should be saved. */
  problem?: DuetError;
  /** Returns the runs that could not be saved, or undefined while no file is open. */
  findUnsaved?(): UnsavedRuns | undefined;
  /** Stops trying to open a store that could not be opened. */
  stopOpening?(): void;
  /** Rejects where the store cannot be written. */
  probe?(): Promise<void>;
  /** Returns the notices that nobody has received yet, in the order they occurred. Each is returned once. */
  takeNotices(locale: Locale): Notice[];
  /** Adds a notice about what is kept beside the store. */
  addNotice(create: CreateNotice): void;
}

/**
 * Opens the file `duet.db` in the state directory, or `own` in its place. Where the file cannot be used, conversations
 * last as long as the process. Where the settings name a database, that is opened: nothing is kept anywhere else while it cannot be
 * reached, and what needs it rejects. Rejects for a database that waiting does not mend.
 */
export async function openStore(
  { home, conversations, store: retention }: StoreSettings,
  own?: ConversationStore,
  monitor: StoreMonitor = createStoreMonitor(),
): Promise<OpenedStore> {
  const untold: CreateNotice[] = [];
  const notices: Pick<OpenedStore, "takeNotices" | "addNotice"> = {
    takeNotices: (locale) => [...monitor.takeNotices(locale), ...untold.splice(0).map((create) => create(locale))],
    addNotice: (create) => void untold.push(create),
  };
  if (own) {
    const { createMemoryCredentials } = await import("../../store/memory/credentials.ts");
    return { store: own, credentials: createMemoryCredentials(), ...notices };
  }
  const url = findDatabase({ conversations, store: retention });
  if (url !== undefined) return { ...(await openDatabase(url, retention, monitor)), ...notices };
  if (conversations.store === "memory") {
    monitor.useMemory();
    return { ...split(await openMemory(retention)), ...notices };
  }
  const file = join(home, storeFile);
  const openAgain = (): Promise<FileStore> => openFile(file, retention, monitor);
  try {
    return { ...(await openAgain()), ...notices };
  } catch (thrown) {
    const problem = toDuetError(thrown);
    monitor.useMemory(problem);
    const { store, ...kept } = split(await openMemory(retention));
    await kept.typedHistory.add(await readStoredTexts(file));
    // Whoever gets the problem itself needs no notice of it.
    const onThrow = (): void => void monitor.takeNotices("en");
    const standIn = createStandIn(store, problem, onThrow);
    // A store of a newer version, for instance, stays what it is.
    const later =
      problem instanceof StoreError
        ? openLater(openAgain, { memory: standIn, problem, monitor })
        : { store: standIn, credentials: createLateCredentials(() => undefined, problem) };
    return { ...kept, ...later, problem, ...notices };
  }
}

/** Opens the store for a command that only reads, also a file that may not be written. Rejects where that cannot be read either. */
export async function openStoreToRead(settings: StoreSettings): Promise<OpenedStore> {
  const opened = await openStore(settings);
  const { problem, credentials } = opened;
  if (!(problem instanceof StoreError) || problem.failure !== "read_only") return opened;
  opened.stopOpening?.();
  await opened.store.close();
  const { openReadOnlyStore } = await import("../../store/sqlite/read-only-store.ts");
  const store = openReadOnlyStore(join(settings.home, storeFile), problem);
  return { store, credentials, takeNotices: () => [], addNotice() {} };
}

type FileStore = Required<
  Pick<
    OpenedStore,
    "typedHistory" | "retention" | "journal" | "sharedRuns" | "credentials" | "usageHistory" | "findUnsaved" | "probe"
  >
> & { store: SharedStore };

async function openDatabase(
  url: string,
  limits: RetentionLimits | undefined,
  monitor: StoreMonitor,
): Promise<FileStore> {
  const { openPostgresLater } = await import("../../store/postgres/postgres-store.ts");
  const { store, reachability, followShortage } = await openPostgresLater(url, { retention: limits });
  const kept = watchStore(store, monitor);
  const reportState = (problem: DuetError | undefined): void => {
    if (problem !== undefined) monitor.recordFailure(problem);
    else void kept.findUnsaved()?.saveNow();
  };
  reachability.follow(reportState);
  followShortage(monitor.recordShortage);
  if (reachability.problem) reportState(reachability.problem);
  return kept;
}

/** Rejects with a `DuetError` where the file cannot be used. */
async function openFile(file: string, limits: RetentionLimits | undefined, monitor: StoreMonitor): Promise<FileStore> {
  const { createSqliteStore } = await import("../../store/sqlite/sqlite-store.ts");
  const { recordSetAside: onDamage, recordReplaced: onReplace } = monitor;
  return watchStore(await createSqliteStore(file, { onDamage, onReplace, retention: limits }), monitor);
}

/** Keeps what cannot be stored, and reports each failure. */
function watchStore(opened: OperatorStore, monitor: StoreMonitor): FileStore {
  const { store, typedHistory, retention, credentials, usageHistory } = split(opened);
  const unsaved = createUnsavedRuns({ monitor, probe: () => probeStore(store) });
  const monitored = createMonitoredStore(store, { unsaved });
  return {
    store: monitored,
    typedHistory,
    retention,
    credentials,
    usageHistory,
    journal: createMonitoredJournal(opened.journal, (problem) => unsaved.watch(problem)),
    sharedRuns: opened.sharedRuns,
    findUnsaved: () => unsaved,
    probe: () => probeStore(monitored),
  };
}

/** Uses memory until the file can be opened. */
function openLater(
  openAgain: () => Promise<FileStore>,
  { memory, problem, monitor }: { memory: SharedStore; problem: DuetError; monitor: StoreMonitor },
): Pick<OpenedStore, "store" | "credentials" | "findUnsaved" | "probe" | "stopOpening"> {
  let opened: FileStore | undefined;
  const { store, close } = createReopeningStore({
    memory,
    monitor,
    async open() {
      opened = await openAgain();
      return opened.store;
    },
  });
  return {
    store,
    credentials: createLateCredentials(() => opened?.credentials, problem),
    findUnsaved: () => opened?.findUnsaved(),
    probe: async () => opened?.probe(),
    stopOpening: close,
  };
}

/** Reads what was typed from a store that may not be written, and returns nothing where it cannot be read either. */
async function readStoredTexts(file: string): Promise<string[]> {
  const { readTypedTexts } = await import("../../store/sqlite/typed-texts.ts");
  return (await ignoreRejection(readTypedTexts(file), "the notice says that the store cannot be used")) ?? [];
}

type StoreParts = Pick<OperatorStore, "typedHistory" | "retention" | "credentials" | "usageHistory"> & {
  store: SharedStore;
};

function split(store: OperatorStore): StoreParts {
  const { typedHistory, retention, credentials, usageHistory } = store;
  return { store, typedHistory, retention, credentials, usageHistory };
}

/** Limits what is kept in memory, in bytes, whatever a file may take. */
const mostInMemory = 200_000_000;

async function openMemory(limits: RetentionLimits | undefined): Promise<OperatorStore> {
  const { createMemoryStore } = await import("../../store/memory/memory-store.ts");
  const retention = limits && { ...limits, maxSize: Math.min(limits.maxSize, mostInMemory) };
  return createMemoryStore({ retention });
}

/** Does not say that nobody has ever asked anything, when it only cannot see it. */
function createStandIn(memory: SharedStore, problem: DuetError, onThrow: () => void): SharedStore {
  return {
    ...memory,
    of: (owner) => createStandIn(memory.of(owner), problem, onThrow),
    async latest(folder) {
      const id = await memory.latest(folder);
      if (id !== undefined) return id;
      onThrow();
      throw problem;
    },
  };
}
