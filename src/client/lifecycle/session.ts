import type { Client, RequestOptions, Transport } from "@modelcontextprotocol/client";
import type { Elicit } from "../../core/forms/elicitation.ts";
import type { TextBilling } from "../../core/model/turn-budget.ts";
import type { OnServerLog, ServerLogLevel } from "../../core/server-log.ts";
import type { CallingHost } from "../../core/tools/calling-host.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { isRecord, type JsonObject, type JsonSchema, toText } from "../../kit/json.ts";
import type { Redact } from "../../kit/text/redact.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import type { RawResult } from "../calls/tool-result.ts";
import { mostRounds } from "../limits.ts";
import { checkList, type Listing, listTools, looseResult, type RemoteTool } from "../lists/listing.ts";
import { createActiveCalls, type Notify } from "../questions/active-calls.ts";
import { type Answers, isElicitation } from "../questions/answers.ts";
import { readLogEntry } from "../questions/log-routing.ts";
import type { RecentOwners } from "../questions/recent-owners.ts";
import { askToOpenPages } from "../questions/required-pages.ts";
import { makeTextVisible } from "../trust/hidden-characters.ts";
import { type ServerList, watchListChanges } from "./announcements.ts";
import { closeConnection, type Era, type Handshake, openConnection } from "./handshake.ts";
import { type ResourceUpdates, watchResources } from "./resource-updates.ts";

/** Holds what a server reports about itself. It is untrusted, but on one line and printable. */
export interface ServerInfo {
  name: string;
  version: string;
}

/** Describes what a server offers besides tools. */
export interface ServerOffers {
  prompts: boolean;
  resources: boolean;
  completions: boolean;
  /** Is true when it tells of changes of single resources. */
  subscriptions?: boolean;
  /** Is what the server says of how to use it: untrusted, but all of it visible. */
  instructions?: string;
}

