import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { describeConnectionFailure } from "./connection-failure.ts";
import type { DialTarget } from "./dial-target.ts";
import { failedRequestError } from "./request-errors.ts";

export interface Opening {
  target: DialTarget;
  /** Judged already; no other is dialled. */
  addresses: readonly string[];
  secure: boolean;
  /** Certificates to trust in place of the usual ones. */
  ca?: string | undefined;
}

/** Opens a socket to one of the addresses, whichever answers first; TLS is done and checked. Throws a `DuetError`, or the signal's reason. */
export async function openSocket({ target, addresses, secure, ca }: Opening, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const { host, port } = target;
  const socket = connect({
    host,
    port,
    lookup: only(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1000,
    noDelay: true,
  });
  try {
    await settled(socket, "connect", signal);
    if (!secure) return socket;
    const servername = isIP(host) === 0 ? host : undefined;
    const tls = connectTls({ socket, host, servername, ca, ALPNProtocols: ["http/1.1"] });
    await settled(tls, "secureConnect", signal);
    return tls;
  } catch (thrown) {
    socket.destroy();
    signal.throwIfAborted();
    throw failedRequestError("network", target.shown, describeConnectionFailure(thrown));
  }
}

/** A lookup that knows the answer; Node calls it for names only, a literal is dialled as it is. */
function only(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = answers;
    if (options.all || first === undefined) callback(null, answers);
    else callback(null, first.address, first.family);
  };
}

async function settled(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = (): void => reject(signal.reason);
  const close = (): void => reject(Object.assign(new Error(), { code: "ECONNRESET" }));
  signal.addEventListener("abort", stop, { once: true });
  socket.once(event, resolve).on("error", reject).once("close", close);
  try {
    await promise;
  } finally {
    signal.removeEventListener("abort", stop);
    socket.off("close", close);
  }
}
