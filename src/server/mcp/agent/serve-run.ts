import type { CallToolResult, ContentBlock, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import { type Chain, getReportMs } from "../../../core/chain.ts";
import { noticeKinds } from "../../../core/notices/notice-kinds.ts";
import { addNotices, type OutcomeNotice, toOutcomeNotices } from "../../../core/notices/outcome-notices.ts";
import type { Outcome } from "../../../core/run/outcome.ts";
import { type HostRequest, longestRequestId } from "../../../core/store/journal.ts";
import { DuetError, toDuetError } from "../../../kit/errors.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import type { Detail, IncludedPart } from "../../../runs/ask-schema.ts";
import { canHandOut } from "../../../runs/begin-run.ts";
import { addEarlier } from "../../../runs/continued-runs.ts";
import { findEndOfWait, findMoved } from "../../../runs/find-moved.ts";
import { firstWithLinks, type Host } from "../../../runs/input/host.ts";
import type { HostConnection } from "../../../runs/input/host-connection.ts";
import { readReply } from "../../../runs/input/host-question.ts";
import type { InputRequests } from "../../../runs/input/input-requests.ts";
import type { RequestContext, StartWork } from "../../../runs/input/pending-work.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { type ReplyProblem, waitForRun } from "../../../runs/live/wait-for-run.ts";
import { markDelivered, toOutcomeFor } from "../../../runs/outcomes/outcome-for.ts";
import type { OpenQuestion } from "../../../runs/questions/open-question.ts";
import { takeHostReply } from "../../../runs/questions/take-host-reply.ts";
import {
  type CallerScope,
  isTimeoutReason,
  lostConnection,
  type RunService,
  releaseRun,
} from "../../../runs/run-service.ts";
import { toFailedResult } from "../failed-result.ts";
import { findKnownHost, getWindowMs } from "../known-hosts.ts";
import type { ObservedTimeouts } from "../observed-timeouts.ts";
import { createRunProgress, type RunProgress } from "../run-progress.ts";
import { type AskResultOptions, toAskResult } from "./ask-result.ts";
import { type OutcomeReceiver, offerGoOn } from "./offer-go-on.ts";
import { keepNewest, readRunImages } from "./run-images.ts";

export interface Request {
  kind: "agent_ask" | "agent_result";
  context: ServerContext;
  host: Host;
  chain: Chain;
  locale: Locale;
  hostRequest: HostRequest | undefined;
  /** Is how long to wait, in seconds, if the caller sets it. */
  waitS: number | undefined;
  detail: Detail | undefined;
  include: readonly IncludedPart[] | undefined;
}

/** Serves a request that waits for a run: its end, or what is known when the request may last no longer. */
export function serveRun(
  scope: ConnectionScope,
  request: Request,
  find: (waiter: object) => Promise<RunHandle | CallToolResult>,
): Promise<CallToolResult | InputRequiredResult> {
  const { kind, context, host, locale } = request;
  const arrivedAt = Date.now();
  const observed = scope.observedTimeouts.get(scope.caller, host);
  const progress = createRunProgress(locale);
  progress.notify(say(locale, { zh: "⏳ 已收到", en: "⏳ received" }));
  const startWith =
    (findRun: typeof find, problem?: ReplyProblem): StartWork<CallToolResult> =>
    async (requestContext) => {
      const waiter = {};
      const stopListening = recordTimeout(scope, request, requestContext.signal);
      try {
        const found = await findRun(waiter);
        return "content" in found
          ? found
          : await waitFor(scope, found, {
              request,
              requestContext,
              progress,
              waiter,
              arrivedAt,
              problem,
              observed: await observed,
            });
      } catch (thrown) {
        requestContext.signal.throwIfAborted();
        return toFailedResult(thrown, locale);
      } finally {
        stopListening();
      }
    };
  return scope.inputRequests.serve(
    { kind, connection: scope.connection, host, context, progress },
    startWith(find),
    async (question, reply) => {
      const { runs, followed, caller } = scope;
      const run = runs.find(question.runId, caller) ?? (await followed.find(question.runId, caller));
      const taken = run && (await takeHostReply(scope.duet.storedRuns, { run, question, reply: readReply(reply) }));
      const problem = taken?.problem && { text: taken.problem, isAbout: question.isAbout };
      return run && taken ? startWith(async () => run, problem) : undefined;
    },
  );
}

/** Remembers after how long this host gave the request up, if it does. Returns a function that stops listening. */
function recordTimeout(
  { observedTimeouts, caller }: ConnectionScope,
  { host }: Request,
  signal: AbortSignal,
): () => void {
  const began = performance.now();
  const learn = (): void => {
    if (isTimeoutReason(signal.reason)) observedTimeouts.record(caller, host, (performance.now() - began) / 1000);
  };
  signal.addEventListener("abort", learn, { once: true });
  return () => signal.removeEventListener("abort", learn);
}

/** Holds what a request needs while it waits for a run. */
interface WaitRequest {
  request: Request;
  requestContext: RequestContext;
  progress: RunProgress;
  /** Holds the run for this request. */
  waiter: object;
  /** Is when it came, in milliseconds since the epoch. */
  arrivedAt: number;
  /** Is after how many seconds the host has given up a call before. */
  observed: number | undefined;
  /** Is how long the request may still wait, in milliseconds, where it has waited for another run, or in another process. */
  leftMs?: number | undefined;
  /** Is true where the run has left this process meanwhile. */
  hasLeft?: boolean | undefined;
  /** Holds the images of the runs with which this one goes on. */
  images?: readonly ContentBlock[] | undefined;
  problem?: ReplyProblem | undefined;
}

async function waitFor(scope: ConnectionScope, run: RunHandle, wait: WaitRequest): Promise<CallToolResult> {
  const { request, requestContext, progress, waiter, arrivedAt, observed } = wait;
  const { host, chain, locale } = request;
  const { signal } = requestContext;
  const { isOneRequest } = scope.connection;
  run.addWaiter(waiter, getSession(scope, waiter));
  // At once: the same question may follow a cancel in the same read, and must not find the run that is about to end.
  const releaseCaller = (): void => {
    const { reason } = signal;
    const isLost = isTimeoutReason(reason) || reason === lostConnection || isSessionEnd(scope.connection, reason);
    releaseRun(scope, run, [waiter, scope.connection], { isLost });
  };
  if (signal.aborted) releaseCaller();
  signal.addEventListener("abort", releaseCaller, { once: true });
  scope.knownRuns.add(run.id);
  // Events that nobody receives are not rendered.
  const unfollow = host.asksProgress ? run.follow(progress.handle) : () => {};
  // A run that began before is reported in one line, also where nothing has happened in it yet.
  if (run.startedAt < arrivedAt || run.events.length > 0) progress.notify(renderAttached(run, locale));
  else progress.nameRun(run.id);
  try {
    const waitOptions = {
      host,
      requestContext,
      windowMs: wait.leftMs ?? computeWindowMs(scope, request, { observed, searchMs: countSearchMs(arrivedAt) }),
      handsOut: canHandOut(scope, chain),
      until: findEndOfWait(scope, run, wait.hasLeft),
      problem: wait.problem,
    };
    const beganAt = performance.now();
    const getLeftMs = (): number => Math.max(0, waitOptions.windowMs - (performance.now() - beganAt));
    const waitResult = await waitForRun(run, waitOptions);
    const moved = waitResult.end === "ended" ? await findMoved(scope, run, signal) : undefined;
    if (moved?.run) {
      if (run.earlier) moved.run.earlier ??= run.earlier;
      if (run.asked) moved.run.asked ??= run.asked;
      const rest = { ...wait, arrivedAt: Date.now(), leftMs: getLeftMs(), hasLeft: true, problem: undefined };
      return await waitFor(scope, moved.run, rest);
    }
    // A caller who learns that it continues will ask again.
    if (waitResult.end !== "ended") run.addWaiter(scope.connection, isOneRequest ? undefined : scope.connection);
    const waits = waitResult.end === "window" && run.open ? describeWaiting(run.open, locale) : undefined;
    const outcome = moved?.kept ? await addEarlier(scope, run, moved.kept) : await toOutcomeFor(scope, run, waitResult);
    // They are read before the conversation goes on.
    const ownImages = await readRunImages(scope, { outcome, include: request.include });
    const images = keepNewest([...(wait.images ?? []), ...ownImages]);
    const receiver = { ...request, requestContext, leftMs: getLeftMs() };
    const next = await continueRun(scope, run, outcome, receiver);
    if (next.run) {
      // The same question joins the run that has begun.
      markDelivered(run, waitResult);
      // A host of the 2026 era sends the reply with a new request, which has a window of its own.
      const leftMs = host.isModern ? undefined : getLeftMs();
      return await waitFor(scope, next.run, { ...wait, arrivedAt: Date.now(), leftMs, images, problem: undefined });
    }
    // A host that gave up while its user was asked receives nothing.
    if (!signal.aborted) markDelivered(run, waitResult);
    const told = addNotices(outcome, next.notices ?? []);
    return toAskResult(told, { ...chooseResultOptions(scope, request), locale, waits, images });
  } finally {
    signal.removeEventListener("abort", releaseCaller);
    unfollow();
    run.removeWaiter(waiter);
  }
}

/** Goes on with a run where the host's user wants that. Where it fails, a notice says why: the answer so far is there to be read. */
async function continueRun(
  scope: ConnectionScope,
  run: RunHandle,
  outcome: Outcome,
  receiver: OutcomeReceiver,
): Promise<{ run?: RunHandle | undefined; notices?: OutcomeNotice[] }> {
  try {
    return { run: await offerGoOn(scope, run, outcome, receiver) };
  } catch (thrown) {
    receiver.requestContext.signal.throwIfAborted();
    return { notices: toOutcomeNotices([noticeKinds.notGoneOn(toDuetError(thrown).text, run.locale)]) };
  }
}

/** Names a request of a session that other processes serve, too. */
export function toHostRequest(
  { duet, connection: { sessionId } }: ConnectionScope,
  requestId: string | number,
): HostRequest | undefined {
  if (sessionId === undefined || !duet.storedRuns.areShared || String(requestId).length > longestRequestId)
    return undefined;
  return { sessionId, requestId };
}

/** Returns the session of a request. A request of the 2026 era is one by itself. */
export function getSession({ connection }: Pick<ConnectionScope, "connection">, waiter: object): object {
  return connection.isOneRequest ? waiter : connection;
}

/** Returns true when a request was given up because its HTTP session ended. Over stdio the process ends with its host. */
function isSessionEnd({ isOneRequest, inputEnded }: HostConnection, reason: unknown): boolean {
  return !isOneRequest && inputEnded === undefined && reason instanceof DuetError && reason.code === "network";
}

/** Chooses how a run's result is shown to a host. */
export function chooseResultOptions(
  { settings }: Pick<RunService, "settings">,
  { host, detail }: { host: Host; detail?: Detail | undefined },
): Pick<AskResultOptions, "detail" | "leavesOutResponse" | "linksTrace"> {
  const leavesOutResponse = findKnownHost(host)?.modelReads === "both";
  return { detail, leavesOutResponse, linksTrace: settings.traceLink && host.protocolVersion >= firstWithLinks };
}

/** The dialog closes with the request, and the next request shows it again. */
function describeWaiting({ question }: OpenQuestion, locale: Locale): string {
  const tool = question.kind === "call" ? ` (${question.tool})` : "";
  return say(locale, {
    zh: `它在等待用户的答复${tool}：agent_result 会再次询问。`,
    en: `It is waiting for the user's reply${tool}: agent_result asks again.`,
  });
}

/** A run that is almost out of time is waited for this long: its end says more than `running` does. In milliseconds. */
const leastWindowMs = 1000;

/** An agent as a caller says until when it waits. The run ends before that, and time must remain to report it. */
function computeWindowMs(
  { settings, connection, hasListedTools }: ConnectionScope,
  { host, chain, waitS }: Request,
  { observed, searchMs }: { observed: number | undefined; searchMs: number },
): number {
  if (waitS !== undefined) return Math.max(0, waitS * 1000 - searchMs);
  const callsUnlisted = connection.inputEnded !== undefined && !hasListedTools;
  const usual = Math.max(0, getWindowMs({ ...host, callsUnlisted }, settings, observed) - searchMs);
  if (chain.deadline === undefined) return usual;
  const left = Math.max(0, chain.deadline - Date.now());
  return Math.min(usual, Math.max(leastWindowMs, left - getReportMs(left)));
}

/**
 * Returns how long the run was looked for in other processes, in milliseconds: it is part of the host's window. Only whole seconds count,
 * so that the usual look, which takes a few milliseconds, changes nothing of it.
 */
function countSearchMs(arrivedAt: number): number {
  return 1000 * Math.floor((Date.now() - arrivedAt) / 1000);
}

function renderAttached({ id, startedAt }: RunHandle, locale: Locale): string {
  const time = Math.round((Date.now() - startedAt) / 1000);
  return say(locale, { zh: `↻ ${id} 已运行 ${time} 秒`, en: `↻ ${id} has been running for ${time} s` });
}

/** Holds what the agent's tools share across all connections. */
export interface AgentService extends RunService {
  inputRequests: InputRequests<CallToolResult>;
  observedTimeouts: ObservedTimeouts;
}

/** Adds one connection to the shared agent service. */
export interface ConnectionScope extends AgentService, CallerScope {
  connection: HostConnection;
  /** Holds the ids of the runs that this connection was told of. */
  knownRuns: Set<string>;
  /** Becomes true once the host has listed the tools in this connection. */
  hasListedTools: boolean;
}