/** Represents one live connection, from the handshake to its end. A lost session is replaced, never repaired. */
export interface Session {
  readonly era: Era;
  readonly serverInfo: ServerInfo | undefined;
  readonly protocolVersion: string | undefined;
  readonly offers: ServerOffers;
  /** Returns true when the connection has ended, even if it ended before anyone listened. */
  isOver(): boolean;
  /** Returns true when a question of the server that comes during one more call of this person leaves no doubt about whom to ask. */
  isFreeFor(person: object | undefined): boolean;
  list(signal: AbortSignal): Promise<Listing>;
  /** Rejects with the package's errors. */
  call(tool: RemoteTool, args: JsonObject, options: CallOptions): Promise<RawResult>;
  /** Sends any other request, and also rejects with the package's errors. */
  request(method: string, params: JsonObject, options: CallOptions): Promise<RawResult>;
  readonly resources: ResourceUpdates;
  /** Never rejects. */
  notifyRootsChanged(): Promise<void>;
  /** Says from which level on the server is to log, where it can be told. Never rejects. */
  setLogLevel(level: ServerLogLevel): Promise<void>;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface CallOptions {
  signal: AbortSignal;
  onProgress: OnProgress;
  /** Hands on what the server asks meanwhile; absent where nobody can be asked. */
  elicit?: Elicit | undefined;
  /** Is the host that has made the call; absent where that is not one that may be asked. */
  host?: CallingHost | undefined;
  /** Says whose call it is, as in `Caller.owner`; where it is absent, `host` or `elicit` says it. */
  owner?: string | undefined;
  /** Is true for a request of our own, such as one for a list that all callers share. */
  isForNobody?: boolean | undefined;
  /** Tells the reader of the call something once. */
  tell?: Notify | undefined;
  /** Takes the bills of what our models write for the server meanwhile. */
  billing?: TextBilling | undefined;
  /** Stops the clock of the call while a request of its server is answered; `asksPerson` is true where a person has to answer. */
  pause(how: { asksPerson: boolean }): () => void;
  /** Goes along in the request's `_meta`. */
  meta?: Record<string, unknown> | undefined;
}

export type OnProgress = (progress: { message?: string; progress: number; total?: number }) => void;

export interface SessionOptions extends Handshake {
  redact: Redact;
  /** Answers what the server asks. */
  answers: Answers;
  /** Runs once when the connection ends, for any reason. */
  onLost(): void;
  onChanged(list: ServerList): void;
  /** Runs when a resource has changed to which somebody has subscribed, or something below it. */
  onUpdated?(uri: string): void;
  /** Takes a line of the server's log that belongs to no single host's call. */
  onLog?: OnServerLog | undefined;
  /** Knows whose calls the server has had by other connections. */
  owners?: RecentOwners | undefined;
  /** Runs when the server asks a user something and does not say for which call, as the 2025 era does. */
  onQuestion?(): void;
}

/** Shakes hands over a transport that is ready (stdio), or opens one (HTTP). */
export async function openSession(options: SessionOptions, stdio: Transport | undefined): Promise<Session> {
  const { settings, redact, answers, sdk } = options;
  const connected = await openConnection(options, stdio);
  const { client } = connected;
  const ended = new AbortController();
  const asker = createActiveCalls(undefined, options.owners);
  /** Holds the pause functions of the running calls: a server that waits for our answer is not silent. */
  const pauses = new Set<CallOptions["pause"]>();
  client.onclose = () => {
    ended.abort();
    options.onLost();
  };
  // The old transport reconnects by itself into a session that nobody has initialised.
  client.onerror = (error) => {
    if (sdk.SseError.isInstance(error)) void ignoreRejection(client.close(), "the session is lost in any case");
  };
  // A server of the 2025 era does not say which call its question belongs to.
  client.fallbackRequestHandler = ({ method, params }, { mcpReq }) => {
    const { signal } = mcpReq;
    const context = { ask: asker.current(), host: asker.host(), tell: asker.tell, billing: asker.billing(), signal };
    if (isElicitation(method)) options.onQuestion?.();
    return runPaused([...pauses], method, () => answers(method, params, context));
  };
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const { hosts, isForAll } = asker.findLogReaders(params.level);
    const entry = hosts.length > 0 || isForAll ? readLogEntry(settings.name, params, redact) : undefined;
    if (entry === undefined) return;
    for (const host of hosts) host.log?.(entry);
    if (isForAll) options.onLog?.(entry, new Set(hosts.map(({ person }) => person)));
  });
  watchListChanges(client, options.onChanged, ended.signal);
  const resources = watchResources(client, (uri) => options.onUpdated?.(uri), ended.signal);

  async function run(
    request: Request,
    { signal, onProgress, elicit, host, owner, isForNobody, tell, billing, pause }: CallOptions,
  ): Promise<RawResult> {
    const leave = asker.enter({ elicit, host, owner, isForNobody, tell, billing });
    let isReplied = true;
    pauses.add(pause);
    const answer: AnswerRequest = (method, params) =>
      runPaused([pause], method, () => answers(method, params, { ask: elicit, host, tell, billing, signal }));
    try {
      return await sendWithInput(client, request, { signal, onprogress: onProgress }, answer);
    } catch (thrown) {
      isReplied = !signal.aborted;
      throw (await askToOpenPages(thrown, { from: settings.name, redact }, answer)) ?? thrown;
    } finally {
      pauses.delete(pause);
      leave({ isReplied });
    }
  }

  const info = client.getServerVersion();
  return {
    era: client.getProtocolEra() ?? "legacy",
    serverInfo: info && { name: toShownText(redact(info.name)), version: toShownText(redact(info.version)) },
    protocolVersion: client.getNegotiatedProtocolVersion(),
    offers: getOffers(client, redact),
    isOver: () => client.transport === undefined,
    isFreeFor: asker.isFreeFor,
    list: (signal) => listTools(client, redact, signal, settings.startTimeoutMs),
    async call(tool, args, callOptions) {
      const result = await run(callRequest(client, tool, args, toMeta(client, callOptions)), callOptions);
      checkList(result, "content", redact);
      return result;
    },
    request: (method, params, callOptions) =>
      run({ method, params: { ...params, _meta: toMeta(client, callOptions) } }, callOptions),
    resources,
    async notifyRootsChanged() {
      // A server of 2026-07-28 asks for them when it needs them.
      if (client.getProtocolEra() === "modern") return;
      await ignoreRejection(client.sendRootsListChanged(), "the session is over, and the next one asks anew");
    },
    async setLogLevel(level) {
      // A server of 2026-07-28 is told with each request.
      if (client.getProtocolEra() === "modern" || client.getServerCapabilities()?.logging === undefined) return;
      const request = { method: "logging/setLevel", params: { level } };
      const options = { timeout: settings.timeoutMs };
      await ignoreRejection(client.request(request, looseResult, options), "it logs as it did before");
    },
    close() {
      ended.abort();
      return closeConnection(connected);
    },
  };
}

