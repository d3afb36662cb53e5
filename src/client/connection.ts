import type { Implementation } from "@modelcontextprotocol/client";
import { DuetError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Text } from "../core/locale.ts";
import type { Environment } from "../core/processes/environment.ts";
import type { Lifeline } from "../core/processes/lifeline.ts";
import { abortable, timeLimit, timeoutError } from "../core/waiting.ts";
import type { RawResult } from "./content.ts";
import { type Circumstances, callFailure, isLost, startFailure } from "./failures.ts";
import { restartPauseMs, totalLimitMs } from "./limits.ts";
import type { RemoteTool } from "./listing.ts";
import { createPace, type Pace } from "./pace.ts";
import { createRedactor, type Redact } from "./redact.ts";
import { type CallOptions, openSession, type ServerInfo, type Session } from "./session.ts";
import type { ServerSettings } from "./settings.ts";
import type { Sdk } from "./transport/http.ts";
import { type StdioServer, startStdio } from "./transport/stdio-server.ts";
import { isWanted } from "./wanted.ts";

/** What all connections of a pool share. */
export interface Surroundings {
  environment: Environment;
  clientInfo: Implementation;
  lifeline: Lifeline;
  /** Loads the package once. That takes longer than starting a process, so processes start first. */
  sdk(): Promise<Sdk>;
}

export interface ServerStatus {
  name: string;
  transport: ServerSettings["transport"]["type"];
  state: State["state"];
  toolCount: number;
  /** Why it failed; null while it has not. */
  error: DuetError | null;
  /** Tools that were left out, and why. */
  problems: Text[];
  /** How long its last start took, in milliseconds; null before it was ready. */
  startMs: number | null;
  serverInfo: ServerInfo | null;
  protocolVersion: string | null;
}

type State =
  | { state: "idle" }
  | { state: "starting"; settled: Promise<void>; attempt: Attempt }
  | { state: "ready"; session: Session; attempt: Attempt }
  | { state: "failed"; error: DuetError }
  | { state: "closed" };

/** One start of the server, and its process if it has one. */
interface Attempt {
  abort: AbortController;
  began: number;
  server?: StdioServer;
}

