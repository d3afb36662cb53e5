import { isIP } from "node:net";
import { isLoopback, toUrlHost } from "../address.ts";

/** Holds the names by which clients may address this server. */
export interface AllowedNames {
  /** Returns true when a `Host` header, in lower case, is allowed; `dialled` is the address that the connection arrived at. */
  isHost(host: string, dialled: string | undefined): boolean;
  /**
   * Returns true when a page of this origin may call: a configured origin, or one that this server serves itself, as which the
   * origin of a request to a `host` of this machine counts.
   */
  isOrigin(origin: string, dialled: string | undefined, host: string): boolean;
  /** Returns true for a configured origin. Only these get CORS headers. */
  isForeignOrigin(origin: string): boolean;
}

export interface NameSettings {
  host: string;
  port: number;
  publicUrl?: string | undefined;
  allowedHosts: readonly string[];
  allowedOrigins: readonly string[];
}

/**
 * Creates an exact list that is compared as text. A page whose name was pointed at this machine (DNS rebinding) carries its own
 * name in `Host`, and such checks have been tricked through parsing.
 */
export function createAllowedNames({
  host,
  port,
  publicUrl,
  allowedHosts,
  allowedOrigins,
}: NameSettings): AllowedNames {
  const isAnyAddress = host === "0.0.0.0" || host === "::";
  const isOnThisMachine = isAnyAddress || isLoopback(host);
  const bound = isLoopback(host) ? [host, "127.0.0.1", "localhost", "::1"] : isAnyAddress ? [...loopback] : [host];
  const byAddress = bound.flatMap((name) => withPort(name, port));
  const publicPlace = publicUrl === undefined ? undefined : new URL(publicUrl);
  const hosts = new Set([...byAddress, ...allowedHosts.map(toLowerCase), ...(publicPlace ? [publicPlace.host] : [])]);
  const own = new Set([...byAddress.map((name) => `http://${name}`), ...(publicPlace ? [publicPlace.origin] : [])]);
  const foreign = new Set(allowedOrigins.map(toLowerCase));

  /**
   * When the server is bound to all addresses, the dialled address counts as bound: a browser only names it by connecting to it.
   */
  function isDialled(name: string, dialled: string | undefined): boolean {
    if (!isAnyAddress || dialled === undefined) return false;
    const address = dialled.replace(/^::ffff:(?=\d+\.)/, "");
    return isIP(address) !== 0 && withPort(address, port).includes(name);
  }

  /**
   * A tunnel or a container may offer the server at another port. No page of another machine has one of these names, however its
   * own name is resolved.
   */
  function isThisMachine(name: string): boolean {
    return isOnThisMachine && /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/.test(name);
  }

  return {
    isHost: (name, dialled) => hosts.has(name) || isThisMachine(name) || isDialled(name, dialled),
    isOrigin: (origin, dialled, name) =>
      own.has(origin) ||
      foreign.has(origin) ||
      (origin === `http://${name}` && (isThisMachine(name) || isDialled(name, dialled))),
    isForeignOrigin: (origin) => foreign.has(origin),
  };
}

const loopback = ["127.0.0.1", "localhost", "::1"] as const;

/** Programs leave out port 80. */
function withPort(name: string, port: number): string[] {
  const shown = toUrlHost(name);
  return port === 80 ? [shown, `${shown}:80`] : [`${shown}:${port}`];
}

function toLowerCase(text: string): string {
  return text.toLowerCase();
}
