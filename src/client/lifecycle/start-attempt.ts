import type { Implementation } from "@modelcontextprotocol/client";
import type { ServerSettings } from "../../config/config.ts";
import type { Sample } from "../../core/sampling.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Environment } from "../../kit/process/child-environment.ts";
import type { Lifeline } from "../../kit/process/lifeline.ts";
import { isProtocolRefusal } from "../connection-errors.ts";
import type { Listing } from "../lists/listing.ts";
import type { Auth } from "../oauth/auth.ts";
import type { CredentialStore } from "../oauth/credential-store.ts";
import type { Answers } from "../questions/answers.ts";
import type { Redact } from "../redact.ts";
import type { Sdk } from "../sdk.ts";
import type { FailureContext } from "../server-errors.ts";
import { type StdioServer, startStdioServer } from "../transport/stdio-server.ts";
import type { ServerList } from "./announcements.ts";
import type { Era } from "./handshake.ts";
import { openSession, type Session } from "./session.ts";

/** Holds what all connections of a pool share. */
export interface SharedResources {
  environment: Environment;
  clientInfo: Implementation;
  lifeline: Lifeline;
  /** Loads the package once. That takes longer than starting a process, so processes start first. */
  sdk(): Promise<Sdk>;
  sample: Sample | undefined;
  credentials: CredentialStore;
}

export interface StartAttemptOptions {
  settings: ServerSettings;
  redact: Redact;
  /** Handles the sign-in; undefined when there is none. */
  auth: Auth | undefined;
  shared: SharedResources;
  answers: Answers;
  /** Returns what earlier starts learned about the server; awaited before the handshake. */
  known(): Promise<{ era: Era | undefined }>;
  onLost(): void;
  onChanged(list: ServerList): void;
  onQuestion(): void;
}

/** Holds a started server with its first list of tools. */
export interface StartedServer {
  session: Session;
  listing: Listing;
}

/** Describes a start as those who use it see it. */
export type Start = Pick<StartAttempt, keyof StartAttempt>;

/** Owns one start of a server: its process, if it has one, and its session, until both have ended. */
export class StartAttempt {
  readonly began = performance.now();
  readonly #options: StartAttemptOptions;
  readonly #abort = new AbortController();
  #server: StdioServer | undefined;
  #session: Session | undefined;

  constructor(options: StartAttemptOptions) {
    this.#options = options;
  }

  /** Returns what is known about a failure of this start. */
  get failureContext(): FailureContext {
    const { settings, redact, shared } = this.#options;
    const { environment } = shared;
    return { settings, redact, environment, ending: this.#server?.ending, words: this.#server?.words() };
  }

  /**
   * Starts the process before it returns, shakes hands and lists the tools, within the start limit. Rejects with anything;
   * `dispose` must still be called then.
   */
  async open(): Promise<StartedServer> {
    const { startTimeoutMs } = this.#options.settings;
    const { signal } = this.#abort;
    const timer = setTimeout(() => this.#abort.abort(slowStartError(startTimeoutMs)), startTimeoutMs);
    try {
      this.#server = this.#startProcess();
      const sdk = await waitAbortable(this.#options.shared.sdk(), signal);
      const { era = "legacy" } = await waitAbortable(this.#options.known(), signal);
      const session = await this.#negotiate(sdk, era);
      return { session, listing: await waitAbortable(session.list(signal), signal) };
    } catch (thrown) {
      if (!signal.aborted) await this.waitForExit();
      throw signal.aborted ? signal.reason : thrown;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits a moment for the news of an end that just happened. */
  async waitForExit(): Promise<void> {
    await this.#server?.waitForExit();
  }

  /** Ends the start that is going on; it rejects with the reason. */
  abort(reason: DuetError): void {
    this.#abort.abort(reason);
  }

  /** Says goodbye and ends the process; never rejects. */
  async dispose(): Promise<void> {
    await Promise.all([this.#session?.close(), this.#server?.stop()]);
  }

  /**
   * Asks a stdio server in the older era first; one that refuses is started again and asked in the newer one. A server that
   * spoke the newer era last and now fails at it may have been downgraded: servers of the 2025 era stay silent or exit when
   * asked in the newer one.
   */
  async #negotiate(sdk: Sdk, era: Era): Promise<Session> {
    try {
      return await this.#shakeHands(sdk, era);
    } catch (thrown) {
      const isOtherEra = era === "modern" || isProtocolRefusal(thrown);
      if (this.#server === undefined || this.#server.ending?.error !== undefined || !isOtherEra) throw thrown;
      await this.#server.stop();
      this.#abort.signal.throwIfAborted();
      this.#server = this.#startProcess();
      return await this.#shakeHands(sdk, era === "modern" ? "legacy" : "modern");
    }
  }

  async #shakeHands(sdk: Sdk, era: Era): Promise<Session> {
    const { signal } = this.#abort;
    const { shared, ...own } = this.#options;
    const { clientInfo, sample } = shared;
    const stdio = await this.#server?.open(sdk);
    const canSample = sample !== undefined;
    const opening = openSession({ ...own, sdk, clientInfo, canSample, era, signal }, stdio);
    try {
      this.#session = await waitAbortable(opening, signal);
      return this.#session;
    } catch (thrown) {
      // One that opens just too late is nobody's.
      void ignoreRejection(
        opening.then((session) => session.close()),
        "the attempt has failed already, and its error is thrown",
      );
      throw thrown;
    }
  }

  #startProcess(): StdioServer | undefined {
    const { settings, shared } = this.#options;
    if (settings.transport.type !== "stdio") return undefined;
    return startStdioServer(settings.transport, shared.environment, shared.lifeline);
  }
}

function slowStartError(ms: number): DuetError {
  const seconds = ms / 1000;
  return new DuetError({
    code: "timeout",
    text: { zh: `启动超过 ${seconds} 秒`, en: `it did not start within ${seconds} s` },
    retryable: true,
  });
}
