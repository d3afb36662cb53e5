import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";

/** Is what the address of a database looks like. */
export const addressForm: Text = {
  zh: "postgres://用户@主机:端口/数据库",
  en: "postgres://user@host:port/database",
};

export function isDatabaseAddress(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
}

/** Returns a text that may be an address without what may be a password. */
export function hidePassword(text: string): string {
  return text.replace(/(:\/\/[^:/@]*):.*@/s, "$1:***@").replace(/\?.*/s, "");
}

/** Returns the address of a database without the user's password and options. */
export function describePlace(url: string): string {
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
}

/** Throws a `config` error for what is no address of PostgreSQL. */
export function checkAddress(url: string): void {
  if (isDatabaseAddress(url)) return;
  const shown = JSON.stringify(hidePassword(url));
  throw new DuetError({
    code: "config",
    text: {
      zh: `数据库的地址 ${shown} 不是 ${addressForm.zh}`,
      en: `the address of the database is ${shown}, not ${addressForm.en}`,
    },
    hint: {
      zh: "密码中的 / # ? @ 等字符要写成百分号编码，如 %23。",
      en: "In a password, characters such as / # ? @ are percent-encoded, as %23.",
    },
  });
}
