import type { Text } from "../../kit/locale.ts";

/** Says what the address of a PostgreSQL database may be. */
export const databaseForm: Text = {
  zh: "postgres://用户@主机:端口/数据库",
  en: "postgres://user@host:port/database",
};

export function isDatabaseAddress(written: string): boolean {
  return /^postgres(ql)?:\/\/\S+$/.test(written) && URL.canParse(written);
}

/** Returns a text that may be an address without what may be a password. */
export function hidePassword(text: string): string {
  return text.replace(/(:\/\/[^:/@]*):.*@/s, "$1:***@").replace(/\?.*/s, "");
}
