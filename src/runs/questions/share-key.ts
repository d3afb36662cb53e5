import { randomBytes } from "node:crypto";
import type { FindRecords } from "../../core/store/shared-records.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { type Confirmations, confirmationKeyBytes } from "./confirmation-tokens.ts";

/** Is how often the key is asked for while the store cannot be reached, in milliseconds. */
const againMs = 1_000;

/**
 * Has tokens signed with the key that the processes of a shared store have in common: it is made once. Until the store can be reached,
 * this process confirms its own tokens. Resolves once the key is there, or when the signal aborts.
 */
export async function shareKey(
  findRecords: FindRecords,
  confirmations: Pick<Confirmations, "adoptKey">,
  signal: AbortSignal,
): Promise<void> {
  const made = randomBytes(confirmationKeyBytes).toString("base64url");
  const takeKey = async (): Promise<string> => (await findRecords()).add("key", "confirmation", made);
  while (!signal.aborted) {
    const shared = await ignoreRejection(takeKey(), "it is asked for again");
    if (shared !== undefined) {
      confirmations.adoptKey(Buffer.from(shared, "base64url"));
      return;
    }
    // A process that ends does not wait for it.
    await new Promise<void>((resolve) => void setTimeout(resolve, againMs).unref());
  }
}
