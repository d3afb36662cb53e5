import type { CallReview } from "../../core/questions/call-review.ts";
import { findPath, reviewArguments } from "../../core/questions/review-arguments.ts";
import type { JsonObject } from "../../kit/json.ts";
import type { ReadCurrent } from "./current-file.ts";

/**
 * Finds out how a call is best shown to the person who is asked about it. The file that it would change is read where that is
 * allowed; otherwise the arguments alone are shown. Nothing of the arguments is left out.
 */
export async function reviewCall(
  call: { tool: string; arguments: JsonObject },
  readCurrent: ReadCurrent,
): Promise<CallReview> {
  const path = findPath(call.arguments);
  return reviewArguments(call, path === undefined ? undefined : await readCurrent(path));
}
