import { ignoreRejection } from "../../../../kit/async/ignore-rejection.ts";
import { isRecord, toText } from "../../../../kit/json.ts";

/** Carries the server's own message for a refused request; `status` is the HTTP status. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly hint: string | null;

  constructor(status: number, message: string, hint: string | null) {
    super(message);
    this.status = status;
    this.hint = hint;
  }
}

/** Is thrown where the server answered something that this page does not understand, such as the page of a proxy. */
export class UnexpectedAnswerError extends Error {
  override readonly name = "UnexpectedAnswerError";

  constructor() {
    super("the server answered with something that this page does not understand");
  }
}

/** Returns true where the server refused a request because it does not have what was named. */
export function isMissing(thrown: unknown): thrown is ApiError {
  return thrown instanceof ApiError && thrown.status === 404;
}

/** Returns undefined where the server does not have what was named; throws anything else again. */
export function ignoreMissing(thrown: unknown): undefined {
  if (!isMissing(thrown)) throw thrown;
  return undefined;
}

/** Reads the problem details (RFC 9457) of a response, or its status when it has none. */
export async function readRefusal(response: Response): Promise<ApiError> {
  const body: unknown = await ignoreRejection(
    response.json(),
    "a refusal without a JSON body is described by its status",
  );
  const { detail, hint } = isRecord(body) ? body : {};
  const status = `HTTP ${response.status}`;
  return new ApiError(response.status, toText(detail) || status, toText(hint) || null);
}
