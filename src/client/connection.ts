import { DuetError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Text } from "../core/locale.ts";
import { abortable, sleep, timeLimit } from "../core/waiting.ts";
import type { ServerList } from "./announcements.ts";
import { Attempt, type Opened, type Surroundings } from "./attempt.ts";
import { type CallClock, createCallClock } from "./call-clock.ts";
import { coalesce } from "./coalesce.ts";
import { type RawResult, redactResult } from "./content.ts";
import { callFailure, isLost, startFailure } from "./failures.ts";
import { listBelievedMs, patienceMs, refreshPauseMs, totalLimitMs } from "./limits.ts";
import type { RemoteTool } from "./listing.ts";
import { type Auth, createAuth } from "./oauth/auth.ts";
import { createPace, type Pace } from "./pace.ts";
import { type Answers, createAnswers } from "./questions/answers.ts";
import { createRedactor, type Redact, redactAlso } from "./redact.ts";
import { createRestarts } from "./restarts.ts";
import type { CallOptions, Offers, ServerInfo, Session } from "./session.ts";
import type { ServerSettings } from "./settings.ts";
import type { ToolList } from "./tool-list.ts";
import { changed, gone, type Reply, unavailable } from "./unavailable.ts";

export interface ServerStatus {
  name: string;
  transport: ServerSettings["transport"]["type"];
  state: State["state"];
  toolCount: number;
  /** Why it failed; null while it has not. */
  error: DuetError | null;
  /** Tools that were left out, and why. */
  problems: Text[];
  /** What a person should look at: hidden characters in a description, another server's tool named in it. */
  warnings: Text[];
  /** How many tools wait to be approved. */
  waiting: number;
  /** How long its last start took, in milliseconds; null before it was ready. */
  startMs: number | null;
  /** How often it was started again. */
  restarts: number;
  /** When it is tried again by itself, or by the next call; null unless it has failed. */
  retryInMs: number | null;
  serverInfo: ServerInfo | null;
  protocolVersion: string | null;
  offers: Offers;
}

type State =
  /** Not started yet; a lazy one stays so until its first call. */
  | { state: "idle" }
  | { state: "starting"; settled: Promise<void>; attempt: Attempt }
  | { state: "ready"; session: Session; attempt: Attempt; since: number }
  | { state: "failed"; error: DuetError; retryAt: number; timer?: NodeJS.Timeout | undefined }
  | { state: "closed" };

/** What somebody who calls brings along. */
export type CallerOptions = Omit<CallOptions, "pause">;