/** One configured server: started once, started again by a call after it was lost, and closed. */
export class Connection {
  readonly settings: ServerSettings;
  readonly redact: Redact;
  /** What the server offers and the configuration wants; kept while a lost server waits for its next call. */
  tools: RemoteTool[] = [];
  #state: State = { state: "idle" };
  #known: Pick<ServerStatus, "problems" | "startMs" | "serverInfo" | "protocolVersion"> = {
    problems: [],
    startMs: null,
    serverInfo: null,
    protocolVersion: null,
  };
  #lastBegan = Number.NEGATIVE_INFINITY;
  readonly #goodbyes = new Set<Promise<void>>();
  readonly #pace: Pace;
  readonly #surroundings: Surroundings;

  constructor(settings: ServerSettings, surroundings: Surroundings) {
    this.settings = settings;
    this.redact = createRedactor(settings);
    this.#pace = createPace(settings);
    this.#surroundings = surroundings;
  }

  /** Starts its process before it returns; one that failed gets another try once it has rested. */
  start(): void {
    const rested = performance.now() - this.#lastBegan >= restartPauseMs;
    if (this.#state.state === "idle" || (this.#state.state === "failed" && rested)) this.#begin();
  }

  /** Settles when the start has succeeded or failed; never rejects. */
  async settled(): Promise<void> {
    if (this.#state.state === "starting") await this.#state.settled;
  }

  get status(): ServerStatus {
    const { state } = this.#state;
    const error = this.#state.state === "failed" ? this.#state.error : null;
    const { name, transport } = this.settings;
    return { name, transport: transport.type, state, toolCount: this.tools.length, error, ...this.#known };
  }

  /**
   * Calls a tool. Rejects with a `DuetError`, or at once with the signal's reason. A server that was lost is started
   * again first; a call that was under way when it was lost fails and is never sent twice.
   */
  async call(tool: RemoteTool, args: JsonObject, options: CallOptions): Promise<RawResult> {
    const limitMs = totalLimitMs(this.settings.timeoutMs);
    const limit = timeLimit(limitMs, () => timeoutError(`${this.settings.name} ${tool.name}`, limitMs), options.signal);
    try {
      return await this.#pace(() => this.#send(tool, args, { ...options, signal: limit.signal }), limit.signal);
    } finally {
      limit.clear();
    }
  }

  /** Ends it for good, within about 2 s; never rejects. */
  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { state: "closed" };
    if (state.state === "starting") {
      state.attempt.abort.abort(closed(this.settings));
      await state.settled;
    }
    if (state.state === "ready") this.#leave(state.session, state.attempt);
    await Promise.all(this.#goodbyes);
  }

  #begin(): void {
    const attempt: Attempt = { abort: new AbortController(), began: performance.now() };
    this.#lastBegan = attempt.began;
    const settled = this.#open(attempt).then(
      (session) => this.#becomeReady(session, attempt),
      (error: DuetError) => this.#becomeFailed(error),
    );
    this.#state = { state: "starting", settled, attempt };
  }

  /** Rejects with a `DuetError` only. */
  async #open(attempt: Attempt): Promise<Session> {
    const { settings, redact } = this;
    const { environment, clientInfo, lifeline } = this.#surroundings;
    const { signal } = attempt.abort;
    const limitMs = settings.startTimeoutMs;
    const timer = setTimeout(() => attempt.abort.abort(slowStart(limitMs)), limitMs);
    try {
      const { transport } = settings;
      if (transport.type === "stdio") attempt.server = startStdio(transport, environment, lifeline);
      const sdk = await abortable(this.#surroundings.sdk(), signal);
      const stdio = await attempt.server?.open(sdk);
      const onLost = (): void => this.#lose(attempt, new Error("The connection was closed"));
      const opening = openSession({ sdk, settings, clientInfo, redact, signal, onLost }, stdio);
      return await abortable(opening, signal).catch((error: unknown) => {
        // One that opens just too late is nobody's.
        void opening.then((session) => this.#leave(session, attempt)).catch(() => {});
        throw error;
      });
    } catch (thrown) {
      if (!signal.aborted) await attempt.server?.newsOfEnding();
      const error = startFailure(signal.aborted ? signal.reason : thrown, this.#circumstances(attempt));
      this.#leave(undefined, attempt);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #becomeReady(session: Session, attempt: Attempt): void {
    if (this.#state.state !== "starting") {
      this.#leave(session, attempt);
      return;
    }
    this.tools = session.tools.filter((tool) => isWanted(this.settings, tool.name));
    this.#known = {
      problems: session.problems,
      startMs: Math.round(performance.now() - attempt.began),
      serverInfo: session.serverInfo ?? null,
      protocolVersion: session.protocolVersion ?? null,
    };
    this.#state = { state: "ready", session, attempt };
    if (session.isOver()) this.#lose(attempt, new Error("The connection was closed"));
  }

  #becomeFailed(error: DuetError): void {
    if (this.#state.state === "starting") this.#state = { state: "failed", error };
  }

  /** The live connection is gone: say why, and let the next call start anew. */
  #lose(attempt: Attempt, thrown: unknown): void {
    if (this.#state.state !== "ready" || this.#state.attempt !== attempt) return;
    const { session } = this.#state;
    this.#state = { state: "failed", error: startFailure(thrown, this.#circumstances(attempt)) };
    this.#leave(session, attempt);
  }

  #leave(session: Session | undefined, attempt: Attempt): void {
    const goodbye = Promise.all([session?.close(), attempt.server?.stop()]).then(() => {
      this.#goodbyes.delete(goodbye);
    });
    this.#goodbyes.add(goodbye);
  }

  #circumstances({ server }: Attempt): Circumstances {
    return { settings: this.settings, redact: this.redact, ending: server?.ending, words: server?.words() };
  }

  async #send(tool: RemoteTool, args: JsonObject, options: CallOptions): Promise<RawResult> {
    const { signal } = options;
    const { session, attempt } = await this.#live(signal);
    try {
      return await abortable(session.call(tool, args, options), signal);
    } catch (thrown) {
      signal.throwIfAborted();
      if (!isLost(thrown)) throw callFailure(thrown, this);
      await attempt.server?.newsOfEnding();
      this.#lose(attempt, thrown);
      throw callFailure(thrown, this.#circumstances(attempt));
    }
  }

  async #live(signal: AbortSignal): Promise<{ session: Session; attempt: Attempt }> {
    const state = this.#state;
    const mayStart = state.state === "idle" || state.state === "failed";
    const tooSoon = performance.now() - this.#lastBegan < restartPauseMs;
    if (state.state === "failed" && tooSoon) throw state.error;
    if (mayStart) this.#begin();
    await abortable(this.settled(), signal);
    if (this.#state.state === "ready") return this.#state;
    throw this.#state.state === "failed" ? this.#state.error : closed(this.settings);
  }
}

function slowStart(ms: number): DuetError {
  const seconds = ms / 1000;
  return new DuetError({
    code: "timeout",
    text: { zh: `启动超过 ${seconds} 秒`, en: `it did not start within ${seconds} s` },
    retryable: true,
  });
}

function closed({ name }: ServerSettings): DuetError {
  return new DuetError({
    code: "server",
    text: { zh: `MCP 服务器 ${name} 的连接已关闭`, en: `The connection to the MCP server ${name} is closed` },
  });
}
