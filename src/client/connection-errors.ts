// What can be read from the errors of the package, of `fetch` and of the system.
import { getMessage } from "../kit/errors.ts";
import { isRecord } from "../kit/json.ts";
import { isRefusedPort } from "../kit/net/refused-port.ts";
import { isWithoutTls } from "../kit/net/tls-mismatch.ts";
import { RetryLaterError } from "./transport/refused-requests.ts";

/** Reports a connection that ended without a reason. */
export class ConnectionLost extends Error {
  readonly code = "CONNECTION_CLOSED";

  constructor() {
    super("The connection was lost");
  }
}

/** Returns true when the connection is unusable because its process or session is gone. */
export function isLost(thrown: unknown): boolean {
  const status = getStatus(thrown);
  // Servers answer 404, and many 400, to a session that they do not know any more.
  if (status !== undefined) return status === 404 || status === 400;
  return lostCodes.has(getCode(thrown)) || (thrown instanceof Error && thrown.message === "Not connected");
}

const lostCodes = new Set<unknown>([
  "CONNECTION_CLOSED",
  "NOT_CONNECTED",
  "EPIPE",
  "ECONNRESET",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
]);

/** Returns true when the server rejected the handshake, with any error code: it may speak another revision. */
export function isProtocolRefusal(thrown: unknown): boolean {
  return typeof getCode(thrown) === "number" || isOtherProtocol(thrown);
}

/** Returns true when the server speaks no protocol revision that we support. */
export function isOtherProtocol(thrown: unknown): boolean {
  return /protocol version/i.test(getMessage(thrown));
}

/** Returns true when the first request of a connection over HTTP has failed, by which the package finds the revision. */
export function isProbeFailure(thrown: unknown): boolean {
  return /negotiation probe failed/i.test(getMessage(thrown));
}

/** Returns the HTTP status of a package error, from whichever property holds it. */
export function getStatus(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (thrown.name === "UnauthorizedError") return 401;
  const data = "data" in thrown && isRecord(thrown.data) ? thrown.data.status : undefined;
  // The old SSE transport gives the status as the code; JSON-RPC codes are negative.
  const status = [data, getCode(thrown)].find((each) => typeof each === "number" && each >= 100 && each < 600);
  return typeof status === "number" ? status : getStatus(thrown.cause);
}

/** Returns the body that a server sent with its refusal, or an empty string when it is unknown. */
export function getBody(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "";
  const text = "data" in thrown && isRecord(thrown.data) ? thrown.data.text : undefined;
  return typeof text === "string" ? text : getBody(thrown.cause);
}

/** Returns how long a server asks to wait before its next request, in milliseconds; undefined where it does not say. */
export function getRetryAfterMs(thrown: unknown): number | undefined {
  if (thrown instanceof RetryLaterError) return thrown.retryAfterMs;
  return thrown instanceof Error ? getRetryAfterMs(thrown.cause) : undefined;
}

/** Returns true when a connection failed because the server at an https address does not speak TLS. */
export function hasMetPlainServer(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return isWithoutTls(`${String(getCode(thrown))} ${thrown.message}`) || hasMetPlainServer(thrown.cause);
}

/** Returns true when nothing was sent because `fetch` refuses the port of the address. */
export function hasRefusedPort(thrown: unknown): boolean {
  return thrown instanceof Error && (isRefusedPort(thrown.message) || hasRefusedPort(thrown.cause));
}

/** The last one is a name: undici's parser leaves the code empty for some faults. */
const networkCodes = /^(E[A-Z]{3,}|EAI_\w+|ERR_SSL_\w+|HPE_\w+|UND_ERR_\w+|\w*CERT\w*|UNABLE_TO_\w+|HTTPParserError)$/;

/** Returns the error code of the system or of undici from below the package's error. */
export function getNetworkCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const own = [getCode(thrown), thrown.name].find((each) => typeof each === "string" && networkCodes.test(each));
  const inner = thrown instanceof AggregateError ? getNetworkCode(thrown.errors[0]) : undefined;
  return typeof own === "string" ? own : (inner ?? getNetworkCode(thrown.cause));
}

/** Returns the code of an error: a string from the system or the package, or a JSON-RPC number. */
export function getCode(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
