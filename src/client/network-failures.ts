import type { ServerTransport } from "../config/config.ts";
import type { ErrorDetails } from "../kit/errors.ts";
import type { Text } from "../kit/locale.ts";
import { changePort, describeRefusedPort } from "../kit/net/refused-port.ts";
import { type FailureReason, findFailureReason, findHandshakeFailure } from "../kit/net/request-errors.ts";
import { toPlainAddressHint, withoutTls } from "../kit/net/tls-mismatch.ts";
import { getNetworkCode, hasMetPlainServer, hasRefusedPort, isProbeFailure } from "./connection-errors.ts";

/** Matches what is no HTTP at all. */
const notHttp = /^(HPE_|HTTPParserError$)/;

/** Matches how a server that expects TLS fails when it is spoken to without. */
const maybeTls = /^(UND_ERR_SOCKET$|ECONNRESET$|EPIPE$|HPE_|HTTPParserError$)/;

/** Lists the failures of a connection that was never made. */
const neverMade =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|\w*CERT\w*|UNABLE_TO_\w+)$/;

/** Returns true when nothing was sent, because no connection was made. */
export function isUnreached(thrown: unknown): boolean {
  return hasRefusedPort(thrown) || hasMetPlainServer(thrown) || neverMade.test(getNetworkCode(thrown) ?? "");
}

/** Explains a failure of the network; returns undefined for any other. */
export function explainNetworkFailure(thrown: unknown, transport: ServerTransport): ErrorDetails | undefined {
  if (hasRefusedPort(thrown) && transport.type !== "stdio") {
    const { zh, en } = describeRefusedPort(transport.url);
    return { code: "config", text: { zh: `无法连接：${zh}`, en: `it cannot be reached: ${en}` }, hint: changePort };
  }
  const network = getNetworkCode(thrown);
  if (network === undefined) return undefined;
  const host = toHost(transport);
  if (hasMetPlainServer(thrown)) {
    const text = { zh: `无法连接：${withoutTls.zh}`, en: `it cannot be reached: ${withoutTls.en}` };
    return { code: "network", text, hint: toPlainAddressHint(host) };
  }
  const code = notHttp.test(network) ? "bad_response" : "network";
  const reason = findFailureReason(network) ?? findHandshakeFailure(network);
  const text = describeFailure(network, reason);
  // Later than its first request, the server has answered without TLS.
  const isTlsMissing = maybeTls.test(network) && isPlain(transport) && isProbeFailure(thrown);
  const hint = isTlsMissing ? { hint: toTlsAddressHint(host) } : {};
  return { code, text, ...hint, retryable: code === "network" && !reason?.isFinal };
}

function describeFailure(network: string, reason: FailureReason | undefined): Text {
  if (reason === undefined) return { zh: `无法连接（${network}）`, en: `it cannot be reached (${network})` };
  const start = neverMade.test(network) ? { zh: "无法连接：", en: "it cannot be reached: " } : { zh: "", en: "" };
  return { zh: `${start.zh}${reason.zh}（${network}）`, en: `${start.en}${reason.en} (${network})` };
}

/** nginx, Go and Apache say so, with status 400. */
const expectsTls = /HTTP request (was sent )?to (an )?HTTPS (server|port)|plain HTTP to an SSL-enabled server port/i;

/** Says what to do where the body of a refusal says that the server expects TLS. */
export function findTlsHint(body: string, transport: ServerTransport): Text | undefined {
  return isPlain(transport) && expectsTls.test(body) ? toTlsAddressHint(toHost(transport)) : undefined;
}

function toTlsAddressHint(host: string): Text {
  return {
    zh: `如果 ${host} 使用 TLS，请把它的地址写成 https://，而不是 http://。`,
    en: `If ${host} speaks TLS, write https:// instead of http:// in its address.`,
  };
}

function isPlain(transport: ServerTransport): boolean {
  return transport.type !== "stdio" && transport.url.startsWith("http:");
}

function toHost(transport: ServerTransport): string {
  return transport.type === "stdio" ? "" : new URL(transport.url).host;
}
