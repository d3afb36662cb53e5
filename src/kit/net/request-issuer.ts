import { addressKinds, classifyAddress } from "./address-kind.ts";
import { createGuardedFetch } from "./create-guarded-fetch.ts";
import type { OutgoingRequest, OutgoingResponse } from "./guarded-fetch.ts";
import { failedRequestError, refusedError } from "./request-errors.ts";
import { isSecureAddress } from "./secure-address.ts";

const limits = { maxBytes: 512_000, timeoutMs: 5_000, maxRedirects: 0 };

export type IssuerRequest = Pick<OutgoingRequest, "url" | "method" | "headers" | "body" | "signal">;

/**
 * Sends a request to an authorization server. The operator names the server, so it may be anywhere except a cloud metadata
 * service. Redirects are not followed. Throws a `DuetError`, or the signal's reason.
 */
export async function requestIssuer(request: IssuerRequest): Promise<OutgoingResponse> {
  const guardedFetch = createGuardedFetch({
    reach: {
      permits: (_host, address) => classifyAddress(address) !== "metadata",
      refusal: ({ shown }, _address, kind) => refusedError(shown, addressKinds[kind]),
    },
  });
  const response = await guardedFetch.request({ ...limits, ...request, permits: checkScheme });
  if (response.truncated && response.status < 400)
    throw failedRequestError("bad_response", new URL(request.url).host, {
      zh: "响应过长",
      en: "the response is too long",
    });
  return response;
}

/** Fetches JSON from an authorization server, and returns undefined when nothing is found at this address. */
export async function fetchJson(address: string, signal: AbortSignal): Promise<unknown> {
  const { status, body } = await requestIssuer({ url: address, headers: { accept: "application/json" }, signal });
  const { host } = new URL(address);
  if (status >= 400 && status < 500) return undefined;
  if (status !== 200)
    throw failedRequestError("bad_response", host, { zh: `HTTP 状态 ${status}`, en: `HTTP status ${status}` });
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw failedRequestError("bad_response", host, { zh: "响应不是 JSON", en: "the response is not JSON" });
  }
}

function checkScheme(url: URL): void {
  if (!isSecureAddress(url))
    throw refusedError(url.host, { zh: "只能使用 https 网址", en: "only https URLs are used" });
}
