import type { Text } from "../../../kit/locale.ts";
import { refusedError } from "../../../kit/net/request-errors.ts";
import { isMatch } from "../../../kit/text/match-pattern.ts";

export interface HostList {
  has(url: URL): boolean;
  /** Throws what refuses a URL whose host is not one of them. */
  check(url: URL): void;
  /** Describes which hosts are allowed. */
  rule: Text;
}

/** A pattern is a host, or a host and a port. `*` is any run of characters. */
export function createHostList(patterns: readonly string[]): HostList {
  const known = patterns.map((pattern) => pattern.toLowerCase());
  const shown = patterns.slice(0, 20).join(", ");
  const rule = {
    zh: `主机必须符合 web.hosts: ${shown}`,
    en: `its host must match web.hosts: ${shown}`,
  };
  const has = ({ hostname, port, protocol }: URL): boolean => {
    const host = hostname.replace(/\.+$/, "");
    const names = [host, `${host}:${port || (protocol === "https:" ? 443 : 80)}`];
    return known.some((pattern) => names.some((name) => isMatch(name, pattern)));
  };
  return {
    has,
    rule,
    check(url) {
      if (!has(url)) throw refusedError(url.origin, rule);
    },
  };
}
