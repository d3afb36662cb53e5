import { tryParseJson } from "../../../../kit/json.ts";
import { UnexpectedAnswerError } from "./api-error.ts";
import { UnreachedError } from "./sender.ts";

/**
 * Reads what an answer holds. Rejects with `UnreachedError` where the connection breaks in it, and with the reason of the signal when
 * that aborts.
 */
export async function readBody<T>(
  response: Promise<Response>,
  read: (answer: Response) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  return read(await response).catch((thrown: unknown) => {
    throw signal?.aborted ? thrown : new UnreachedError(thrown);
  });
}

/** Reads an answer that is JSON. Rejects as `readBody` does, and with `UnexpectedAnswerError` for any other. */
export async function readJson(response: Promise<Response>, signal?: AbortSignal): Promise<unknown> {
  const value = tryParseJson(await readBody(response, (answer) => answer.text(), signal));
  if (value === undefined) throw new UnexpectedAnswerError();
  return value;
}

/** Reads an answer that is JSON of the shape. Rejects as `readJson` does, and with `UnexpectedAnswerError` for any other shape. */
export async function readShape<T>(response: Promise<Response>, isShape: (value: unknown) => value is T): Promise<T> {
  const value = await readJson(response);
  if (!isShape(value)) throw new UnexpectedAnswerError();
  return value;
}
