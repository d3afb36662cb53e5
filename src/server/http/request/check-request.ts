import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import { showValue } from "../../../core/tools/argument-feedback.ts";
import type { Text } from "../../../kit/locale.ts";
import { isNumber } from "../address.ts";
import type { HttpRefusal } from "../response/dialects.ts";
import type { AllowedNames } from "./allowed-names.ts";

/** If one of these headers appears twice, two programs may read different values. */
const single = [
  "host",
  "content-type",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "authorization",
  "x-api-key",
  "mcp-session-id",
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
];

/**
 * Returns why a request is refused before anything of it is used, on every route. Returns undefined when the request may
 * continue.
 */
export function checkRequest(request: IncomingMessage, names: AllowedNames): HttpRefusal | undefined {
  if (request.httpVersion !== "1.1") return createVersionRefusal(request.httpVersion);
  const all = groupByName(request.rawHeaders);
  const twice = single.find((name) => (all.get(name)?.length ?? 0) > 1);
  if (twice !== undefined) return createDuplicateRefusal(twice);
  // `*` and whole addresses are for proxies, which this is not.
  if (request.url?.startsWith("/") !== true)
    return createBadRequest(
      describeInvalid("request target", request.url, { zh: "以 / 开头的路径", en: "a path that begins with /" }),
    );
  const dialled = request.socket.localAddress;
  const host = all.get("host")?.[0]?.toLowerCase() ?? "";
  if (!isPlainHost(host))
    return createBadRequest(
      describeInvalid("Host", all.get("host")?.[0], { zh: "主机 或 主机:端口", en: "a host, or host:port" }),
    );
  if (!names.isHost(host, dialled)) return createHostRefusal(host);
  const origins = all.get("origin") ?? [];
  const [origin] = origins;
  if (origin !== undefined && (origins.length > 1 || !names.isOrigin(origin.toLowerCase(), dialled, host)))
    return createOriginRefusal(origins);
  return undefined;
}

/**
 * Returns why the body of a request is refused before it is read. Runs on every route that serves the method: a page cannot send
 * a body of an accepted type without a preflight.
 */
export function checkBody(method: string, headers: Headers): HttpRefusal | undefined {
  if (isRead(method)) return undefined;
  const contentType = headers.get("content-type") ?? undefined;
  if (!isJson(contentType)) return createTypeRefusal(contentType);
  const encoding = headers.get("content-encoding") ?? "identity";
  return encoding.toLowerCase() === "identity" ? undefined : createEncodingRefusal(encoding);
}

/** Returns true when the headers announce no body at all. Whether a page may send such a request follows from its origin. */
export function hasNoBody(headers: Headers): boolean {
  const hasLength = (headers.get("content-length") ?? "0") !== "0";
  return !hasLength && !headers.has("content-type") && !headers.has("transfer-encoding");
}

function groupByName(raw: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? "";
    const values = found.get(name) ?? [];
    values.push(raw[at + 1] ?? "");
    found.set(name, values);
  }
  return found;
}

/**
 * Rejects anything that parsers could read in two ways: user names, fragments, or numbers that stand for an address (`127.1`).
 */
function isPlainHost(host: string): boolean {
  const parts = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_-]+(?:\.[a-z0-9_-]+)*))(?::\d{1,5})?$/.exec(host);
  if (parts === null) return false;
  const name = parts[2];
  return name === undefined || !isNumber(name) || isIPv4(name);
}

/** Returns true for the methods that carry no message. */
function isRead(method: string): boolean {
  return ["GET", "HEAD", "OPTIONS", "DELETE"].includes(method);
}

/** Accepts `application/json`, with or without `charset=utf-8`. */
function isJson(type: string | undefined): boolean {
  return /^application\/json\s*(;\s*charset\s*=\s*("utf-8"|utf-8)\s*)?;?$/i.test(type?.trim() ?? "");
}

function createBadRequest(text: HttpRefusal["text"]): HttpRefusal {
  return { status: 400, text };
}

function createDuplicateRefusal(name: string): HttpRefusal {
  return createBadRequest({ zh: `请求头 ${name} 重复（允许：一次）`, en: `duplicate header ${name} (allowed: once)` });
}

function createVersionRefusal(version: string): HttpRefusal {
  return createBadRequest({
    zh: `不支持 HTTP/${version}（允许：HTTP/1.1；nginx 请设置 proxy_http_version 1.1）`,
    en: `HTTP/${version} is not supported (allowed: HTTP/1.1; with nginx: proxy_http_version 1.1)`,
  });
}

/**
 * The host can be shown, because it is known to be plain here. The hint names the configuration entry, which includes the port.
 */
function createHostRefusal(host: string): HttpRefusal {
  const shown = host.slice(0, 100);
  return {
    status: 403,
    text: {
      zh: `不允许此 Host：${shown}（配置 serve.http.allowedHosts 中列出的才允许，写法与它完全相同，包括端口）`,
      en: `this Host is not allowed: ${shown} (allowed: the entries of serve.http.allowedHosts in the configuration, an exact match including the port)`,
    },
  };
}

function createOriginRefusal(origins: readonly string[]): HttpRefusal {
  const shown = origins.slice(0, 2).map(showValue).join(", ");
  return {
    status: 403,
    text: {
      zh: `不允许此 Origin：${shown}（允许：配置 serve.http.allowedOrigins 中列出的一个）`,
      en: `this Origin is not allowed: ${shown} (allowed: one of the entries of serve.http.allowedOrigins in the configuration)`,
    },
  };
}

function createTypeRefusal(type: string | undefined): HttpRefusal {
  const json = "application/json";
  return { status: 415, text: describeInvalid("Content-Type", type, { zh: json, en: json }) };
}

function createEncodingRefusal(encoding: string): HttpRefusal {
  const shown = showValue(encoding);
  return {
    status: 415,
    text: {
      zh: `不支持 Content-Encoding ${shown}（允许：不压缩的请求正文）`,
      en: `unsupported Content-Encoding ${shown} (allowed: none)`,
    },
    headers: { "accept-encoding": "identity" },
  };
}

function describeInvalid(name: string, value: string | undefined, allowed: Text): Text {
  const shown = value === undefined ? undefined : showValue(value);
  return {
    zh: shown === undefined ? `缺少 ${name}（允许：${allowed.zh}）` : `${name} ${shown} 不可用（允许：${allowed.zh}）`,
    en:
      shown === undefined
        ? `${name} is missing (allowed: ${allowed.en})`
        : `${name} ${shown} is not allowed (allowed: ${allowed.en})`,
  };
}
