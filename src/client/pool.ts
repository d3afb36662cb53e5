import type { Implementation } from "@modelcontextprotocol/client";
import type { ServerSettings } from "../config/config.ts";
import type { Sample } from "../core/model/sampling.ts";
import type { OnServerLog, ServerLogLevel } from "../core/server-log.ts";
import type { FindRecords } from "../core/store/shared-records.ts";
import type { OutputCheck } from "../core/tools/output-misfit.ts";
import type { Tool } from "../core/tools/tool.ts";
import type { JsonObject } from "../kit/json.ts";
import type { Environment } from "../kit/process/child-environment.ts";
import { createLifeline } from "../kit/process/lifeline.ts";
import type { CallerOptions } from "./calls/request-sender.ts";
import { toTool } from "./calls/to-tool.ts";
import type { RawResult } from "./calls/tool-result.ts";
import { everyList, type ServerList } from "./lifecycle/announcements.ts";
import type { SharedResources } from "./lifecycle/start-attempt.ts";
import type { RemoteTool } from "./lists/listing.ts";
import { createToolList } from "./lists/tool-list.ts";
import { createCredentialStore } from "./oauth/credential-store.ts";
import type { HostRoot } from "./questions/answers.ts";
import type { Sdk } from "./sdk.ts";
import { ServerConnection, type ServerStatus, type StartWait } from "./server-connection.ts";
import type { ServerLog } from "./server-log.ts";
import { createToolNames } from "./tool-names.ts";
import { createPinStore } from "./trust/pin-store.ts";
import type { TextList, WaitingTool } from "./trust/pins.ts";
import type { OtherTool } from "./trust/tool-warnings.ts";

export interface PoolOptions {
  /** Holds Duet's environment; a child process gets only the variables that it needs to run. */
  environment: Environment;
  clientInfo: Implementation;
  /** Is the folder in which approvals are stored; when undefined, they are kept in memory only. */
  home?: string | undefined;
  /** Is the folder in which `duet login` stores credentials; `home` when undefined. */
  credentialsHome?: string | undefined;
  /** Opens what machines share, where pins and credentials are then kept. */
  findRecords?: FindRecords | undefined;
  /**
   * Decides about a tool that a known server adds later: `stop` holds it until it is approved, and `allow` makes it usable at
   * once.
   */
  newTools?: "stop" | "allow";
  /** Lets a model of ours write texts for the servers that may ask; absent: none may. */
  sample?: Sample | undefined;
  /** Checks what tools bring by their output schemas; absent: nothing is checked. */
  checkOutput?: OutputCheck | undefined;
  /** Is true where hosts get the tools themselves, and show the servers' pages (MCP Apps). */
  passesOn?: boolean | undefined;
}

/** Holds a tool that waits for approval, with its future name, or the texts of a prompt or a resource. */
export interface NamedChange {
  server: string;
  name: string;
  change: WaitingTool;
}

/** Runs all configured servers side by side: none waits for another or stops another. */
export interface Pool {
  /** Starts every server but the lazy ones and returns at once; the processes are running then. */
  start(): void;
  /**
   * Tries what has failed and rested again, and settles when each server has been tried once, within the longest start limit;
   * sees what other processes have approved. Calls `onTried` for each server as soon as that one has been tried. Rejects only when the
   * signal aborts.
   */
  ready(signal?: AbortSignal, options?: StartWait, onTried?: (status: ServerStatus) => void): Promise<void>;
  /** Returns the tools of the servers that have been ready, in the order of the configuration, then of the server. */
  tools(): Tool[];
  status(): ServerStatus[];
  /** Takes these servers in place of those there are; whose settings are the same goes on undisturbed. Never rejects. */
  configure(servers: readonly ServerSettings[]): Promise<void>;
  /** Starts a server anew at once, and settles when that start is over. Returns false for a name that no server has. Never rejects. */
  restart(server: string): Promise<boolean>;
  /** Returns what a server has said last; undefined for a name that none has. */
  log(server: string): ServerLog | undefined;
  /** Calls `listener` each time a list may have changed, until the returned function is called. */
  onChange(listener: (list: ServerList) => void): () => void;
  waiting(): NamedChange[];
  /** Returns usable tools that nobody has approved: they were trusted at first use. */
  trusted(): NamedChange[];
  /** Approves those that still are as they were shown, and gives them. Rejects when that cannot be kept. */
  approve(shown: readonly NamedChange[]): Promise<NamedChange[]>;
  /** Returns the entries of a server's list with approved texts alone. */
  checkTexts(
    server: string,
    { list, key }: { list: TextList; key: string },
    entries: readonly Readonly<Record<string, unknown>>[],
  ): Promise<Readonly<Record<string, unknown>>[]>;
  /** Sends a server a request that changes nothing. Rejects with a `DuetError`, or with the signal's reason. */
  request(server: string, method: string, params: JsonObject, options: CallerOptions): Promise<RawResult>;
  /** Asks a server to tell of changes of a resource. Rejects with a `DuetError`, or with the signal's reason. */
  subscribe(server: string, uri: string, signal: AbortSignal): Promise<void>;
  /** Never rejects. */
  unsubscribe(server: string, uri: string): Promise<void>;
  /** Calls `listener` for each change that a server tells of, of the resource or of something below it. */
  onUpdated(listener: (server: string, uri: string) => void): void;
  /** Calls `listener` for each line of a server's log that belongs to no single host's call, until the returned function is called. */
  onLog(listener: LogListener): () => void;
  /** Says from which level on servers are to log. */
  setLogLevel(level: ServerLogLevel): void;
  /** Takes the directories of the hosts in place of those that there were, and tells the servers that are told of them. */
  setHostRoots(roots: readonly HostRoot[]): void;
  /** Ends every server and all that they started, within about 2 s. Never rejects; may be called twice. */
  close(limitMs?: number): Promise<void>;
}

