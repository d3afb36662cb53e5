import type { Model } from "../../../core/model/model.ts";
import { DuetError } from "../../../kit/errors.ts";
import type { LoopState } from "../../run.ts";

/** Remembers that a vendor does not take the key of this model. A key that lacks a permission (403) may serve another model. */
export function rememberRefusedKey({ refusedKeys }: LoopState, { keyName }: Model, thrown: unknown): void {
  if (keyName === undefined || !(thrown instanceof DuetError)) return;
  if (thrown.code === "auth" && thrown.status !== 403) refusedKeys.set(keyName, thrown);
}

/**
 * Returns the error with which this model's key was already refused in this run. Another request with the key would only fail
 * again.
 */
export function refusedKeyError({ refusedKeys }: LoopState, { keyName }: Model): DuetError | undefined {
  return keyName === undefined ? undefined : refusedKeys.get(keyName);
}
