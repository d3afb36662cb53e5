import type { ServerSettings } from "../config/config.ts";
import type { OnServerLog, ServerLogLevel } from "../core/server-log.ts";
import { createCoalescedWork } from "../kit/async/coalesced-work.ts";
import { createWaitLimit, waitAbortable, waitPatiently } from "../kit/async/timeout.ts";
import { DuetError } from "../kit/errors.ts";
import type { JsonObject } from "../kit/json.ts";
import type { Text } from "../kit/locale.ts";
import { type Redact, redactValue } from "../kit/text/redact.ts";
import { type CallReply, toChangedReply, toGoneReply } from "./calls/call-reply.ts";
import { type CallerOptions, createRequestSender, type RequestSender } from "./calls/request-sender.ts";
import type { RawResult } from "./calls/tool-result.ts";
import { everyList, type ServerList } from "./lifecycle/announcements.ts";
import { type CallerSessions, createCallerSessions } from "./lifecycle/caller-sessions.ts";
import { ServerLifecycle, type ServerState } from "./lifecycle/server-lifecycle.ts";
import { createStartAttempt, type SharedResources, type StartAttempt } from "./lifecycle/start-attempt.ts";
import { createSubscriptions, type Subscriptions } from "./lifecycle/subscriptions.ts";
import { listBelievedMs, listPatienceMs, refreshPauseMs } from "./limits.ts";
import type { RemoteTool } from "./lists/listing.ts";
import type { ToolList } from "./lists/tool-list.ts";
import { type Auth, createAuth } from "./oauth/auth.ts";
import { type Answers, createAnswers } from "./questions/answers.ts";
import { createRecentOwners } from "./questions/recent-owners.ts";
import { createServerRedact, extendRedact } from "./redact.ts";
import { createServerLog, type ServerLog } from "./server-log.ts";

export interface ServerStatus extends ServerState {
  name: string;
  transport: ServerSettings["transport"]["type"];
  toolCount: number;
  /** Lists the tools that were left out, and why. */
  problems: Text[];
  /**
   * Warns of findings a person should check, such as hidden characters in a description or the name of another server's tool in
   * it.
   */
  warnings: Text[];
  /** Counts the tools that wait for approval. */
  waiting: number;
}

/** Says how long a server's first start is waited for: until it is over where nothing is said. */
export interface StartWait {
  /** Is true where tools that are known from an earlier start suffice: a call waits for the server. */
  knownSuffice?: boolean | undefined;
  /** Limits the wait, in milliseconds. */
  patienceMs?: number | undefined;
}

/** Hears of what changes at a server. */
export interface ConnectionListeners {
  /** Runs when what the server offers has changed or may have changed. */
  onChanged(list: ServerList): void;
  /** Runs when a resource has changed to which somebody has subscribed, or something below it. */
  onUpdated(uri: string): void;
  /** Takes a line of the server's log that belongs to no single host's call. */
  onLog: OnServerLog;
}

