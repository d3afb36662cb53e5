import {
  type AgentCapabilities,
  type AgentRequestMethod,
  type AgentRequestParamsByMethod,
  type AgentRequestResponsesByMethod,
  client,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import type { AcpSettings } from "../../config/config.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, sleep, waitAbortable } from "../../kit/async/timeout.ts";
import type { DuetError } from "../../kit/errors.ts";
import { Child } from "../../kit/process/child.ts";
import { createChildEnvironment, type Environment } from "../../kit/process/child-environment.ts";
import type { Lifeline } from "../../kit/process/lifeline.ts";
import { hasProcessGroups } from "../../kit/process/process-tree.ts";
import { version } from "../../kit/version.ts";
import {
  type AgentFacts,
  deafError,
  endedError,
  lostConnectionError,
  otherProtocolError,
  otherSystemError,
  refusedError,
  slowStartError,
  tooLargeError,
  tooManyRequestsError,
} from "./agent-errors.ts";
import type { FileRequests } from "./agent-files.ts";
import { createAgentStream } from "./agent-stream.ts";
import type { ActiveWork, KnownSession } from "./known-session.ts";
import { isOnlyForAll, toApprovalRequest, toPermissionResponse } from "./permissions.ts";
import { mergeCall, readCall, readUpdate } from "./read-update.ts";
import type { Terminals } from "./terminals.ts";

/** Is one process of an agent. */
export interface AgentProcess {
  /** Resolves once the agent has said what it can do. Rejects, in words for people, where it cannot be used. */
  ready(signal: AbortSignal): Promise<AgentCapabilities>;
  /** Makes a request and waits for its end, for the signal, or for the end of the process. */
  request<M extends AgentRequestMethod>(
    method: M,
    params: AgentRequestParamsByMethod[M],
    signal: AbortSignal,
  ): Promise<AgentRequestResponsesByMethod[M]>;
  /** Makes a request that the protocol does not name. */
  requestByName(method: string, params: object, signal: AbortSignal): Promise<unknown>;
  cancel(sessionId: string): void;
  /** Is what the agent has said it can do; undefined until it has. */
  readonly capabilities: AgentCapabilities | undefined;
  readonly sessions: Map<string, KnownSession>;
  /** Is false once the process has ended, or is about to. */
  readonly isUsable: boolean;
  /** Is true once nothing of it is left to be stopped. */
  readonly hasEnded: boolean;
  /** Takes no more questions, and ends as soon as none is worked on, or a moment later all the same. */
  retire(): void;
  /** Says that the work in a session is over. */
  release(session: KnownSession): void;
  stop(): Promise<void>;
}

export interface AgentProcessOptions {
  settings: AcpSettings;
  facts: AgentFacts;
  environment: Environment;
  lifeline: Lifeline;
}

/** Starts the process before it returns. Throws what `spawn` throws. */
export function startAgentProcess({ settings, facts, environment, lifeline }: AgentProcessOptions): AgentProcess {
  const { transport, cwd } = settings;
  if (!hasProcessGroups()) throw otherSystemError(facts);
  const env = createChildEnvironment(environment, transport);
  const child = new Child({ command: transport.command, args: transport.args, env, cwd }, lifeline);
  const sessions = new Map<string, KnownSession>();
  let isRetired = false;
  let hasEnded = false;
  let fatal: DuetError | undefined;

  void child.ended.then(async () => {
    await child.stop();
    hasEnded = true;
  });
  const ended = child.ended.then((ending): never => {
    isRetired = true;
    connection.close();
    throw fatal ?? endedError(facts, ending, { words: child.words.toString(), isWorking: sessions.size > 0 });
  });
  void ignoreRejection(ended, "whoever waits for a request is told");

  const stream = createAgentStream(child, {
    onUpdate(params, size) {
      const read = readUpdate(params);
      const session = read && sessions.get(read.sessionId);
      if (read === undefined || session === undefined) return;
      const { update } = read;
      session.work?.turn.handle(update, size);
      if (update.type === "modes") session.modes = { ...session.modes, ...update.modes };
      if (update.type === "usage") session.told = { used: update.used, cost: update.cost ?? session.told.cost };
    },
    onTooMuch() {
      fatal ??= tooManyRequestsError(facts);
      void child.stop();
    },
    onTooLarge() {
      fatal = tooLargeError(facts);
      void child.stop();
    },
  });
  const connection = client({ name: "duet" })
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => answerPermission(params, signal))
    .onRequest(methods.client.fs.readTextFile, ({ params }) => findFiles(params.sessionId).read(params))
    .onRequest(methods.client.fs.writeTextFile, ({ params }) => findFiles(params.sessionId).write(params))
    .onRequest(methods.client.terminal.create, ({ params }) => findTerminals(params).create(params))
    .onRequest(methods.client.terminal.output, ({ params }) => findTerminals(params).output(params.terminalId))
    .onRequest(methods.client.terminal.waitForExit, ({ params }) =>
      findTerminals(params).waitForExit(params.terminalId),
    )
    .onRequest(methods.client.terminal.kill, ({ params }) => findTerminals(params).kill(params.terminalId))
    .onRequest(methods.client.terminal.release, ({ params }) => findTerminals(params).release(params.terminalId))
    .connect(stream);
  void connection.closed.then(endLostProcess);

  function findWork(sessionId: string): ActiveWork {
    const work = sessions.get(sessionId)?.work;
    if (work === undefined || work.turn.signal.aborted) throw RequestError.sessionNotFound(sessionId);
    return work;
  }

  function findFiles(sessionId: string): FileRequests {
    const { files } = findWork(sessionId);
    if (files === undefined) throw RequestError.methodNotFound("fs");
    return files;
  }

  function findTerminals({ sessionId }: { sessionId: string }): Terminals {
    const { terminals } = findWork(sessionId);
    if (terminals === undefined) throw RequestError.methodNotFound("terminal");
    return terminals;
  }

  /** `left` aborts when the agent takes its question back. */
  async function answerPermission(
    params: RequestPermissionRequest,
    left: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    const work = sessions.get(params.sessionId)?.work;
    const asked = readCall({ ...params.toolCall });
    if (work === undefined || asked === undefined || work.turn.signal.aborted) return withdrawn;
    const { turn, consent, files, terminals, tool, rule, locale } = work;
    const call = mergeCall(turn.findCall(asked.id), asked);
    const isForAll = isOnlyForAll(params.options);
    const { request, shown } = toApprovalRequest(call, { tool, rule, isForAll, locale });
    const answer = await consent.ask(request, left);
    if (turn.signal.aborted || left.aborted || sessions.get(params.sessionId)?.work !== work) return withdrawn;
    if (answer === "once" || answer === "conversation") {
      files?.agree(shown);
      terminals?.agree(shown);
    }
    return toPermissionResponse(params, answer);
  }

  async function openConnection(): Promise<AgentCapabilities> {
    const limit = createTimeLimit(settings.startTimeoutMs, () => slowStartError(facts, settings.startTimeoutMs));
    const hasFiles = settings.roots.length > 0;
    try {
      const answer = await waitFor(
        connection.agent.request("initialize", {
          protocolVersion: PROTOCOL_VERSION,
          clientInfo: { name: "duet", title: "Duet", version },
          clientCapabilities: { fs: { readTextFile: hasFiles, writeTextFile: hasFiles }, terminal: settings.terminal },
        }),
        limit.signal,
      );
      if (answer.protocolVersion !== PROTOCOL_VERSION) throw otherProtocolError(facts, answer.protocolVersion);
      return answer.agentCapabilities ?? {};
    } catch (thrown) {
      void stop();
      throw thrown;
    } finally {
      limit.clear();
    }
  }

  /** Waits for a response. The end of the process comes first: the package only says that the connection was closed. */
  async function waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    const told = work.catch(async (thrown: unknown): Promise<never> => {
      if (connection.signal.aborted) await ended;
      throw refusedError(facts, thrown, child.words.toString());
    });
    void ignoreRejection(told, "nobody may be waiting any more");
    return waitAbortable(Promise.race([told, ended]), signal);
  }

  /** Ends a process that nothing can be said to any more. Where it is ending by itself, its end says why. */
  async function endLostProcess(): Promise<void> {
    if (isRetired) return;
    isRetired = true;
    const over = new AbortController();
    await Promise.race([child.ended, ignoreRejection(sleep(ownEndMs, over.signal), "the race ends the wait")]);
    over.abort();
    if (child.ending === undefined) fatal ??= lostConnectionError(facts, connection.signal.reason);
    void stop();
  }

  function endDeafProcess(): void {
    fatal ??= deafError(facts);
    void stop();
  }

  function stopIfIdle(): void {
    if (isRetired && [...sessions.values()].every(({ work }) => work === undefined)) void stop();
  }

  function stop(): Promise<void> {
    isRetired = true;
    connection.close();
    return child.stop();
  }

  let said: AgentCapabilities | undefined;
  const capabilities = openConnection().then((answer) => {
    said = answer;
    return answer;
  });
  void ignoreRejection(capabilities, "whoever asks the agent is told");

  return {
    get capabilities() {
      return said;
    },
    sessions,
    ready: (signal) => waitAbortable(capabilities, signal),
    request: (method, params, signal) => waitFor(connection.agent.request(method, params), signal),
    requestByName: (method, params, signal) => waitFor(connection.agent.request<unknown>(method, params), signal),
    cancel(sessionId) {
      const told = connection.agent.notify(methods.agent.session.cancel, { sessionId });
      void ignoreRejection(told, "an agent that cannot be told is ended");
    },
    get isUsable() {
      return !isRetired && child.ending === undefined && !connection.signal.aborted;
    },
    get hasEnded() {
      return hasEnded;
    },
    retire() {
      isRetired = true;
      const timer = setTimeout(endDeafProcess, retirePatienceMs);
      void child.ended.then(() => clearTimeout(timer));
      stopIfIdle();
    },
    release(session) {
      session.work?.consent.close();
      session.work = undefined;
      session.isTaken = false;
      stopIfIdle();
    },
    stop,
  };
}

/** Limits how long a process that ignores a cancel goes on for the sake of its other questions, in milliseconds. */
const retirePatienceMs = 1000;
/** Is how long a process whose connection is gone may take to end by itself, in milliseconds. */
const ownEndMs = 200;

const withdrawn: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };
