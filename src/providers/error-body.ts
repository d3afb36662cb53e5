import { isRecord } from "../core/json.ts";

/** What an error body says, whatever form its vendor gave it. */
export interface ErrorFacts {
  /** The HTTP status, or the one that the body names. */
  status: number | undefined;
  message: string;
  /** Codes, types, message and details in one text, for rules to search. */
  searchable: string;
}

/** Reads an object, an array of one, `{"detail"}`, a string, JSON text or an HTML page. */
export function readErrorBody(body: unknown, status?: number): ErrorFacts {
  const value = typeof body === "string" ? fromText(body) : body;
  const error = innermost(value);
  if (!isRecord(error)) {
    const message = typeof error === "string" ? error : "";
    return { status, message, searchable: message };
  }
  const message = messageOf(error);
  const codes = [error.type, error.code, error.status, nested(error.innererror, "code")].filter(isText);
  const details = JSON.stringify(error.details ?? error.metadata ?? "").slice(0, 8_000);
  return {
    status: status ?? [error.status_code, error.code, error.status].find(isErrorStatus),
    message,
    searchable: `${codes.join(" ")} ${message} ${details}`,
  };
}

function fromText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return /^\s*</.test(text) ? pageTitle(text) : text;
  }
}

function pageTitle(page: string): string {
  return /<title[^>]*>([^<]*)/i.exec(page)?.[1]?.trim() || "an HTML page";
}

function innermost(value: unknown): unknown {
  const first = Array.isArray(value) ? value[0] : value;
  if (!isRecord(first) || first.error === undefined || first.error === null) return first;
  return innermost(first.error);
}

function messageOf(error: Record<string, unknown>): string {
  const raw = nested(error.metadata, "raw");
  const own = [error.message, error.detail, error.msg, firstDetail(error.detail)].find(isText) ?? "";
  return isText(raw) ? `${own}: ${raw}` : own;
}

function firstDetail(detail: unknown): unknown {
  return Array.isArray(detail) ? nested(detail[0], "msg") : undefined;
}

function nested(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === "number" && value >= 400 && value <= 599;
}
