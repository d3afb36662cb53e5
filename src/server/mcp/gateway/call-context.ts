import {
  type CallToolResult,
  type GetPromptResult,
  inputRequired,
  isSpecType,
  type ReadResourceResult,
} from "@modelcontextprotocol/server";
import type { Gateway } from "../../../app/tools/gateway.ts";
import { type Chain, deepestChain, tooDeepError } from "../../../core/chain.ts";
import type { TextBilling } from "../../../core/model/turn-budget.ts";
import { createApprove, createElicit } from "../../../core/questions/user.ts";
import { isAtLeast, type ServerLogLevel } from "../../../core/server-log.ts";
import type { CallingHost } from "../../../core/tools/calling-host.ts";
import type { OutputCheck } from "../../../core/tools/output-misfit.ts";
import type { ToolContext } from "../../../core/tools/tool.ts";
import { isDeeperThan, isRecord } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import type { Host } from "../../../runs/input/host.ts";
import type { HostConnection } from "../../../runs/input/host-connection.ts";
import type { InputRequests } from "../../../runs/input/input-requests.ts";
import type { WorkContext } from "../../../runs/input/pending-work.ts";
import {
  createProgressPace,
  type ProgressPace,
  type ProgressReport,
  type ProgressSender,
} from "../../../runs/input/progress-pace.ts";
import { createHostUser } from "../../../runs/questions/ask-question.ts";

export interface CallOptions {
  locale: Locale;
  host: Host;
  connection: HostConnection;
  /** Holds the call chain from the caller's `_meta`. */
  chain: Chain;
  /** Holds the `_meta` of the call. */
  meta: Readonly<Record<string, unknown>> | undefined;
  /** Stands for the host's user. */
  person: object;
  owner: string | undefined;
  billing: TextBilling;
}

/** Creates the context of a tool that a host calls. */
export function openGatewayContext(
  { signal, progress, ask, send, log }: GatewayRequestContext,
  { locale, host, connection, chain, meta, person, owner, billing }: CallOptions,
): ToolContext {
  const asks = host.asksForms;
  const user = createHostUser(ask, { locale, person, owner, canAsk: (kind) => asks || kind !== "call" });
  const approve = createApprove(user, signal);
  const callingHost = createCallingHost({ send, log }, { host, connection, person, owner });
  const notify = createNotify(progress, callingHost, meta);
  return {
    signal,
    locale,
    wantsContent: true,
    meta: filterCallMeta(meta),
    chain: toChildChain(chain),
    trace: chain.trace,
    // There is no conversation in which a word could go on counting.
    approve: approve && ((request, withdrawn) => approve({ ...request, onlyOnce: true }, withdrawn)),
    elicit: createElicit(user, signal),
    host: callingHost,
    owner,
    billing,
    progress(message, count, total) {
      if (count === undefined) progress.notify(message);
      else progress.pass({ progress: count, total, message: message === "" ? undefined : message });
    },
    notice: (_, message, level) => notify(say(locale, message), level),
  };
}

/** Creates what tells the host of a call something: by its progress, or in its log where it has not asked for progress. */
export function createNotify(
  progress: Pick<CallProgress, "notify">,
  { log }: Pick<CallingHost, "log">,
  meta: CallOptions["meta"],
): (message: string, level?: "warning") => void {
  if (meta?.progressToken !== undefined) return progress.notify;
  return (message, level: ServerLogLevel = "info") => log?.({ level, logger: "duet", data: toLine(message) });
}

/** Creates the link to a host that calls; a request of its server is withdrawn when the work for the call ends. */
export function createCallingHost(
  { send, log }: Pick<GatewayRequestContext, "send" | "log">,
  { host, connection, person, owner }: Pick<CallOptions, "host" | "connection" | "person" | "owner">,
): CallingHost {
  const wantsLog = !host.isModern || host.logLevel !== undefined;
  const canSample = isRecord(host.capabilities.sampling);
  return {
    person,
    owner,
    ...(wantsLog && {
      logLevel: host.logLevel ?? connection.logLevel,
      // The package itself compares with what a request of the 2026 era wants.
      log: (entry) => (isAtLeast(entry.level, connection.logLevel ?? "debug") ? log(entry) : undefined),
    }),
    ...(canSample && {
      async sample(params, signal) {
        if (!isSpecType.CreateMessageRequestParams(params)) return undefined;
        const reply = await send(inputRequired.createMessage(params), signal);
        return isSpecType.CreateMessageResult(reply) ? reply : undefined;
      },
    }),
  };
}