export class ServerConnection {
  readonly settings: ServerSettings;
  readonly redact: Redact;
  readonly list: ToolList;
  readonly #lifecycle: ServerLifecycle;
  readonly #sessions: CallerSessions;
  readonly #auth: Auth | undefined;
  readonly #sender: RequestSender;
  /** All sessions of the server share this object, so that a restart does not reset its limits per minute. */
  readonly #answers: Answers;
  readonly #shared: SharedResources;
  readonly #onChanged: (list: ServerList) => void;
  readonly subscriptions: Subscriptions;
  readonly #refreshes = createCoalescedWork((signal) => this.#relist(signal), refreshPauseMs);
  readonly #owners = createRecentOwners();
  #logLevel: ServerLogLevel | undefined;
  /** Settles when the last level has been sent. */
  #levelSent: Promise<unknown> = Promise.resolve();
  #preparing: Promise<void> | undefined;
  readonly #log = createServerLog();
  /** Holds the time of the last list request, by `performance.now()`. */
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(
    settings: ServerSettings,
    shared: SharedResources,
    list: ToolList,
    { onChanged, onUpdated, onLog: tellLog }: ConnectionListeners,
  ) {
    this.settings = settings;
    const onLog: OnServerLog = (entry, told) => {
      this.#log.add(entry);
      tellLog(entry, told);
    };
    this.#auth = createAuth(settings, shared.credentials);
    this.redact = extendRedact(
      createServerRedact(settings, shared.environment),
      () => this.#auth?.secretValues() ?? [],
    );
    this.list = list;
    const { sample, hostRoots } = shared;
    this.#answers = createAnswers({ settings, sample, redact: this.redact, hostRoots });
    this.#shared = shared;
    this.#onChanged = onChanged;
    this.#lifecycle = new ServerLifecycle({
      name: settings.name,
      prepare: (onLost) => this.#attempt(onLost, { onChanged: (changed) => this.#hear(changed), onUpdated, onLog }),
      applyStart: ({ session, listing }) => list.applyListing(listing, session.era),
      onReady: () => {
        for (const each of everyList) onChanged(each);
        void this.subscriptions.resume();
        this.#sendLogLevel();
      },
    });
    this.subscriptions = createSubscriptions({ settings, redact: this.redact, lifecycle: this.#lifecycle, onUpdated });
    this.#sessions = createCallerSessions({
      name: settings.name,
      lifecycle: this.#lifecycle,
      // What tools there are is learned from the shared connection alone.
      prepare: (onLost) => this.#attempt(onLost, { onChanged() {}, onUpdated() {}, onLog }),
    });
    this.#sender = createRequestSender(settings, {
      redact: this.redact,
      lifecycle: this.#lifecycle,
      sessions: this.#sessions,
    });
  }

  /** Starts its process before it returns, unless it is a lazy one; one that failed gets another try once it has rested. */
  start(): void {
    const isLazy = this.settings.start === "lazy" && this.#lifecycle.state.state === "idle";
    if (isLazy) this.#preparing ??= this.#prepare();
    else this.#lifecycle.start();
  }

  /** Waits until its first start has succeeded or failed, or need not be waited for. Rejects only with the signal's reason. */
  async waitForFirstStart(
    signal: AbortSignal | undefined,
    { knownSuffice, patienceMs }: StartWait = {},
  ): Promise<void> {
    await this.#preparing;
    if (knownSuffice) await this.list.load();
    const isWaitedFor = !(knownSuffice && this.list.isRecent);
    // A server that was there, or could not be started, is not worth waiting for again.
    const starting = isWaitedFor && this.#lifecycle.starts === 1 ? this.#lifecycle.settled() : undefined;
    if (starting && patienceMs !== undefined) await waitPatiently(starting, patienceMs, signal);
    else if (starting) await waitAbortable(starting, signal);
    await this.list.refresh();
  }

  get status(): ServerStatus {
    const { name, transport } = this.settings;
    return {
      name,
      transport: transport.type,
      toolCount: this.list.usable.length,
      problems: [...this.list.problems],
      warnings: [...this.list.warnings],
      waiting: this.list.waiting.length + this.list.waitingBesides.length,
      ...this.#lifecycle.state,
    };
  }

  /** A tool may be called twice where it says that it only reads, and a person has approved the definition that says so. */
  isRepeatable(tool: RemoteTool): boolean {
    const { readOnly, destructive } = tool.annotations;
    return readOnly === true && destructive !== true && this.list.isApproved(tool);
  }

  /**
   * Calls a tool. Rejects with a `DuetError`, or at once with the signal's reason. A server that was lost is started again
   * first; a call that was under way when it was lost is sent again only where it `isRepeatable`.
   */
  async call(tool: RemoteTool, args: JsonObject, options: CallerOptions): Promise<CallReply> {
    return this.#sender.send(options, {
      what: tool.name,
      isRepeatable: this.isRepeatable(tool),
      canTakeEffect: true,
      refuse: (signal) => this.#refuse(tool, signal),
      ask: (session, calling) => session.call(tool, args, calling),
    });
  }

  /** Sends any other request, none of which changes anything. Rejects with a `DuetError`, or with the signal's reason. */
  async request(method: string, params: JsonObject, options: CallerOptions): Promise<RawResult> {
    const reply = await this.#sender.send(options, {
      what: method,
      isRepeatable: true,
      canTakeEffect: false,
      ask: (session, calling) => session.request(method, params, calling),
    });
    if (reply.reply === "result") return redactValue(reply.result, this.redact);
    throw new DuetError({ code: "server", text: reply.text, retryable: true });
  }

  /** Tells the server that the directories of the hosts are others, where it is told of them. */
  notifyRootsChanged(): void {
    if (this.settings.hostRoots) void this.#lifecycle.session?.notifyRootsChanged();
  }

  /** Says from which level on the server is to log, also after a restart. */
  setLogLevel(level: ServerLogLevel): void {
    if (level === this.#logLevel) return;
    this.#logLevel = level;
    this.#sendLogLevel();
  }

  /** Sends one level after another, so that the last one counts. */
  #sendLogLevel(): void {
    this.#levelSent = this.#levelSent.then(
      () => this.#logLevel && this.#lifecycle.session?.setLogLevel(this.#logLevel),
    );
  }

  /** Starts the server anew at once, with the sign-in that is stored now; settles when that start is over, and never rejects. */
  restart(): Promise<void> {
    this.#auth?.forget();
    return this.#lifecycle.restart();
  }

  /** Returns the last lines of its log and of what its process wrote to stderr, without secrets. */
  get log(): ServerLog {
    return { lines: this.#log.lines, stderr: this.redact(this.#lifecycle.words) };
  }

  /** Lets no call begin for so long, in milliseconds: the server has asked for fewer. */
  rest(ms: number): void {
    this.#sender.rest(ms);
  }

  /** Ends it for good, within about 2 s; never rejects. */
  async close(): Promise<void> {
    this.#refreshes.close();
    await Promise.all([this.#lifecycle.close(), this.#sessions.close()]);
  }

  /** Starts a lazy server only when its tools are not known yet. */
  async #prepare(): Promise<void> {
    await this.list.load();
    if (!this.list.isKnown) this.#lifecycle.start();
  }

  #attempt(onLost: () => void, { onChanged, onUpdated, onLog }: ConnectionListeners): StartAttempt {
    const { settings, redact } = this;
    const loaded = this.list.load();
    return createStartAttempt({
      settings,
      redact,
      auth: this.#auth,
      shared: this.#shared,
      answers: this.#answers,
      known: async () => {
        await loaded;
        return { era: this.list.era };
      },
      onLost,
      onChanged,
      onUpdated,
      onLog,
      owners: this.#owners,
      onQuestion: () => this.#sessions.separate(),
    });
  }

  #hear(list: ServerList): void {
    if (list === "tools") this.#refreshes.request();
    else this.#onChanged(list);
  }

  /** A list that cannot be fetched now is requested again at the next start, or when the old one expires. */
  async #relist(signal: AbortSignal): Promise<void> {
    this.#askedAt = performance.now();
    const limit = createWaitLimit(this.settings.startTimeoutMs, signal);
    try {
      // What changes while a start takes in its first list is not in that list.
      const starting = this.#lifecycle.settled();
      if (starting) await waitAbortable(starting, limit.signal);
      const { session } = this.#lifecycle;
      if (session === undefined) return;
      await this.list.applyListing(await waitAbortable(session.list(limit.signal), limit.signal), session.era);
      this.#onChanged("tools");
    } catch {
    } finally {
      limit.clear();
    }
  }

  /**
   * Refuses a call of a tool whose definition was not approved. An expired list is fetched again first, if the server answers
   * soon.
   */
  async #refuse(tool: RemoteTool, signal: AbortSignal): Promise<CallReply | undefined> {
    const lastSeen = Math.max(this.list.listedAt, this.#askedAt);
    if (performance.now() - lastSeen > listBelievedMs) this.#refreshes.request();
    const refreshing = this.#refreshes.waitForPending();
    if (refreshing) await waitPatiently(refreshing, listPatienceMs, signal);
    if (this.list.usable.includes(tool)) return undefined;
    const { name } = this.settings;
    const isWaiting = this.list.waiting.some((each) => each.tool.name === tool.name);
    return isWaiting ? toChangedReply(name, tool.name) : toGoneReply(name, tool.name);
  }
}
