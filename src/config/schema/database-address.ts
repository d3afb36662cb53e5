import type { Text } from "../../kit/locale.ts";

/** Says what the address of a PostgreSQL database may be. */
export const databaseForm: Text = {
  zh: "postgres://用户@主机:端口/数据库",
  en: "postgres://user@host:port/database",
};

export function isDatabaseAddress(written: string): boolean {
  if (!/^postgres(ql)?:\/\/\S+$/.test(written) || !URL.canParse(written) || !isPercentEncoded(written)) return false;
  // What stands there is the rest of a password with a / or # in it.
  const { pathname, hash } = new URL(written);
  return !pathname.includes("@") && hash === "";
}

/** A percent sign in a password is written as %25. */
function isPercentEncoded(written: string): boolean {
  return !/%(?![0-9a-f]{2})/i.test(written);
}

/** Returns a text that may be an address without what may be a password: behind the user, in options, and anywhere in other forms. */
export function hidePassword(text: string): string {
  const [start] = /^\w+:\/\/[^:/@?]*/.exec(text) ?? [];
  if (start === undefined) return text.replace(/([:=]).*/s, "$1***");
  const rest = text.slice(start.length).replace(/\?.*/s, "");
  const at = rest.lastIndexOf("@");
  // Without a host behind it, what is no port may be a password.
  const isSafe = at < 0 ? /^(?::\d+)?(?:\/|$)/.test(rest) : rest.startsWith("@");
  return isSafe ? `${start}${rest}` : `${start}:***${at < 0 ? "" : rest.slice(at)}`;
}