async function runPaused<T>(
  pauses: readonly CallOptions["pause"][],
  method: string,
  work: () => Promise<T>,
): Promise<T> {
  const resumes = pauses.map((pause) => pause({ asksPerson: isElicitation(method) }));
  try {
    return await work();
  } finally {
    for (const resume of resumes) resume();
  }
}

/** Asks a server of 2026-07-28 for its log during the request, which is how it is asked. */
function toMeta(client: Client, { meta, host }: CallOptions): CallOptions["meta"] {
  if (client.getProtocolEra() !== "modern" || host?.log === undefined) return meta;
  return { ...meta, "io.modelcontextprotocol/logLevel": host.logLevel ?? "info" };
}

function callRequest(client: Client, tool: RemoteTool, args: JsonObject, meta: CallOptions["meta"]): Request {
  const params = { name: tool.name, arguments: args, _meta: meta };
  const isMirrored = client.getProtocolEra() === "modern" && hasMirroredParameters(tool);
  return isMirrored
    ? { method: "tools/call", call: params, inputSchema: tool.inputSchema }
    : { method: "tools/call", params };
}

function hasMirroredParameters(tool: RemoteTool): boolean {
  return JSON.stringify(tool.inputSchema).includes('"x-mcp-header"');
}

function getOffers(client: Client, redact: Redact): ServerOffers {
  const { prompts, resources, completions } = client.getServerCapabilities() ?? {};
  const instructions = toText(client.getInstructions()).slice(0, 2 * longestInstructions);
  return {
    prompts: prompts !== undefined,
    resources: resources !== undefined,
    completions: completions !== undefined,
    ...(resources?.subscribe === true && { subscriptions: true }),
    ...(instructions.trim() !== "" && {
      instructions: truncate(makeTextVisible(redact(instructions)), longestInstructions).trim(),
    }),
  };
}

/** Limits what a server says of itself, in UTF-16 units. */
const longestInstructions = 4000;

function toShownText(text: string): string {
  return sanitizeLine(text).slice(0, 200);
}

type Request =
  | { method: string; params: Record<string, unknown> }
  /** Sends a call whose arguments are mirrored into HTTP headers; only the package's own call does that. */
  | { method: string; call: Call; inputSchema: JsonSchema };

interface Call {
  name: string;
  arguments: JsonObject;
  _meta?: Record<string, unknown> | undefined;
}

/** Answers one question that a server puts in place of a result. */
type AnswerRequest = (method: string, params: unknown) => Promise<Record<string, unknown>>;

/** The timer of the package is never the one that ends a call: it can be neither paused nor told apart from a cancel. */
const never = 2 ** 31 - 1;

/**
 * Sends a request and answers what the server asks before it has a result (`input_required` of 2026-07-28). Rejects with the
 * package's errors.
 */
export async function sendWithInput(
  client: Client,
  request: Request,
  options: Pick<RequestOptions, "signal" | "onprogress">,
  answer: AnswerRequest,
): Promise<RawResult> {
  let more: Record<string, unknown> = {};
  for (let round = 0; round < mostRounds; round++) {
    const result = await send(client, request, more, options);
    if (result.resultType !== "input_required") return result;
    const asked = isRecord(result.inputRequests) ? Object.entries(result.inputRequests) : [];
    const inputResponses: Record<string, unknown> = {};
    for (const [key, question] of asked) inputResponses[key] = await answerOne(question, answer);
    more = { inputResponses, requestState: result.requestState };
  }
  throw new Error(`The server has asked ${mostRounds} times without giving a result`);
}

async function answerOne(question: unknown, answer: AnswerRequest): Promise<Record<string, unknown>> {
  if (!isRecord(question) || typeof question.method !== "string") throw new Error("The server's request has no method");
  return answer(question.method, question.params);
}

async function send(
  client: Client,
  request: Request,
  more: Record<string, unknown>,
  { signal, onprogress }: Pick<RequestOptions, "signal" | "onprogress">,
): Promise<RawResult> {
  const options = { signal, onprogress, timeout: never, allowInputRequired: true };
  if ("params" in request) {
    const { method, params } = request;
    return client.request({ method, params: { ...params, ...more } }, looseResult, options);
  }
  const toolDefinition = { name: request.call.name, inputSchema: { ...request.inputSchema, type: "object" as const } };
  return { ...(await client.callTool({ ...request.call, ...more }, { ...options, toolDefinition })) };
}
