import { isRecord, toText } from "../../../../kit/json.ts";

/** What the server refused, in its own words; `status` is that of HTTP. */
export class RefusedError extends Error {
  override readonly name = "Refused";
  readonly status: number;
  readonly hint: string | null;

  constructor(status: number, message: string, hint: string | null) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

/** The problem details (RFC 9457) of an answer; of one that has none, its status. */
export async function readRefusal(response: Response): Promise<RefusedError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { detail, hint } = isRecord(body) ? body : {};
  const status = `HTTP ${response.status}`;
  return new RefusedError(response.status, toText(detail) || status, toText(hint) || null);
}
