import { addressKinds, classifyAddress } from "../../../kit/net/address-kind.ts";
import { createGuardedFetch } from "../../../kit/net/create-guarded-fetch.ts";
import { failedRequestError, refusedError } from "../../../kit/net/request-errors.ts";
import { isSecureAddress } from "../../../kit/net/secure-address.ts";

const limits = { maxBytes: 512_000, timeoutMs: 5_000, maxRedirects: 0 };

/**
 * What an authorization server answers at this address; undefined where it has nothing there. The operator names the server, so it
 * may be anywhere but at a cloud's metadata service; redirects are not followed. Throws a `DuetError`, or the signal's reason.
 */
export async function fetchJson(address: string, signal: AbortSignal): Promise<unknown> {
  const guardedFetch = createGuardedFetch({
    reach: {
      permits: (_host, address) => classifyAddress(address) !== "metadata",
      refusal: ({ shown }, _address, kind) => refusedError(shown, addressKinds[kind]),
    },
  });
  const { status, body, truncated } = await guardedFetch.request({
    ...limits,
    url: address,
    headers: { accept: "application/json" },
    permits: checkScheme,
    signal,
  });
  const { host } = new URL(address);
  if (status >= 400 && status < 500) return undefined;
  if (status !== 200)
    throw failedRequestError("bad_response", host, { zh: `HTTP 状态 ${status}`, en: `HTTP status ${status}` });
  if (truncated) throw failedRequestError("bad_response", host, { zh: "回答过长", en: "the answer is too long" });
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw failedRequestError("bad_response", host, { zh: "回答不是 JSON", en: "the answer is no JSON" });
  }
}

function checkScheme(url: URL): void {
  if (!isSecureAddress(url))
    throw refusedError(url.host, { zh: "只能使用 https 网址", en: "only https URLs are used" });
}
