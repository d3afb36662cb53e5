import {
  type CallToolResult,
  type CompleteRequestParams,
  type CompleteResult,
  type GetPromptResult,
  isSpecType,
  type ReadResourceResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Duet } from "../../../app/duet.ts";
import type { RequestOptions } from "../../../app/tools/gateway.ts";
import type { Caller } from "../../../core/caller.ts";
import { readChainMeta, toChainMeta } from "../../../core/chain.ts";
import type { TextBilling, TurnBudget } from "../../../core/model/turn-budget.ts";
import { createElicit } from "../../../core/questions/user.ts";
import { DuetError } from "../../../kit/errors.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { type Host, readHost } from "../../../runs/input/host.ts";
import type { HostConnection } from "../../../runs/input/host-connection.ts";
import { createInputRequests } from "../../../runs/input/input-requests.ts";
import { createHostUser } from "../../../runs/questions/ask-question.ts";
import { createOutputCheck } from "../../../tools/schema/output-check.ts";
import type { Capabilities, PromptCapability, ResourceCapability } from "../capabilities.ts";
import {
  createCallingHost,
  createCallProgress,
  createNotify,
  type Exposure,
  filterCallMeta,
  type GatewayInputRequests,
  type GatewayRequestContext,
  toChildChain,
} from "./call-context.ts";
import { followRoots } from "./follow-roots.ts";
import { type ErrorReader, toProtocolError } from "./host-error.ts";
import { createToolCapability } from "./tools.ts";

export interface ExposeOptions {
  /** Limits the weight of a tool list, in tokens. A heavier list is replaced by tools that search it. */
  listLimit?: number | undefined;
  /** Returns what limits the texts that are written for servers during a caller's calls. */
  getBudget(caller: Caller): TurnBudget | undefined;
}

/** Is about a tenth of what current hosts' models can read at once, in tokens. */
const usualListLimit = 20_000;

/**
 * Creates capabilities with all tools, prompts and resources for any connection. The returned function gives one connection its
 * part.
 */
export function createExposure(
  duet: Duet,
  { listLimit = usualListLimit, getBudget }: ExposeOptions,
): (connection: HostConnection) => Capabilities {
  const { locale } = duet;
  const inputRequests: GatewayInputRequests = {
    tools: createInputRequests<CallToolResult>({ locale }),
    prompts: createInputRequests<GetPromptResult>({ locale }),
    resources: createInputRequests<ReadResourceResult>({ locale }),
  };
  const checkOutput = createOutputCheck();
  return (connection) => {
    const gateway = duet.gateway(connection.caller);
    // No run has a bill for these texts; the day of the caller has.
    const billing: TextBilling = { budget: getBudget(connection.caller), charge() {} };
    const person = {};
    const exposed: Exposure = { gateway, locale, listLimit, person, connection, billing, inputRequests, checkOutput };
    return {
      tools: createToolCapability(exposed),
      prompts: createPromptCapability(exposed),
      resources: createResourceCapability(exposed),
      complete: (params, context) => completeArgument(exposed, params, context),
      onChange: gateway.onChange,
      onLog: (listener) =>
        gateway.onLog((entry, told) => {
          // This host has read it with its call.
          if (!told.has(person)) listener(entry);
        }),
      setLogLevel(level) {
        connection.logLevel = level;
        gateway.setLogLevel(level);
      },
      onInitialized() {
        if (connection.caller.owner === undefined) followRoots(connection.server, gateway);
      },
      close() {
        gateway.setLogLevel(undefined);
        gateway.setHostRoots(undefined);
        if (connection.isOneRequest) return;
        for (const each of Object.values(inputRequests)) each.closeConnection(connection);
      },
    };
  };
}

/** Completes arguments of prompts and templates, as far as their servers do. */
export async function completeArgument(
  { gateway, locale, connection }: Exposure,
  { ref, argument, context }: CompleteRequestParams,
  served: ServerContext,
): Promise<CompleteResult | undefined> {
  const { signal, _meta } = served.mcpReq;
  const chain = readChainMeta(_meta);
  try {
    const meta = { ...chain.trace, ...toChainMeta(toChildChain(chain)) };
    const answer = await gateway.complete(
      { ref, argument, context },
      {
        signal,
        meta,
        owner: connection.caller.owner,
        onProgress: () => {},
      },
    );
    if (answer === undefined || isSpecType.CompleteResult(answer)) return answer;
    throw badAnswerError(argument.name);
  } catch (thrown) {
    throw toThrown(thrown, signal, { locale, host: readHost(connection.server, served) });
  }
}

