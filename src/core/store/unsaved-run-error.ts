import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";

/** Says that a run is not in the store yet. It is kept in memory, and saving it is tried again. */
export class UnsavedRunError extends DuetError {
  constructor(why: Text, cause: unknown) {
    super({ code: "internal", text: why, retryable: true, cause });
  }
}
