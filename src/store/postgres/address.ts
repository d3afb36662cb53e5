import { databaseForm, hidePassword, isDatabaseAddress } from "../../config/schema/database-address.ts";
import { DuetError } from "../../kit/errors.ts";

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
      zh: `数据库的地址 ${shown} 不是 ${databaseForm.zh}`,
      en: `the address of the database is ${shown}, not ${databaseForm.en}`,
    },
    hint: {
      zh: "密码中的 / # ? @ 等字符要写成百分号编码，如 %23。",
      en: "In a password, characters such as / # ? @ are percent-encoded, as %23.",
    },
  });
}

/**
 * Returns the address as the package reads it. It checks the certificate in each of these modes, as the strictest asks, and would warn on
 * stderr that a later version takes the word of PostgreSQL's own programs for what they mean.
 */
export function toConnectionString(url: string): string {
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}