/** Offers every server's prompts to the host. */
export function createPromptCapability(exposed: Exposure): PromptCapability {
  const { gateway, locale, connection, inputRequests } = exposed;
  return {
    list: async (signal) => (await gateway.prompts(signal)).filter(isSpecType.Prompt),
    get(name, args, context) {
      const progress = createCallProgress();
      const host = readHost(connection.server, context);
      const served = { kind: name, connection, host, context, progress };
      const answer = inputRequests.prompts.serve(served, async (requestContext) => {
        try {
          const given = await gateway.getPrompt(
            name,
            args,
            toRequestOptions({ ...requestContext, progress }, { context, host }, exposed),
          );
          if (given === undefined) throw new MissingEntryError();
          if (!isSpecType.GetPromptResult(given)) throw badAnswerError(name);
          return given;
        } catch (thrown) {
          throw toThrown(thrown, requestContext.signal, { locale, host });
        }
      });
      return answer.catch(ignoreMissing);
    },
  };
}

/** Offers every server's resources and templates to the host. */
export function createResourceCapability(exposed: Exposure): ResourceCapability {
  const { gateway, locale, connection, inputRequests } = exposed;
  return {
    list: async (signal) => (await gateway.resources(signal)).filter(isSpecType.Resource),
    templates: async (signal) => (await gateway.resourceTemplates(signal)).filter(isSpecType.ResourceTemplate),
    read(uri, context) {
      const progress = createCallProgress();
      const host = readHost(connection.server, context);
      const served = { kind: uri, connection, host, context, progress };
      const answer = inputRequests.resources.serve(served, async (requestContext) => {
        try {
          const given = await gateway.readResource(
            uri,
            toRequestOptions({ ...requestContext, progress }, { context, host }, exposed),
          );
          if (given === undefined) throw new MissingEntryError();
          if (!isSpecType.ReadResourceResult(given)) throw badAnswerError(uri);
          return given;
        } catch (thrown) {
          throw toThrown(thrown, requestContext.signal, { locale, host });
        }
      });
      return answer.catch(ignoreMissing);
    },
    async subscribe(uri, onUpdated, signal) {
      try {
        return await gateway.subscribe(uri, onUpdated, signal);
      } catch (thrown) {
        const protocolVersion = connection.server.server.getNegotiatedProtocolVersion() ?? "";
        throw toThrown(thrown, signal, { locale, host: { protocolVersion, asksUrls: false } });
      }
    },
  };
}

/** Creates the options of a request to a server other than a tool call. */
function toRequestOptions(
  { signal, progress, ask, send, log }: GatewayRequestContext,
  { context: { mcpReq }, host }: { context: ServerContext; host: Host },
  { person, locale, connection }: Exposure,
): RequestOptions {
  const chain = readChainMeta(mcpReq._meta);
  const { caller } = connection;
  const callingHost = createCallingHost({ send, log }, { host, connection, person, owner: caller.owner });
  const notify = createNotify(progress, callingHost, mcpReq._meta);
  return {
    signal,
    tell: (_, text) => notify(say(locale, text), "warning"),
    onProgress: ({ message, ...counts }) =>
      progress.pass({ ...counts, message: message && sanitizeLine(message).slice(0, longestMessage) }),
    host: callingHost,
    elicit: createElicit(createHostUser(ask, { locale, person, owner: caller.owner, canAsk: () => true }), signal),
    meta: { ...filterCallMeta(mcpReq._meta), ...chain.trace, ...toChainMeta(toChildChain(chain)) },
  };
}

/** Converts an error to one that the host can read. The reason of a cancellation stays unchanged. */
function toThrown(
  thrown: unknown,
  signal: AbortSignal,
  { locale, host }: { locale: Locale; host: ErrorReader },
): unknown {
  const staysUnchanged = signal.aborted || thrown instanceof MissingEntryError;
  return staysUnchanged ? thrown : toProtocolError(thrown, { ...host, locale });
}

/** Limits a message of a server, in UTF-16 units. */
const longestMessage = 4000;

class MissingEntryError extends Error {}

function ignoreMissing(thrown: unknown): undefined {
  if (!(thrown instanceof MissingEntryError)) throw thrown;
}

/** Reports a server's answer that no host could use. */
function badAnswerError(what: string): DuetError {
  const shown = JSON.stringify(what.slice(0, 200));
  return new DuetError({
    code: "bad_response",
    text: { zh: `服务器对 ${shown} 的回答不符合 MCP`, en: `The server's answer to ${shown} does not follow MCP` },
  });
}
