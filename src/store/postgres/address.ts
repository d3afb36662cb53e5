import { readFileSync } from "node:fs";
import { databaseForm, hidePassword, isDatabaseAddress } from "../../config/schema/database-address.ts";
import { DuetError, getMessage } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";

/** Returns the address of a database without the user's password and options. */
export function describePlace(url: string): string {
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username === "" ? "" : `${username}@`}${host}${pathname}`;
}

/** Throws a `config` error for what is no address of PostgreSQL, or has parameters that are unknown or that the package would misread. */
export function checkAddress(url: string): void {
  if (!isDatabaseAddress(url)) throw noAddressError(url);
  const { search, hostname, searchParams: given } = new URL(url);
  // It may be the rest of a password with a ? in it, of which nothing is shown. An @ that belongs to a value is written as %40.
  if (search.includes("@") || [...given.keys()].some((name) => !/^\w+$/.test(name))) throw noAddressError(url);
  for (const [name, value] of given) checkParameter(name, value);
  const repeated = [...given.keys()].find((name) => given.getAll(name).length > 1);
  if (repeated !== undefined)
    throw parameterError({ zh: `参数 ${repeated} 写了不止一次`, en: `${repeated} is given more than once` });
  if ([hostname, given.get("host") ?? ""].some((host) => host.includes(","))) throw parameterError(severalHosts);
  for (const { when, text } of contradictions) if (when(given)) throw parameterError(text);
}

const severalHosts: Text = {
  zh: "只能有一个主机：请用会指向当前主库的名称",
  en: "only one host is allowed: give a name that moves to the primary",
};

/** Lists what the package fails at, or understands otherwise than it is written. */
const contradictions: readonly { when(given: URLSearchParams): boolean; text: Text }[] = [
  {
    when: (given) => isCompatible(given) && given.get("sslmode") === "verify-ca" && !given.has("sslrootcert"),
    text: { zh: "sslmode=verify-ca 需要 sslrootcert", en: "sslmode=verify-ca needs sslrootcert" },
  },
  {
    when: (given) => isCompatible(given) && given.get("sslmode") === "no-verify",
    text: {
      zh: "sslmode=no-verify 不能与 uselibpqcompat=true 同用；请改用 sslmode=require",
      en: "sslmode=no-verify cannot be combined with uselibpqcompat=true; write sslmode=require",
    },
  },
  {
    when: (given) =>
      given.get("channel_binding") === "require" &&
      (given.get("sslmode") ?? "disable") === "disable" &&
      (given.get("ssl") ?? "0") === "0",
    text: { zh: "channel_binding=require 需要 sslmode", en: "channel_binding=require needs sslmode" },
  },
  {
    when: (given) => !/^\d*$/.test(given.get("connect_timeout") ?? ""),
    text: { zh: "connect_timeout 必须是秒数", en: "connect_timeout has to be a number of seconds" },
  },
  {
    when: (given) => given.get("sslnegotiation") === "direct" && given.get("sslmode") === "disable",
    text: {
      zh: "sslnegotiation=direct 不能与 sslmode=disable 同用",
      en: "sslnegotiation=direct cannot be combined with sslmode=disable",
    },
  },
];

/** Returns true where the address asks for the meaning that PostgreSQL's own programs give its parameters. */
function isCompatible(given: URLSearchParams): boolean {
  return given.get("uselibpqcompat") === "true";
}

const fileParameters = ["sslrootcert", "sslcert", "sslkey"];

/**
 * Lists the parameters that the package `pg` reads from an address, and those that providers write into theirs, with the values of those
 * that have no others.
 */
const parameters = new Map<string, readonly string[]>([
  ["sslmode", ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"]],
  ...fileParameters.map(toAnyValueRow),
  ["ssl", ["true", "1", "0", "no-verify"]],
  ["sslnegotiation", ["postgres", "direct"]],
  ["uselibpqcompat", ["true", "false"]],
  ["channel_binding", ["disable", "prefer", "require"]],
  // A server that only reads counts as away, whatever the address asks for, and connecting has limits of its own.
  ["target_session_attrs", ["any", "primary", "read-write"]],
  toAnyValueRow("connect_timeout"),
  ...["host", "port", "user", "password", "options", "application_name", "fallback_application_name"].map(
    toAnyValueRow,
  ),
  ...["client_encoding", "statement_timeout", "lock_timeout", "query_timeout"].map(toAnyValueRow),
  toAnyValueRow("idle_in_transaction_session_timeout"),
]);

function toAnyValueRow(name: string): [string, readonly string[]] {
  return [name, []];
}

function checkParameter(name: string, value: string): void {
  const allowed = parameters.get(name);
  if (allowed === undefined) {
    const names = [...parameters.keys()].join(", ");
    throw parameterError({
      zh: `未知参数 ${name}（可用：${names}）`,
      en: `unknown parameter ${name} (allowed: ${names})`,
    });
  }
  if (allowed.length > 0 && !allowed.includes(value)) {
    const [shown, values] = [JSON.stringify(value), allowed.join(", ")];
    throw parameterError({
      zh: `参数 ${name} 的值 ${shown} 无效（可用：${values}）`,
      en: `${name} is ${shown} (allowed: ${values})`,
    });
  }
  if (fileParameters.includes(name)) checkFile(name, value);
}

function checkFile(name: string, file: string): void {
  try {
    readFileSync(file);
  } catch (thrown) {
    const isMissing = thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
    const message = getMessage(thrown);
    const why: Text = isMissing ? { zh: "没有这个文件", en: "there is no such file" } : { zh: message, en: message };
    throw parameterError({
      zh: `参数 ${name} 指向的文件 ${file} 无法读取：${why.zh}`,
      en: `the file ${file} of ${name} cannot be read: ${why.en}`,
    });
  }
}

function parameterError({ zh, en }: Text): DuetError {
  const text = { zh: `数据库的地址：${zh}`, en: `the address of the database: ${en}` };
  return new DuetError({ code: "config", text });
}

function noAddressError(url: string): DuetError {
  const shown = JSON.stringify(hidePassword(url));
  return new DuetError({
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
 * Returns true where the password is to be proven for this encrypted connection alone, as the server offers it. The package cannot insist:
 * "require" is "prefer" here.
 */
export function hasChannelBinding(url: string): boolean {
  const wanted = new URL(url).searchParams.get("channel_binding");
  return wanted !== null && wanted !== "disable";
}

/**
 * Returns the address as the package reads it. It checks the certificate in each of these modes, as the strictest asks, and would warn on
 * stderr that a later version takes the word of PostgreSQL's own programs for what they mean. Whoever asks for that meaning gets it.
 */
export function toConnectionString(url: string): string {
  if (isCompatible(new URL(url).searchParams)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}
