import { DuetError } from "../../kit/errors.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";

/** Waits for work whose failure is told to the caller: 400 for what the caller can change, 409 for the rest. */
export async function refuseDuetErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof DuetError)) throw thrown;
    const { text, hint, code } = thrown;
    throw new HttpRefusalError({ status: code === "config" ? 400 : 409, error: "invalid_request", text, hint });
  }
}
