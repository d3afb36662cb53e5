import { isIP } from "node:net";
import type { Text } from "../../kit/locale.ts";

/** What `isReachable` takes. */
export const reachableForms: Text = {
  zh: "主机、地址或网段，可带端口，例如 localhost:8080、10.0.0.0/8",
  en: "a host, an address or a range, with a port or without, such as localhost:8080, 10.0.0.0/8",
};

/** Whether this names a host, hosts (`*.suffix`, `*`), an address or a range of them, with `:port`, `:*` or neither. */
export function isReachable(entry: string): boolean {
  const [, what = "", port = "*"] = /^(\[.*\]|.*\/\d{1,3}|[^:]*|.*:.*:.*?)(?::(\d{1,5}|\*))?$/.exec(entry) ?? [];
  if (port !== "*" && Number(port) > 65_535) return false;
  const [base = "", bits] = what.replace(/^\[([0-9a-f:.]+)\]$/i, "$1").split("/");
  const family = isIP(base);
  if (family === 0) return bits === undefined && /^(\*|(\*\.)?[\w-]+(\.[\w-]+)*\.?)$/.test(base);
  return !base.includes("%") && Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}
