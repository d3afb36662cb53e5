import { DuetError, getMessage } from "../errors.ts";
import type { Text } from "../locale.ts";
import { toShortLine } from "../text/sanitize.ts";
import { isWithoutTls, withoutTls } from "./tls-mismatch.ts";

/** Returns the error for a request that was not sent. `where` comes first, on one line. */
export function refusedError(where: string, { zh, en }: Text): DuetError {
  const shown = toShortLine(where, 200);
  return new DuetError({
    code: "invalid_request",
    text: { zh: `没有访问 ${shown}：${zh}`, en: `${shown} was not contacted: ${en}` },
  });
}

/** Says why a request failed. `isFinal` tells that the same request would only fail again. */
export type FailureReason = Text & { isFinal?: boolean };

/** Returns the error for a request that was sent and failed. It has no cause, because that may hold what was sent or read. */
export function failedRequestError(code: "network" | "bad_response", where: string, reason: FailureReason): DuetError {
  const { zh, en, isFinal = false } = reason;
  const shown = toShortLine(where, 200);
  const text = { zh: `${shown}：${zh}`, en: `${shown}: ${en}` };
  return new DuetError({ code, text, retryable: code === "network" && !isFinal });
}

/**
 * Says why a connection or an exchange failed. Only the code and the message are used, because some errors of Node and undici
 * also hold the data that they read.
 */
export function describeConnectionFailure(thrown: unknown): FailureReason {
  const first: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const code = getCode(first);
  const known = findFailureReason(code);
  if (known) return known;
  const message = getMessage(first);
  if (isWithoutTls(`${code} ${message}`)) return withoutTls;
  const handshake = findHandshakeFailure(code);
  if (handshake) return { zh: `${handshake.zh}（${code}）`, en: `${handshake.en} (${code})` };
  const rest = toShortLine(message, 150) || code || "?";
  return { zh: `连接或通信失败（${rest}）`, en: `the connection failed (${rest})` };
}

/**
 * Finds what a code of Node or undici says of a connection by itself. Returns undefined for one that is not known, and for the codes of
 * a failed handshake, which are the same where the other side speaks TLS: there the words of the failure say more.
 */
export function findFailureReason(code: string): FailureReason | undefined {
  return reasons.find(({ codes }) =>
    codes.some((each) => code === each || (each.endsWith("_") && code.startsWith(each))),
  );
}

/** Says that a handshake failed, for the codes that mean it. Why it failed is in the code alone, so that it is to be shown, too. */
export function findHandshakeFailure(code: string): FailureReason | undefined {
  return handshakeCode.test(code) ? failedHandshake : undefined;
}

/** undici's parser leaves the code empty for some faults. */
function getCode(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "";
  return "code" in thrown && typeof thrown.code === "string" ? thrown.code : thrown.name;
}

export const unknownHost: FailureReason = { zh: "找不到该主机", en: "the host was not found", isFinal: true };

/** Matches what OpenSSL's failures are called, whatever the other side speaks. */
const handshakeCode = /^(?:EPROTO$|ERR_SSL_)/;

const failedHandshake: FailureReason = { zh: "TLS 握手失败", en: "the TLS handshake failed" };

/** A code that ends with `_` matches every code with that prefix. */
const reasons: (FailureReason & { codes: string[] })[] = [
  { codes: ["ENOTFOUND", "ENODATA"], ...unknownHost },
  { codes: ["EAI_AGAIN"], zh: "域名解析暂时失败", en: "its name cannot be resolved at the moment" },
  {
    codes: ["ECONNREFUSED"],
    zh: "连接被拒绝，该端口没有服务",
    en: "the connection was refused; nothing listens there",
  },
  {
    codes: ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ERR_STREAM_PREMATURE_CLOSE"],
    zh: "连接被对方断开",
    en: "the other side closed the connection",
  },
  { codes: ["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT"], zh: "连接超时", en: "connecting timed out" },
  { codes: ["EHOSTUNREACH", "ENETUNREACH"], zh: "网络不可达", en: "the network is unreachable" },
  { codes: ["CERT_HAS_EXPIRED"], zh: "TLS 证书已过期", en: "its TLS certificate has expired" },
  { codes: ["CERT_NOT_YET_VALID"], zh: "TLS 证书尚未生效", en: "its TLS certificate is not valid yet" },
  {
    codes: ["ERR_TLS_CERT_ALTNAME_INVALID"],
    zh: "TLS 证书不属于该主机",
    en: "its TLS certificate is for another host",
  },
  {
    codes: ["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_"],
    zh: "TLS 证书不可信（自签名或签发者未知）",
    en: "its TLS certificate is not trusted (self-signed, or of an unknown issuer)",
  },
  { codes: ["HPE_", "HTTPParserError"], zh: "响应不是有效的 HTTP", en: "the response is not valid HTTP" },
  { codes: ["UND_ERR_HEADERS_OVERFLOW"], zh: "响应头过大", en: "the response headers are too large" },
  { codes: ["UND_ERR_BODY_TIMEOUT"], zh: "响应中途停止，没有数据", en: "the response stalled midway" },
  {
    codes: ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH"],
    zh: "响应的长度与声明不符",
    en: "the response is shorter or longer than declared",
  },
  { codes: ["Z_", "ERR__ERROR_"], zh: "内容无法解压", en: "the content cannot be decompressed" },
];
