import { isRecord } from "../../kit/json.ts";

export interface ErrorFacts {
  /** Holds the HTTP status, or the one in the body. */
  status: number | undefined;
  message: string;
  /** Joins codes, types, message and details in one text, for rules to search. */
  searchable: string;
  /** Is true when the body is a web page, so that a proxy or a site answered and not the vendor's API. */
  page: boolean;
}

/** Reads an object, an array of one, `{"detail"}`, a string, JSON text or an HTML page. */
export function readErrorBody(body: unknown, status?: number): ErrorFacts {
  const page = typeof body === "string" && /^\s*</.test(body);
  const value = page ? findPageTitle(body) : typeof body === "string" ? fromText(body) : body;
  const error = findInnermost(value);
  if (!isRecord(error)) {
    const message = typeof error === "string" ? error : "";
    // xAI writes its code beside an error that is plain text.
    const codes = isRecord(value) ? listCodes(value) : [];
    return { status, message, searchable: [...codes, message.slice(0, 8_000)].join(" "), page };
  }
  const message = getMessageText(error);
  const details = JSON.stringify(error.details ?? error.metadata ?? "").slice(0, 8_000);
  return {
    status: status ?? [error.status_code, error.code, error.status].map(Number).find(isErrorStatus),
    message,
    searchable: [...listCodes(error), message.slice(0, 8_000), details].join(" "),
    page,
  };
}

function fromText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function findPageTitle(page: string): string {
  return /<(?:title|message)\b[^>]*>([^<]*)/i.exec(page)?.[1]?.trim() || "HTML";
}

function findInnermost(value: unknown): unknown {
  const first = Array.isArray(value) ? value[0] : value;
  if (!isRecord(first)) return first;
  if (first.error !== undefined && first.error !== null) {
    // An OAuth server names the kind in `error` and tells the rest beside it.
    return isText(first.error) && isText(first.error_description) ? first : findInnermost(first.error);
  }
  return Array.isArray(first.errors) && isRecord(first.errors[0]) ? findInnermost(first.errors[0]) : first;
}

function listCodes(error: Record<string, unknown>): string[] {
  return [error.type, error.code, error.status, getNested(error.innererror, "code")].filter(isText);
}

function getMessageText(error: Record<string, unknown>): string {
  const { message, detail, msg, error_msg, error_description, title } = error;
  const messages = [message, detail, msg, getFirstDetail(detail), error_msg, error_description, title];
  const own = [...messages, error.error].find(isText) ?? "";
  // OpenRouter's own words are empty ones; its upstream's are here, as text or as JSON.
  const raw = getNested(error.metadata, "raw");
  const upstream = isText(raw) ? readErrorBody(raw.slice(0, 8_000)).message : "";
  return upstream ? `${own}: ${upstream}` : own;
}

function getFirstDetail(detail: unknown): unknown {
  return Array.isArray(detail) ? getNested(detail[0], "msg") : undefined;
}

function getNested(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isErrorStatus(value: number): boolean {
  return Number.isInteger(value) && value >= 400 && value <= 599;
}
