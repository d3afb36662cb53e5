import { isIP } from "node:net";
import { isLoopback, toUrlHost } from "../address.ts";

/** The words by which this server may be called. */
export interface AllowedNames {
  /** Whether a `Host` header, in lower case, is one of them; `dialled` is the address that the connection came in by. */
  isHost(host: string, dialled: string | undefined): boolean;
  /** Whether a page of this origin may call: one of the configured ones, or what this server serves itself. */
  isOrigin(origin: string, dialled: string | undefined): boolean;
  /** Whether the origin is one of the configured ones, which alone are told so by CORS. */
  isForeignOrigin(origin: string): boolean;
}

export interface NameSettings {
  /** The address and port that are bound. */
  host: string;
  port: number;
  publicUrl?: string | undefined;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
}

/**
 * An exact list, compared as text: a page whose name has been pointed at this machine (DNS rebinding) carries its own
 * name in `Host`, and parsing is where such checks have been led astray.
 */
export function createAllowedNames({
  host,
  port,
  publicUrl,
  allowedHosts,
  allowedOrigins,
}: NameSettings): AllowedNames {
  const isAnyAddress = host === "0.0.0.0" || host === "::";
  const bound = isLoopback(host) ? [host, "127.0.0.1", "localhost", "::1"] : isAnyAddress ? [...loopback] : [host];
  const byAddress = bound.flatMap((name) => withPort(name, port));
  const publicPlace = publicUrl === undefined ? undefined : new URL(publicUrl);
  const hosts = new Set([...byAddress, ...allowedHosts.map(lower), ...(publicPlace ? [publicPlace.host] : [])]);
  const own = new Set([...byAddress.map((name) => `http://${name}`), ...(publicPlace ? [publicPlace.origin] : [])]);
  const foreign = new Set(allowedOrigins.map(lower));

  /** Bound to all addresses, the one dialled is as good as a bound one: a browser cannot be led to name it but by going there. */
  function isDialled(name: string, dialled: string | undefined): boolean {
    if (!isAnyAddress || dialled === undefined) return false;
    const address = dialled.replace(/^::ffff:(?=\d+\.)/, "");
    return isIP(address) !== 0 && withPort(address, port).includes(name);
  }

  return {
    isHost: (name, dialled) => hosts.has(name) || isDialled(name, dialled),
    isOrigin: (origin, dialled) =>
      own.has(origin) || foreign.has(origin) || (origin.startsWith("http://") && isDialled(origin.slice(7), dialled)),
    isForeignOrigin: (origin) => foreign.has(origin),
  };
}

const loopback = ["127.0.0.1", "localhost", "::1"] as const;

/** Programs leave out port 80. */
function withPort(name: string, port: number): string[] {
  const shown = toUrlHost(name);
  return port === 80 ? [shown, `${shown}:80`] : [`${shown}:${port}`];
}

function lower(text: string): string {
  return text.toLowerCase();
}
