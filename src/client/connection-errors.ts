// What can be read from the errors of the package, of `fetch` and of the system.
import { getMessage } from "../kit/errors.ts";
import { isRecord } from "../kit/json.ts";

/** A connection that ended without saying why. */
export class ConnectionLost extends Error {
  readonly code = "CONNECTION_CLOSED";

  constructor() {
    super("The connection was lost");
  }
}

/** Whether the connection is of no more use: its process or its session is gone. */
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

/** Whether a server has answered the handshake with a no, whatever its code: it may speak another revision. */
export function isProtocolRefusal(thrown: unknown): boolean {
  return typeof getCode(thrown) === "number" || isOtherProtocol(thrown);
}

/** Whether it speaks no revision of the protocol that we do. */
export function isOtherProtocol(thrown: unknown): boolean {
  return /protocol version/i.test(getMessage(thrown));
}

/** The HTTP status that an error of the package tells, wherever it tells it. */
export function getStatus(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (thrown.name === "UnauthorizedError") return 401;
  const data = "data" in thrown && isRecord(thrown.data) ? thrown.data.status : undefined;
  // The old SSE transport gives the status as the code; JSON-RPC codes are negative.
  const status = [data, getCode(thrown)].find((each) => typeof each === "number" && each >= 100 && each < 600);
  return typeof status === "number" ? status : getStatus(thrown.cause);
}

/** What a server sent with its refusal; empty where that is not known. */
export function getBody(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "";
  const text = "data" in thrown && isRecord(thrown.data) ? thrown.data.text : undefined;
  return typeof text === "string" ? text : getBody(thrown.cause);
}

/** The system's or undici's own code, found below the package's. */
export function getNetworkCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const code = getCode(thrown);
  const inner = thrown instanceof AggregateError ? getNetworkCode(thrown.errors[0]) : undefined;
  const own = typeof code === "string" && /^(E[A-Z]{3,}|EAI_\w+|UND_ERR_\w+|\w*CERT\w*)$/.test(code) ? code : undefined;
  return own ?? inner ?? getNetworkCode(thrown.cause);
}

/** The code of an error: a text of the system or of the package, or a number of JSON-RPC. */
export function getCode(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
