import type { Locale } from "../../../kit/locale.ts";
import { findDialect, type HttpRefusal } from "./dialects.ts";
import { renderRefusal } from "./refusal.ts";
import { createRequestId, setIds, setRetry } from "./response-headers.ts";
import { securityHeaders } from "./security-headers.ts";

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Creates the answer to a request of which nothing more is read. Its connection ends with it. */
export function createRawAnswer(refusal: HttpRefusal, locale: Locale, target: string): RawAnswer {
  const row = findDialect(target);
  const id = createRequestId();
  const { type, body } = renderRefusal(refusal, locale, row.dialect, id);
  const headers = new Headers({
    ...securityHeaders,
    "cache-control": "no-store",
    "content-type": type,
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
    ...refusal.headers,
  });
  setIds(headers, id, row);
  setRetry({ status: refusal.status, headers }, row);
  return { status: refusal.status, headers: Object.fromEntries(headers), body };
}
