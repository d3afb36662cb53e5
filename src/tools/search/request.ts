import { unescape as decodePercent } from "node:querystring";
import { type Dispatcher, request as send } from "undici";
import { createTimeLimit } from "../../kit/async/timeout.ts";
import { getMessage } from "../../kit/errors.ts";
import { readHeaders } from "../../kit/net/http-exchange.ts";
import { findProxyError } from "../../kit/net/proxy-errors.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { version } from "../../kit/version.ts";
import { SearchError } from "./backend.ts";
import type { SearchAnswer, SearchCall } from "./wire.ts";

interface ServiceRequest {
  /** Names the service in errors. */
  party: string;
  /** User information in the URL is sent as Basic authentication. */
  url: URL;
  call: SearchCall;
  /** Makes the connections, where they are not the usual ones. */
  dispatcher?: Dispatcher | undefined;
}

export interface ServiceCall extends ServiceRequest {
  timeoutMs: number;
  signal: AbortSignal;
}

const sizeLimit = 2_000_000;

/**
 * Sends every backend's request. It allows at most 2 MB, no redirects and no compression. Throws a `SearchError`, or the
 * signal's reason when the caller gave up.
 */
export async function sendSearch({ timeoutMs, signal, ...call }: ServiceCall): Promise<SearchAnswer> {
  const seconds = timeoutMs / 1000;
  const reason = { zh: `${seconds} 秒内没有回答`, en: `no answer within ${seconds} s` };
  const late = new SearchError(call.party, { kind: "timeout", reason });
  const limit = createTimeLimit(timeoutMs, () => late, signal);
  try {
    return await exchangeMessages(call, limit.signal);
  } catch (thrown) {
    signal.throwIfAborted();
    throw limit.expired ? late : thrown;
  } finally {
    limit.clear();
  }
}

async function exchangeMessages(
  { party, url, call, dispatcher }: ServiceRequest,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const response = await send(toTarget(url, call), {
    dispatcher,
    method: call.search === undefined ? "POST" : "GET",
    headers: toHeaders(url, call),
    body: toBody(call),
    signal,
  }).catch((thrown: unknown) => {
    throw networkError(party, url, thrown);
  });
  const { statusCode: status } = response;
  const headers = readHeaders(response.headers);
  try {
    if (status >= 300 && status < 400) {
      // What stands behind a question mark may be a key.
      const place = sanitizeLine(headers.location?.split("?")[0] ?? "").slice(0, 200);
      const zh = `${url.host} 要求跳转到 ${place}，未跟随`;
      throw badResponseError(party, zh, `${url.host} redirects to ${place}, which is not followed`);
    }
    const encoding = headers["content-encoding"];
    if (encoding !== undefined && encoding !== "identity") {
      const zh = `回答用了没有要求的压缩 ${encoding}`;
      throw badResponseError(party, zh, `the response is compressed (${encoding}), which was not requested`);
    }
    return { status, headers, text: await readText(response.body, { party, url, call }) };
  } finally {
    // undici reports the end of a body that nobody read as an error of the body, which would end the process.
    response.body.on("error", () => {}).destroy();
  }
}

function toTarget(url: URL, { search }: SearchCall): URL {
  const whole = new URL(url);
  whole.username = "";
  whole.password = "";
  for (const [name, value] of Object.entries(search ?? {})) whole.searchParams.set(name, value);
  return whole;
}

function getCredentials({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const pair = Buffer.from(`${decodePercent(username)}:${decodePercent(password)}`);
  return `Basic ${pair.toString("base64")}`;
}

function toHeaders(url: URL, { json, form, headers }: SearchCall): Record<string, string> {
  const type = json !== undefined ? "application/json" : form && "application/x-www-form-urlencoded";
  const own = { authorization: getCredentials(url), "content-type": type };
  const all = [usual, own, headers ?? {}].flatMap((some) => Object.entries<string | undefined>(some));
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

const usual = { accept: "application/json", "accept-encoding": "identity", "user-agent": `duet-mcp/${version}` };

function toBody({ json, form }: SearchCall): string | undefined {
  if (json !== undefined) return JSON.stringify(json);
  return form && new URLSearchParams(form).toString();
}

async function readText(body: AsyncIterable<Buffer>, { party, url, call }: ServiceRequest) {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > sizeLimit) break;
      text += decoder.decode(chunk, { stream: true });
      if (call.isWhole?.(text)) break;
    }
  } catch (thrown) {
    throw networkError(party, url, thrown);
  }
  if (size <= sizeLimit) return text + decoder.decode();
  const megabytes = sizeLimit / 1e6;
  throw badResponseError(party, `回答超过 ${megabytes} MB`, `the response is larger than ${megabytes} MB`);
}

function badResponseError(party: string, zh: string, en: string): SearchError {
  return new SearchError(party, { kind: "bad-response", reason: { zh, en } });
}

function networkError(party: string, url: URL, cause: unknown): SearchError {
  const atProxy = findProxyError(cause);
  if (atProxy) return new SearchError(party, { kind: "network", reason: atProxy.text, hint: atProxy.hint, cause });
  const why = sanitizeLine(getMessage(cause)) || "network error";
  const reason = { zh: `无法连接 ${url.host}（${why}）`, en: `${url.host} cannot be reached (${why})` };
  return new SearchError(party, { kind: "network", reason, cause });
}
