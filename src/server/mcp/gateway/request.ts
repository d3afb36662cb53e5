import { ProtocolError, ProtocolErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import type { RequestOptions } from "../../../app/open-duet.ts";
import { fromMeta, toMeta } from "../../../core/chain.ts";
import { DuetError, toDuetError } from "../../../kit/errors.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { nobodyWaits } from "../../../runs/input/withdrawn-question.ts";
import { below, lineOf, toElicit } from "./call-context.ts";
import type { Exposed } from "./exposure.ts";
import type { HostMeans } from "./request-context.ts";

/** What goes along with a request to a server that is no call of a tool. */
export function requestOptions(
  { signal, progress, ask }: HostMeans,
  { mcpReq }: ServerContext,
  { person }: Exposed,
): RequestOptions {
  const chain = fromMeta(mcpReq._meta);
  return {
    signal,
    onProgress: ({ message = "", progress: count, total }) => progress.tell(lineOf(message, count, total)),
    elicit: toElicit(ask, person),
    meta: { ...chain.trace, ...toMeta(below(chain)) },
  };
}

/** An error that the host can read; what is one already stays, and so does the reason of a cancel. */
export function toProtocolError(thrown: unknown, signal: AbortSignal, locale: Locale): unknown {
  if (signal.aborted || thrown instanceof ProtocolError || thrown instanceof Missing) return thrown;
  return new ProtocolError(ProtocolErrorCode.InternalError, say(locale, toDuetError(thrown).text));
}

/** There is nothing of that name. */
export class Missing extends Error {}

export function unlessMissing(thrown: unknown): undefined {
  if (!(thrown instanceof Missing)) throw thrown;
}

/** A server's answer that no host could use. */
export function badAnswer(what: string): DuetError {
  const shown = JSON.stringify(what.slice(0, 200));
  return new DuetError({
    code: "bad_response",
    text: { zh: `服务器对 ${shown} 的回答不符合 MCP`, en: `The server's answer to ${shown} does not follow MCP` },
  });
}

/** The end of a request with an answer that nobody waits for. */
export function over(requestState: string, locale: Locale): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, say(locale, nobodyWaits(requestState)));
}
