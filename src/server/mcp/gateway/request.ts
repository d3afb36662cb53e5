import { ProtocolError, ProtocolErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import type { RequestOptions } from "../../../app/open-duet.ts";
import { readChainMeta, toChainMeta } from "../../../core/chain.ts";
import { DuetError, toDuetError } from "../../../kit/errors.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { describeWithdrawnQuestion } from "../../../runs/input/withdrawn-question.ts";
import { renderProgressLine, toChildChain, toElicit } from "./call-context.ts";
import type { Exposure } from "./exposure.ts";
import type { GatewayRequestContext } from "./request-context.ts";

/** What goes along with a request to a server that is no call of a tool. */
export function toRequestOptions(
  { signal, progress, ask }: GatewayRequestContext,
  { mcpReq }: ServerContext,
  { person }: Exposure,
): RequestOptions {
  const chain = readChainMeta(mcpReq._meta);
  return {
    signal,
    onProgress: ({ message = "", progress: count, total }) =>
      progress.notify(renderProgressLine(message, count, total)),
    elicit: toElicit(ask, person),
    meta: { ...chain.trace, ...toChainMeta(toChildChain(chain)) },
  };
}

/** An error that the host can read; what is one already stays, and so does the reason of a cancel. */
export function toProtocolError(thrown: unknown, signal: AbortSignal, locale: Locale): unknown {
  if (signal.aborted || thrown instanceof ProtocolError || thrown instanceof MissingEntryError) return thrown;
  return new ProtocolError(ProtocolErrorCode.InternalError, say(locale, toDuetError(thrown).text));
}

/** There is nothing of that name. */
export class MissingEntryError extends Error {}

export function ignoreMissing(thrown: unknown): undefined {
  if (!(thrown instanceof MissingEntryError)) throw thrown;
}

/** A server's answer that no host could use. */
export function badAnswerError(what: string): DuetError {
  const shown = JSON.stringify(what.slice(0, 200));
  return new DuetError({
    code: "bad_response",
    text: { zh: `服务器对 ${shown} 的回答不符合 MCP`, en: `The server's answer to ${shown} does not follow MCP` },
  });
}

/** The end of a request with an answer that nobody waits for. */
export function throwWithdrawn(requestState: string, locale: Locale): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, say(locale, describeWithdrawnQuestion(requestState)));
}
