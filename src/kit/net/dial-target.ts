import { isIP } from "node:net";
import { refusedError } from "./request-errors.ts";

export interface DialTarget {
  /** Is in lower case, without brackets and trailing dots. An IPv4 address is in its usual form, however it was written. */
  host: string;
  port: number;
  /** Holds `host:port` as people write it. */
  shown: string;
}

/**
 * Reads a URL as browsers do (https://url.spec.whatwg.org), so that nobody after us can read another host from it. Throws what
 * refuses a URL that is none, has another scheme than http and https, or carries a user name or password.
 */
export function parseAddress(written: string, base?: URL): URL {
  const url = URL.parse(written, base?.href);
  if (url === null) throw refusedError(toShownUrl(written), { zh: "不是有效的网址", en: "it is not a valid URL" });
  const { protocol } = url;
  if (protocol !== "http:" && protocol !== "https:") {
    throw refusedError(toShownUrl(url.href), {
      zh: "只能访问 http 和 https 网址",
      en: "only http and https URLs can be called",
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw refusedError(toShownUrl(url.href), {
      zh: "网址中不能带用户名和密码",
      en: "a URL must not contain a user name or password",
    });
  }
  const name = url.hostname.replace(/\.+$/, "");
  if (name === "") throw refusedError(toShownUrl(written), { zh: "不是有效的网址", en: "it is not a valid URL" });
  url.hostname = name;
  return url;
}

export function toDialTarget(url: URL): DialTarget {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = url.port === "" ? getStandardPort(url) : Number(url.port);
  return { host, port, shown: `${url.hostname}:${port}` };
}

/** Parses a host and a port by the same rules as a URL. */
export function parseDialTarget(host: string, port: number): DialTarget {
  const literal = isIP(host) === 6 ? `[${host}]` : host;
  if (/[/?#@\\]/.test(host) || !Number.isInteger(port) || port < 0 || port > 65_535) {
    throw refusedError(`${host}:${port}`, { zh: "不是有效的主机和端口", en: "it is not a valid host and port" });
  }
  return toDialTarget(parseAddress(`http://${literal}:${port}`));
}

function getStandardPort({ protocol }: URL): number {
  return protocol === "https:" ? 443 : 80;
}

/** Returns the part of a URL that may be shown. Its user part may be a password, and its path and query may hold a key. */
function toShownUrl(written: string): string {
  const [start = ""] = /^[^/?#\\]*(\/\/[^/?#\\]*)?/.exec(written) ?? [];
  return start.replace(/\/\/.*@/s, "//") || "-";
}