/** One configured server: started, started again after it was lost, and closed. */
export class Connection {
  readonly settings: ServerSettings;
  readonly redact: Redact;
  readonly #auth: Auth | undefined;
  readonly list: ToolList;
  #state: State = { state: "idle" };
  #known: Pick<ServerStatus, "startMs" | "serverInfo" | "protocolVersion" | "offers"> = {
    startMs: null,
    serverInfo: null,
    protocolVersion: null,
    offers: { prompts: false, resources: false, completions: false },
  };
  #starts = 0;
  #hasBeenReady = false;
  #preparing: Promise<void> | undefined;
  readonly #restarts = createRestarts();
  readonly #goodbyes = new Set<Promise<void>>();
  readonly #refreshes = coalesce((signal) => this.#relist(signal), refreshPauseMs);
  readonly #pace: Pace;
  /** One for all its sessions: what it may ask in a minute does not begin anew with a restart. */
  readonly #answers: Answers;
  readonly #surroundings: Surroundings;
  readonly #onChanged: (list: ServerList) => void;

  /** `onChanged` is told that what the server offers has changed, or may have. */
  constructor(
    settings: ServerSettings,
    surroundings: Surroundings,
    list: ToolList,
    onChanged: (list: ServerList) => void,
  ) {
    this.settings = settings;
    this.#auth = createAuth(settings, surroundings.credentials);
    this.redact = redactAlso(createRedactor(settings), () => this.#auth?.secretValues() ?? []);
    this.list = list;
    this.#pace = createPace(settings);
    this.#answers = createAnswers({ settings, sample: surroundings.sample, redact: this.redact });
    this.#surroundings = surroundings;
    this.#onChanged = onChanged;
  }

  /** Starts its process before it returns, unless it is a lazy one; one that failed gets another try once it has rested. */
  start(): void {
    const { state } = this.#state;
    if (state === "idle" && this.settings.start === "lazy") this.#preparing ??= this.#prepare();
    else if (state === "idle") this.#begin();
    else if (this.#state.state === "failed" && performance.now() >= this.#state.retryAt) this.#begin();
  }

  /** Settles when its first start has succeeded or failed, or need not be waited for; never rejects. */
  async met(): Promise<void> {
    await this.#preparing;
    // A server that was there, or could not be started, is not worth waiting for again.
    if (this.#starts === 1) await this.#settled();
    await this.list.refresh();
  }

  get status(): ServerStatus {
    const { name, transport } = this.settings;
    const failed = this.#state.state === "failed" ? this.#state : undefined;
    return {
      name,
      transport: transport.type,
      state: this.#state.state,
      toolCount: this.list.usable.length,
      error: failed?.error ?? null,
      problems: [...this.list.problems],
      warnings: [...this.list.warnings],
      waiting: this.list.waiting.length,
      restarts: Math.max(0, this.#starts - 1),
      retryInMs: failed ? Math.max(0, Math.round(failed.retryAt - performance.now())) : null,
      ...this.#known,
    };
  }

  /**
   * Calls a tool. Rejects with a `DuetError`, or at once with the signal's reason. A server that was lost is started again
   * first; a call that was under way when it was lost is sent again only where the tool says that it only reads.
   */
  async call(tool: RemoteTool, args: JsonObject, options: CallerOptions): Promise<Reply> {
    return this.#inTurn(tool.name, options, (clock) =>
      this.#send(tool.annotations.readOnly === true, clock, options, async (session, calling) => {
        const refusal = await this.#refuse(tool, clock.signal);
        return refusal ?? { reply: "result", result: await session.call(tool, args, calling) };
      }),
    );
  }

  /** Sends any other request, none of which changes anything. Rejects with a `DuetError`, or with the signal's reason. */
  async request(method: string, params: JsonObject, options: CallerOptions): Promise<RawResult> {
    const reply = await this.#inTurn(method, options, (clock) =>
      this.#send(true, clock, options, async (session, calling) => {
        return { reply: "result", result: await session.request(method, params, calling) };
      }),
    );
    if (reply.reply === "result") return redactResult(reply.result, this.redact);
    throw new DuetError({ code: "server", text: reply.text, retryable: true });
  }

  /** Lets no call begin for so long, in milliseconds: the server has asked for fewer. */
  rest(ms: number): void {
    this.#pace.rest(ms);
  }

  /** Ends it for good, within about 2 s; never rejects. */
  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { state: "closed" };
    this.#refreshes.close();
    if (state.state === "failed") clearTimeout(state.timer);
    if (state.state === "starting") {
      state.attempt.abort(closed(this.settings));
      await state.settled;
    }
    if (state.state === "ready") this.#leave(state.attempt);
    await Promise.all(this.#goodbyes);
  }

  /** A lazy server starts now only when nobody knows what it offers. */
  async #prepare(): Promise<void> {
    await this.list.load();
    if (this.list.isKnown || this.#state.state !== "idle") return;
    this.#begin();
  }

  #begin(): void {
    if (this.#state.state === "failed") clearTimeout(this.#state.timer);
    this.#starts += 1;
    const { settings, redact } = this;
    const loaded = this.list.load();
    const attempt = new Attempt({
      settings,
      redact,
      auth: this.#auth,
      surroundings: this.#surroundings,
      answers: this.#answers,
      known: async () => {
        await loaded;
        return { era: this.list.era };
      },
      onLost: () => this.#lose(attempt, new Error("The connection was closed")),
      onChanged: (list) => this.#hear(list),
    });
    const settled = attempt.open().then(
      (opened) => this.#becomeReady(opened, attempt),
      (thrown: unknown) => this.#becomeFailed(thrown, attempt),
    );
    this.#state = { state: "starting", settled, attempt };
  }

  async #becomeReady({ session, listing }: Opened, attempt: Attempt): Promise<void> {
    await this.list.take(listing, session.era);
    if (this.#state.state !== "starting") return this.#leave(attempt);
    this.#known = {
      startMs: Math.round(performance.now() - attempt.began),
      serverInfo: session.serverInfo ?? null,
      protocolVersion: session.protocolVersion ?? null,
      offers: session.offers,
    };
    this.#hasBeenReady = true;
    this.#state = { state: "ready", session, attempt, since: performance.now() };
    for (const list of everyList) this.#onChanged(list);
    if (session.isOver()) this.#lose(attempt, new Error("The connection was closed"));
  }

  #becomeFailed(thrown: unknown, attempt: Attempt): void {
    const error = startFailure(thrown, attempt.circumstances);
    this.#leave(attempt);
    if (this.#state.state === "starting") this.#rest(error, 0);
  }

  /** The live connection is gone: say why, and start anew after a pause. */
  #lose(attempt: Attempt, thrown: unknown): void {
    if (this.#state.state !== "ready" || this.#state.attempt !== attempt) return;
    const livedMs = performance.now() - this.#state.since;
    const error = startFailure(thrown, attempt.circumstances);
    this.#leave(attempt);
    this.#rest(error, livedMs);
  }

  /** One that has been ready is tried again by itself, until it has failed too often; any other by whoever needs it. */
  #rest(error: DuetError, livedMs: number): void {
    const pauseMs = this.#restarts.failed(livedMs);
    const isTried = this.#hasBeenReady && error.code !== "auth" && !this.#restarts.isOpen;
    const timer = isTried ? setTimeout(() => this.#begin(), pauseMs).unref() : undefined;
    this.#state = { state: "failed", error, retryAt: performance.now() + pauseMs, timer };
  }

  #leave(attempt: Attempt): void {
    const goodbye = attempt.leave().then(() => {
      this.#goodbyes.delete(goodbye);
    });
    this.#goodbyes.add(goodbye);
  }

  #hear(list: ServerList): void {
    if (list === "tools") this.#refreshes.ask();
    else this.#onChanged(list);
  }

  /** A list that cannot be had now is asked for again with the next start, or once the old one is too old. */
  async #relist(signal: AbortSignal): Promise<void> {
    if (this.#state.state !== "ready") return;
    const { session } = this.#state;
    const limit = timeLimit(this.settings.startTimeoutMs, () => new Error("late"), signal);
    try {
      await this.list.take(await abortable(session.list(limit.signal), limit.signal), session.era);
      this.#onChanged("tools");
    } catch {
    } finally {
      limit.clear();
    }
  }

  async #inTurn(what: string, options: CallerOptions, work: (clock: CallClock) => Promise<Reply>): Promise<Reply> {
    const { name, timeoutMs } = this.settings;
    const clock = createCallClock(`${name} ${what}`, timeoutMs, totalLimitMs(timeoutMs), options.signal);
    try {
      return await this.#pace.run(() => work(clock), clock.signal);
    } finally {
      clock.clear();
    }
  }

  async #send(
    maySendAgain: boolean,
    clock: CallClock,
    options: CallerOptions,
    work: (session: Session, calling: CallOptions) => Promise<Reply>,
  ): Promise<Reply> {
    const live = await this.#live(clock.signal);
    if ("reply" in live) return live;
    const { session, attempt } = live;
    const { onProgress } = options;
    const calling: CallOptions = {
      ...options,
      signal: clock.signal,
      pause: clock.pause,
      onProgress(progress) {
        clock.reset();
        onProgress(progress);
      },
    };
    clock.begin();
    try {
      return await abortable(work(session, calling), clock.signal);
    } catch (thrown) {
      options.signal.throwIfAborted();
      if (clock.expired || !isLost(thrown)) throw callFailure(clock.expired ? clock.signal.reason : thrown, this);
      await attempt.newsOfEnding();
      this.#lose(attempt, thrown);
      if (!maySendAgain) throw callFailure(thrown, attempt.circumstances);
      return this.#send(false, clock, options, work);
    }
  }

  /** Only what was approved is called: a list that has grown old is looked at again first. */
  async #refuse(tool: RemoteTool, signal: AbortSignal): Promise<Reply | undefined> {
    if (performance.now() - this.list.listedAt > listBelievedMs) this.#refreshes.ask();
    await abortable(this.#refreshes.settled(), signal);
    if (this.list.usable.includes(tool)) return undefined;
    const { name } = this.settings;
    const isWaiting = this.list.waiting.some((each) => each.tool.name === tool.name);
    return isWaiting ? changed(name, tool.name) : gone(name, tool.name);
  }

  /** Settles when no start is going on; never rejects. */
  async #settled(): Promise<void> {
    if (this.#state.state === "starting") await this.#state.settled;
  }

  async #live(signal: AbortSignal): Promise<{ session: Session; attempt: Attempt } | Reply> {
    await abortable(this.#settled(), signal);
    if (this.#state.state === "failed") {
      const leftMs = this.#state.retryAt - performance.now();
      if (leftMs > patienceMs) return unavailable(this.settings.name, this.#state.error, leftMs);
      if (leftMs > 0) await sleep(leftMs, signal);
    }
    if (this.#state.state === "idle" || this.#state.state === "failed") this.#begin();
    await abortable(this.#settled(), signal);
    if (this.#state.state === "ready") return this.#state;
    if (this.#state.state !== "failed") throw closed(this.settings);
    const { error, retryAt } = this.#state;
    return unavailable(this.settings.name, error, retryAt - performance.now());
  }
}

const everyList: readonly ServerList[] = ["tools", "prompts", "resources"];

function closed({ name }: ServerSettings): DuetError {
  return new DuetError({
    code: "server",
    text: { zh: `MCP 服务器 ${name} 的连接已关闭`, en: `The connection to the MCP server ${name} is closed` },
  });
}
