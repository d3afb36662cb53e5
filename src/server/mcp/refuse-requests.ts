import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCErrorResponse,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  type Transport,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/server";
import { renderPath } from "../../config/sources/setting-path.ts";
import { describeAllowed } from "../../core/schemas/describe-schema.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { isRecord } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { describeInvalid } from "./check-message.ts";
import { describeParams } from "./describe-params.ts";

/**
 * Refuses, over a transport that is already connected, requests of another revision than that of the connection (2026-07-28), which
 * the package looks at in the first request alone. What the package itself refuses by a list of a schema's issues, as an error of
 * the server, is reported as wrong params, on one line. Of a good message nothing is looked at twice.
 */
export function refuseInvalidRequests(transport: Transport, locale: Locale): void {
  const { onmessage } = transport;
  const send = transport.send.bind(transport);
  /** Holds the requests that wait for an answer. */
  const open = new Map<unknown, JSONRPCRequest>();
  /** Is set over stdio alone, by the first request: over HTTP each has a server of its own. */
  let revision: string | undefined;

  transport.onmessage = (message, extra) => {
    revision ??= extra?.classification?.revision;
    if ("method" in message && "id" in message) {
      const refusal = findOtherRevision(message, revision);
      if (refusal !== undefined) {
        void ignoreRejection(transport.send(refusal), "the host may have closed its end already");
        return;
      }
      open.set(message.id, message);
    } else if ("method" in message && message.method === "notifications/cancelled") {
      // A request that is cancelled gets no answer.
      open.delete(message.params?.requestId);
    }
    onmessage?.call(transport, message, extra);
  };
  transport.send = (message, options) => {
    if ("method" in message) return send(message, options);
    const request = open.get(message.id);
    open.delete(message.id);
    return send("error" in message ? replaceRefusal(message, request, locale) : message, options);
  };
}

function findOtherRevision(
  { id, params }: JSONRPCRequest,
  revision: string | undefined,
): JSONRPCErrorResponse | undefined {
  const requested = params?._meta?.[PROTOCOL_VERSION_META_KEY];
  if (revision === undefined || typeof requested !== "string" || requested === revision) return undefined;
  const { code, message, data } = new UnsupportedProtocolVersionError({ supported: [revision], requested });
  return { jsonrpc: "2.0", id, error: { code, message, data } };
}

function replaceRefusal(
  response: JSONRPCErrorResponse,
  request: JSONRPCRequest | undefined,
  locale: Locale,
): JSONRPCErrorResponse {
  const { code, message } = response.error;
  const isFromPackage = code === ProtocolErrorCode.InternalError || code === ProtocolErrorCode.InvalidParams;
  if (!isFromPackage || request === undefined) return response;
  const text =
    describeParams(message, request) ?? (envelopeRefusal.test(message) ? describeEnvelope(request) : undefined);
  if (text === undefined) return response;
  return { ...response, error: { code: ProtocolErrorCode.InvalidParams, message: say(locale, text) } };
}

/** Matches how the package refuses the `_meta` of a request of 2026-07-28, without a word of which field is wrong. */
const envelopeRefusal = /^(?:Invalid _meta envelope|Request is missing the required _meta envelope)/;

/** Lists what the `_meta` of each request of 2026-07-28 has to hold. */
const envelopeFields = [
  { key: PROTOCOL_VERSION_META_KEY, isRight: (value: unknown) => typeof value === "string", type: "string" },
  { key: CLIENT_CAPABILITIES_META_KEY, isRight: isRecord, type: "object" },
];

function describeEnvelope({ params }: JSONRPCRequest): Text | undefined {
  const meta: Record<string, unknown> = params?._meta ?? {};
  const wrong = envelopeFields.find(({ key, isRight }) => !isRight(meta[key]));
  if (wrong === undefined) return undefined;
  const { key, type } = wrong;
  return describeInvalid(renderPath(["_meta", key]), meta[key], describeAllowed({ type }, key));
}
