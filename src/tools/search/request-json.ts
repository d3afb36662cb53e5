import { request as send } from "undici";
import { messageOf } from "../../core/errors.ts";
import { printableLine } from "../../core/printable.ts";
import { searchError } from "./backend.ts";

export interface JsonRequest {
  /** Who is asked, for the errors. */
  party: string;
  url: URL;
  method: "GET" | "POST";
  headers?: Record<string, string>;
  body?: unknown;
  signal: AbortSignal;
}

export interface JsonResponse {
  status: number;
  /** The parsed body; undefined when it is not JSON, which is an error of its own only for a 2xx. */
  body: unknown;
  retryAfterMs: number | undefined;
}

const timeLimitMs = 10_000;
const sizeLimit = 2_000_000;

/**
 * One request whose answer should be JSON: at most 10 s and 2 MB, no redirects, no compression. Throws a `DuetError`, or the
 * signal's reason when the caller gave up.
 */
export async function requestJson(request: JsonRequest): Promise<JsonResponse> {
  const limit = AbortSignal.timeout(timeLimitMs);
  try {
    return await exchange(request, AbortSignal.any([request.signal, limit]));
  } catch (thrown) {
    request.signal.throwIfAborted();
    if (limit.aborted) {
      const seconds = timeLimitMs / 1000;
      throw searchError(request.party, "timeout", {
        zh: `${seconds} 秒内没有回答`,
        en: `no answer within ${seconds} s`,
      });
    }
    throw thrown;
  }
}

async function exchange(request: JsonRequest, signal: AbortSignal): Promise<JsonResponse> {
  const { party, url, method, body } = request;
  const headers = { accept: "application/json", "accept-encoding": "identity", ...request.headers };
  const response = await send(url, {
    method,
    headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  }).catch((thrown: unknown) => {
    throw networkError(party, url, thrown);
  });
  const { statusCode: status } = response;
  try {
    if (status >= 300 && status < 400) {
      const target = printableLine(String(response.headers.location ?? "")).slice(0, 200);
      throw searchError(party, "bad-response", {
        zh: `${url.host} 要求跳转到 ${target}，未跟随`,
        en: `${url.host} redirects to ${target}, which is not followed`,
      });
    }
    const encoding = response.headers["content-encoding"];
    if (encoding !== undefined && encoding !== "identity") {
      throw searchError(party, "bad-response", {
        zh: `回答用了没有要求的压缩 ${encoding}`,
        en: `the answer came compressed (${encoding}), which was not asked for`,
      });
    }
    const isJson = /\bjson\b/i.test(String(response.headers["content-type"] ?? ""));
    const text = await readText(response.body, party, url);
    const parsed = isJson ? parse(text) : undefined;
    if (parsed === undefined && status < 300) {
      const type = printableLine(String(response.headers["content-type"] ?? "-")).slice(0, 80);
      throw searchError(party, "bad-response", {
        zh: `回答不是 JSON（HTTP ${status}，${type}）`,
        en: `the answer is not JSON (HTTP ${status}, ${type})`,
      });
    }
    return { status, body: parsed, retryAfterMs: retryAfter(response.headers["retry-after"]) };
  } finally {
    // undici reports the end of a body that nobody read as an error of the body, which would end the process.
    response.body.on("error", () => {}).destroy();
  }
}

async function readText(body: AsyncIterable<Buffer>, party: string, url: URL): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > sizeLimit) break;
    }
  } catch (thrown) {
    throw networkError(party, url, thrown);
  }
  if (size <= sizeLimit) return Buffer.concat(chunks).toString("utf8");
  throw searchError(party, "bad-response", {
    zh: `回答超过 ${sizeLimit / 1e6} MB`,
    en: `the answer is larger than ${sizeLimit / 1e6} MB`,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function networkError(party: string, url: URL, cause: unknown): Error {
  const reason = printableLine(messageOf(cause)) || "network error";
  return searchError(party, "network", {
    zh: `无法连接 ${url.host}（${reason}）`,
    en: `${url.host} cannot be reached (${reason})`,
    cause,
  });
}

/** Seconds or a date; the HTTP header's two forms. */
function retryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return ms > 0 ? ms : undefined;
}
