/** Names the cookies of one server, and says how they are set. */
export interface Cookies {
  /** Holds the secret of a session. */
  readonly session: string;
  /** Holds the secret of a sign-in that has begun. */
  readonly pending: string;
  /** Returns the header that sets a cookie for so many seconds. */
  set(name: string, value: string, seconds: number): string;
  /** Returns the header that removes a cookie. */
  remove(name: string): string;
}

/**
 * Scripts cannot read the cookies, other sites' requests do not carry them, and no other host of the domain can set one: over
 * https by the prefix of its name (RFC 6265bis, section 4.1.3). Ports of one host share their cookies, so over http, which is for this machine alone, the port is
 * in the name.
 */
export function createCookies(base: string): Cookies {
  const { protocol, port, pathname } = new URL(base);
  const isSecure = protocol === "https:";
  const path = pathname === "" ? "/" : pathname;
  const prefix = isSecure ? (path === "/" ? "__Host-" : "__Secure-") : "";
  const name = isSecure ? `${prefix}duet` : `duet-${port || "80"}`;
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  return {
    session: `${name}-session`,
    pending: `${name}-pending`,
    set: (which, value, seconds) => `${which}=${value}; Max-Age=${seconds}; ${attributes}`,
    remove: (which) => `${which}=; Max-Age=0; ${attributes}`,
  };
}

/** Returns the value of a cookie. Of two with one name nobody knows which is meant, so neither counts. */
export function readCookie(request: Request, name: string): string | undefined {
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  const values = pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}