/** Goes one level deeper. Throws when the chain is too long, which means a cycle. */
export function toChildChain(chain: Chain): Chain {
  const depth = chain.depth + 1;
  if (depth > deepestChain) throw tooDeepError(depth);
  return { ...chain, depth };
}

/** Limits what is passed on of a call's `_meta`, in levels and in UTF-16 units. */
const metaLimits = { depth: 64, length: 100_000 };

/**
 * Returns what a host says to the server in the `_meta` of its request. The keys of the protocol belong to one connection, which
 * ends here, and ours are written anew.
 */
export function filterCallMeta(
  meta: Readonly<Record<string, unknown>> | undefined,
): Readonly<Record<string, unknown>> | undefined {
  if (meta === undefined || isDeeperThan(meta, metaLimits.depth)) return undefined;
  const entries = Object.entries(meta).filter(([key]) => key !== "progressToken" && !ownMetaKeys.test(key));
  if (entries.length === 0 || JSON.stringify(entries).length > metaLimits.length) return undefined;
  return Object.fromEntries(entries);
}

const ownMetaKeys = /^(?:io\.modelcontextprotocol\/|duet\/|traceparent$|tracestate$|baggage$)/;

export interface GatewayRequestContext extends WorkContext {
  readonly progress: CallProgress;
}

/** Sends the progress of one call to the host, across all the requests that carry it. */
export interface CallProgress extends Pick<ProgressPace, "attach" | "settle"> {
  /** Passes on what the server says: its own count and total, each notification. */
  pass(report: ProgressReport): void;
  /** Sends a line of our own, of which only the newest counts. */
  notify(line: string): void;
}

/** Limits a line of our own, in UTF-16 units. */
const longestLine = 500;

function toLine(text: string): string {
  return sanitizeLine(text).slice(0, longestLine);
}

export function createCallProgress(): CallProgress {
  let line: string | undefined;
  let sender: ProgressSender | undefined;
  /** Holds the newest report of the server that no request could carry. */
  let held: ProgressReport | undefined;
  let last: ProgressReport | undefined;
  let linesSinceLast = 0;
  const { due, attach, flush, settle, countSent } = createProgressPace({
    deliver() {
      const taken = line;
      line = undefined;
      return taken;
    },
  });

  /** Returns a count for a line of our own: it rises, and leaves room for whatever the server counts next. */
  function countLine(): number {
    const { progress } = last ?? { progress: 0 };
    linesSinceLast += 1;
    return progress + linesSinceLast * Math.max(smallestStep, Math.abs(progress) * smallestStep);
  }

  function pass(report: ProgressReport): void {
    if (sender === undefined) {
      held = report;
      return;
    }
    last = report;
    linesSinceLast = 0;
    sender.send(report);
    countSent();
    if (line !== undefined) due();
  }

  return {
    pass,
    notify(text) {
      line = toLine(text);
      due();
    },
    attach(to) {
      sender = to;
      attach(
        to && {
          send: ({ message }) => to.send({ progress: countLine(), total: last?.total, message }),
          confirm: () => to.confirm(),
        },
      );
      const report = held;
      held = undefined;
      if (report !== undefined) pass(report);
    },
    settle() {
      flush();
      sender = undefined;
      return settle();
    },
  };
}

const smallestStep = 1e-6;

/** Holds what one connection's host is offered, and how. */
export interface Exposure {
  gateway: Gateway;
  locale: Locale;
  /** Limits the weight of a tool list, in tokens. Beyond it, the host gets two tools that find and call the others. */
  listLimit: number;
  /** Stands for the host's user: whoever is asked by this connection is one person. */
  person: object;
  connection: HostConnection;
  billing: TextBilling;
  inputRequests: GatewayInputRequests;
  checkOutput: OutputCheck;
}

/** Holds the requests of all connections. */
export interface GatewayInputRequests {
  tools: InputRequests<CallToolResult>;
  prompts: InputRequests<GetPromptResult>;
  resources: InputRequests<ReadResourceResult>;
}