export function createPool(servers: readonly ServerSettings[], options: PoolOptions): Pool {
  const {
    environment,
    clientInfo,
    home,
    credentialsHome = home,
    findRecords,
    newTools = "stop",
    sample,
    checkOutput,
    passesOn = false,
  } = options;
  const lifeline = createLifeline(environment.PATH);
  const names = createToolNames();
  const store = createPinStore(home, findRecords);
  const listeners = new Set<(list: ServerList) => void>();
  const updateListeners = new Set<(server: string, uri: string) => void>();
  const logListeners = new Set<LogListener>();
  let hostRoots: readonly HostRoot[] = [];
  let logLevel: ServerLogLevel | undefined;
  let sdk: Promise<Sdk> | undefined;
  const shared: SharedResources = {
    environment,
    clientInfo,
    lifeline,
    sample,
    passesOn,
    ...(passesOn && { hostRoots: () => hostRoots }),
    credentials: createCredentialStore(credentialsHome, findRecords),
    sdk() {
      sdk ??= import("@modelcontextprotocol/client");
      return sdk;
    },
  };
  let closing: Promise<void> | undefined;
  /** Settles when the servers that a new configuration removed have closed. */
  let closingServers: Promise<unknown> = Promise.resolve();
  let connections: ServerConnection[] = [];
  /** A tool stays the same object while its server lists it, so that what others keep with it stays valid. */
  const tools = new WeakMap<RemoteTool, Tool>();

  function connect(settings: ServerSettings): ServerConnection {
    const listOtherTools = (): OtherTool[] =>
      connections.filter((each) => each.settings.name !== settings.name).flatMap(listNames);
    const list = createToolList({ settings, store, newTools, otherTools: listOtherTools });
    const onLog: OnServerLog = (entry, told) => {
      for (const listener of logListeners) listener(settings.name, entry, told);
    };
    const onUpdated = (uri: string): void => {
      for (const listener of updateListeners) listener(settings.name, uri);
    };
    const connection = new ServerConnection(settings, shared, list, { onChanged: notifyListeners, onUpdated, onLog });
    if (logLevel !== undefined) connection.setLogLevel(logLevel);
    return connection;
  }

  function notifyListeners(list: ServerList): void {
    for (const listener of listeners) listener(list);
  }

  function findConnection(server: string): ServerConnection {
    const found = connections.find(({ settings }) => settings.name === server);
    if (found === undefined) throw new Error(`There is no MCP server ${server}`);
    return found;
  }

  function listNames({ settings: { name: server }, list }: ServerConnection): OtherTool[] {
    return list.usable.map(({ name: tool }) => ({ server, tool, name: names.nameOf(server, tool) }));
  }

  function createTool(connection: ServerConnection, remote: RemoteTool): Tool {
    const known = tools.get(remote);
    if (known) return known;
    const tool = toTool(connection, remote, names.nameOf(connection.settings.name, remote.name), checkOutput);
    tools.set(remote, tool);
    return tool;
  }

  function listNamedChanges(
    { settings: { name: server } }: ServerConnection,
    changes: readonly WaitingTool[],
  ): NamedChange[] {
    const isUri = ({ list }: WaitingTool): boolean => list === "resources" || list === "templates";
    return changes.map((change) => {
      const own = change.tool.name;
      return { server, name: isUri(change) ? own : names.nameOf(server, own), change };
    });
  }

  function start(): void {
    for (const connection of connections) connection.start();
  }

  /** Checks the store for approvals, because another process may approve waiting tools at any time. */
  async function readApprovals(): Promise<void> {
    const waiting = connections.filter(({ list }) => list.waiting.length + list.waitingBesides.length > 0);
    const seen = await Promise.all(waiting.map(({ list }) => list.refresh()));
    if (seen.includes(true)) for (const each of everyList) notifyListeners(each);
  }

  const looks = setInterval(() => void readApprovals(), lookMs).unref();

  async function closeAll(): Promise<void> {
    clearInterval(looks);
    await Promise.all([closingServers, ...connections.map((connection) => connection.close())]);
    lifeline.close();
  }

  connections = servers.map(connect);
  return {
    start,
    async ready(signal, options, onTried) {
      start();
      const wait = async (connection: ServerConnection): Promise<void> => {
        await connection.waitForFirstStart(signal, options);
        onTried?.(connection.status);
      };
      await Promise.all(connections.map(wait));
    },
    tools: () =>
      connections.flatMap((connection) => connection.list.usable.map((remote) => createTool(connection, remote))),
    status: () => connections.map((connection) => connection.status),
    async configure(next) {
      if (closing !== undefined) return;
      const before = new Map(connections.map((connection) => [toKey(connection.settings), connection]));
      const stay = new Set(next.map(toKey));
      const leaving = connections.filter(({ settings }) => !stay.has(toKey(settings)));
      connections = next.map((settings) => before.get(toKey(settings)) ?? connect(settings));
      start();
      for (const list of everyList) notifyListeners(list);
      const closed = Promise.all(leaving.map((connection) => connection.close()));
      closingServers = Promise.all([closingServers, closed]);
      await closed;
    },
    async restart(server) {
      const connection = connections.find(({ settings }) => settings.name === server);
      await connection?.restart();
      return connection !== undefined;
    },
    log: (server) => connections.find(({ settings }) => settings.name === server)?.log,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    waiting: () =>
      connections.flatMap((connection) => {
        const { waiting, waitingBesides } = connection.list;
        return listNamedChanges(connection, [...waiting, ...waitingBesides]);
      }),
    trusted: () => connections.flatMap((connection) => listNamedChanges(connection, connection.list.trusted)),
    async approve(shown) {
      const approved = await Promise.all(
        connections.map(async ({ settings, list }) => {
          const own = shown.filter(({ server }) => server === settings.name);
          const changes = own.length === 0 ? [] : await list.approve(own.map(({ change }) => change));
          return own.filter(({ change }) => changes.includes(change));
        }),
      );
      for (const each of everyList) notifyListeners(each);
      return approved.flat();
    },
    async checkTexts(server, { list, key }, entries) {
      const connection = connections.find(({ settings }) => settings.name === server);
      return connection === undefined ? [] : connection.list.applyTexts(list, entries, key);
    },
    request: async (server, method, params, callerOptions) =>
      findConnection(server).request(method, params, callerOptions),
    subscribe: async (server, uri, signal) => findConnection(server).subscriptions.subscribe(uri, signal),
    async unsubscribe(server, uri) {
      const connection = connections.find(({ settings }) => settings.name === server);
      await connection?.subscriptions.unsubscribe(uri);
    },
    onUpdated: (listener) => void updateListeners.add(listener),
    onLog(listener) {
      logListeners.add(listener);
      return () => void logListeners.delete(listener);
    },
    setHostRoots(roots) {
      hostRoots = roots;
      for (const connection of connections) connection.notifyRootsChanged();
    },
    setLogLevel(level) {
      if (level === logLevel) return;
      logLevel = level;
      for (const connection of connections) connection.setLogLevel(level);
    },
    close(limitMs) {
      closing ??= closeAll();
      if (limitMs !== undefined) lifeline.endWithin(limitMs);
      return closing;
    },
  };
}

/** Is the interval between two checks for approvals, in milliseconds. */
const lookMs = 2000;

function toKey(settings: ServerSettings): string {
  return JSON.stringify(settings);
} /** Takes a line of a server's log, as `OnServerLog` does, with the name of the server. */
export type LogListener = (server: string, ...line: Parameters<OnServerLog>) => void;
