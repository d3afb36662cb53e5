import type { Implementation } from "@modelcontextprotocol/client";
import type { ServerSettings } from "../../config/config.ts";
import type { Sample } from "../../core/model/sampling.ts";
import type { OnServerLog } from "../../core/server-log.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Environment } from "../../kit/process/child-environment.ts";
import type { Lifeline } from "../../kit/process/lifeline.ts";
import type { Redact } from "../../kit/text/redact.ts";
import { isProtocolRefusal } from "../connection-errors.ts";
import type { Listing } from "../lists/listing.ts";
import type { Auth } from "../oauth/auth.ts";
import type { CredentialStore } from "../oauth/credential-store.ts";
import type { Answers, HostRoot } from "../questions/answers.ts";
import type { RecentOwners } from "../questions/recent-owners.ts";
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
  passesOn?: boolean | undefined;
  /** Returns the directories of the hosts; absent where hosts do not get the tools themselves. */
  hostRoots?: (() => readonly HostRoot[]) | undefined;
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
  onUpdated?(uri: string): void;
  onLog?: OnServerLog | undefined;
  owners: RecentOwners;
  onQuestion(): void;
}

/** Holds a started server with its first list of tools. */
export interface StartedServer {
  session: Session;
  listing: Listing;
}

/** Opens one connection and owns it: its process, if it has one, and its session, until both have ended. */
export interface ConnectionAttempt {
  /** Holds what is known about a failure of this connection. */
  readonly failureContext: FailureContext;
  /** Starts the process before it returns. Rejects with anything; `dispose` must still be called then. */
  open(): Promise<{ session: Session }>;
  /** Waits a moment for the news of an end that just happened. */
  waitForExit(): Promise<void>;
  /** Ends the start that is going on; it rejects with the reason. */
  abort(reason: DuetError): void;
  /** Ends the session and the process; never rejects. */
  dispose(): Promise<void>;
}

/** Represents one start of a server. */
export interface StartAttempt extends ConnectionAttempt {
  /** Is when it was made, by `performance.now()`. */
  readonly began: number;
  /** Shakes hands and lists the tools, within the start limit. */
  open(): Promise<StartedServer>;
}

export function createStartAttempt(options: StartAttemptOptions): StartAttempt {
  const { settings, redact, shared } = options;
  const { startTimeoutMs } = settings;
  const controller = new AbortController();
  const { signal } = controller;
  let server: StdioServer | undefined;
  let session: Session | undefined;

  function startProcess(): StdioServer | undefined {
    if (settings.transport.type !== "stdio") return undefined;
    return startStdioServer(settings.transport, shared.environment, shared.lifeline);
  }

  async function shakeHands(sdk: Sdk, era: Era): Promise<Session> {
    const { clientInfo, sample, passesOn } = shared;
    const stdio = await server?.open(sdk);
    const canSample = sample !== undefined;
    const opening = openSession({ ...options, sdk, clientInfo, canSample, passesOn, era, signal }, stdio);
    try {
      session = await waitAbortable(opening, signal);
      return session;
    } catch (thrown) {
      // One that opens just too late is nobody's.
      void ignoreRejection(
        opening.then((late) => late.close()),
        "the attempt has failed already, and its error is thrown",
      );
      throw thrown;
    }
  }

  /**
   * Asks a stdio server in the older era first; one that refuses is started again and asked in the newer one. A server that
   * spoke the newer era last and now fails at it may have been downgraded: servers of the 2025 era stay silent or exit when
   * asked in the newer one.
   */
  async function negotiate(sdk: Sdk, era: Era): Promise<Session> {
    try {
      return await shakeHands(sdk, era);
    } catch (thrown) {
      const isOtherEra = era === "modern" || isProtocolRefusal(thrown);
      if (server === undefined || server.ending?.error !== undefined || !isOtherEra) throw thrown;
      await server.stop();
      signal.throwIfAborted();
      server = startProcess();
      return await shakeHands(sdk, era === "modern" ? "legacy" : "modern");
    }
  }

  async function waitForExit(): Promise<void> {
    await server?.waitForExit();
  }

  return {
    began: performance.now(),
    get failureContext() {
      const { environment } = shared;
      return { settings, redact, environment, ending: server?.ending, words: server?.words() };
    },
    async open() {
      const timer = setTimeout(() => controller.abort(slowStartError(startTimeoutMs)), startTimeoutMs);
      try {
        server = startProcess();
        const sdk = await waitAbortable(shared.sdk(), signal);
        const { era = "legacy" } = await waitAbortable(options.known(), signal);
        const opened = await negotiate(sdk, era);
        return { session: opened, listing: await waitAbortable(opened.list(signal), signal) };
      } catch (thrown) {
        if (!signal.aborted) await waitForExit();
        throw signal.aborted ? signal.reason : thrown;
      } finally {
        clearTimeout(timer);
      }
    },
    waitForExit,
    abort: (reason) => controller.abort(reason),
    async dispose() {
      await Promise.all([session?.close(), server?.stop()]);
    },
  };
}

function slowStartError(ms: number): DuetError {
  const seconds = ms / 1000;
  return new DuetError({
    code: "timeout",
    text: { zh: `启动超过 ${seconds} 秒`, en: `it did not start within ${seconds} s` },
    retryable: true,
  });
}
