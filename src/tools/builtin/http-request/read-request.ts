import { toValueProblem } from "../../../core/tools/argument-feedback.ts";
import type { ArgumentProblem } from "../../../core/tools/tool.ts";
import { DuetError } from "../../../kit/errors.ts";
import { isRecord, type JsonObject, type JsonValue } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { parseAddress } from "../../../kit/net/dial-target.ts";
import { refusedError } from "../../../kit/net/request-errors.ts";
import { isMatch } from "../../../kit/text/match-pattern.ts";

export interface RequestParts {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  timeoutMs: number;
}

/** Builds the request from validated arguments, and reports problems that their schema cannot express. */
export function readRequest(args: JsonObject, hosts: HostList): { request: RequestParts; problems: ArgumentProblem[] } {
  const { url, body, timeout_s } = args;
  const method = typeof args.method === "string" ? args.method : "GET";
  const headers = isRecord(args.headers) ? args.headers : {};
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const problems = [
    ...checkUrl(String(url), hosts),
    ...Object.entries(headers).flatMap(checkHeader),
    ...names.filter((name, index) => names.indexOf(name) !== index).map(describeTwice),
  ];
  if (body !== undefined && (method === "GET" || method === "HEAD")) {
    problems.push(toValueProblem("body", body, `${method} 请求不能带正文`, `a ${method} request has no body`));
  }
  const request = {
    url: String(url),
    method,
    headers: { ...getTypeHeader(body), ...toLowerCaseNames(headers) },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    timeoutMs: (typeof timeout_s === "number" ? timeout_s : 20) * 1000,
  };
  return { request, problems };
}

function checkUrl(url: string, hosts: HostList): ArgumentProblem[] {
  try {
    return hosts.has(parseAddress(url)) ? [] : [toValueProblem("url", url, hosts.rule.zh, hosts.rule.en)];
  } catch (thrown) {
    if (thrown instanceof DuetError) return [{ path: "url", text: thrown.text }];
    throw thrown;
  }
}

function getTypeHeader(body: JsonValue | undefined): Record<string, string> {
  if (body === undefined) return {};
  const isText = typeof body === "string" && !isJson(body);
  return { "content-type": isText ? "text/plain; charset=utf-8" : "application/json" };
}

/** Returns true when a text is a JSON object or list. A single word or number is more likely plain text. */
function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function toLowerCaseNames(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function describeTwice(name: string): ArgumentProblem {
  const shown = name.slice(0, 60);
  return {
    path: `headers.${shown}`,
    text: { zh: "重复（请求头名称不分大小写）", en: "is a duplicate (header names are case-insensitive)" },
  };
}

// They frame the message or belong to the connection: with them a caller could make one request look like two.
const reserved =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|accept-encoding|proxy-.*)$/i;

function checkHeader([name, value]: [string, unknown]): ArgumentProblem[] {
  const path = `headers.${name.slice(0, 60)}`;
  if (!/^[!#$%&'*+.^_`|~\w-]{1,200}$/.test(name)) {
    return [toValueProblem("headers", name, "不是请求头名称", "is not the name of a header")];
  }
  if (reserved.test(name)) {
    return [{ path, text: { zh: "由 Duet 设置，不能指定", en: "is set by Duet and cannot be changed" } }];
  }
  if (/^[\t\x20-\x7e]*$/.test(String(value))) return [];
  // The value may be a secret, so it is not shown.
  return [{ path, text: { zh: "只能含可见的 ASCII 字符", en: "may contain only visible ASCII characters" } }];
}

interface HostList {
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
