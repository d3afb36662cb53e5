import { type Locale, say, type Text } from "../../core/locale.ts";

/** Why a request is not served. */
export interface Refusal {
  /** Of HTTP. */
  status: number;
  text: Text;
  /** Of JSON-RPC; -32000, a server's own, when absent. */
  code?: number;
  /** The request's id, as far as it could be read. */
  id?: string | number | undefined;
  headers?: Readonly<Record<string, string>>;
}

/** Words a refusal; one shape on every route, so that whatever speaks MCP understands it. */
export function refusalBody({ text, code = -32_000, id }: Refusal, locale: Locale): string {
  return JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message: say(locale, text) } });
}

export function refuse(refusal: Refusal, locale: Locale): Response {
  const headers = { "content-type": "application/json", ...refusal.headers };
  return new Response(refusalBody(refusal, locale), { status: refusal.status, headers });
}

/** What was thrown at a door of the HTTP side; the cause is for the operator, not for the caller. */
export const internal: Refusal = {
  status: 500,
  code: -32603,
  text: { zh: "服务器内部错误", en: "internal error of the server" },
};

export const closing: Refusal = {
  status: 503,
  text: { zh: "服务器正在关闭", en: "the server is closing" },
  headers: { "retry-after": "5" },
};
