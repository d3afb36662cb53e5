import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ConnectionOptions } from "../../../src/agent/store/connection.ts";
import { createSqliteStore } from "../../../src/agent/store/sqlite.ts";
import type { ConversationStore } from "../../../src/agent/store.ts";
import { temporaryFolder } from "../../fakes/program.ts";

/** A file for a store, in a folder that is not there yet. */
export async function storeFile(): Promise<string> {
  return join(await temporaryFolder(), "state", "duet.db");
}

/** The store in this file; closed when the test ends. */
export async function openStore(file: string, options?: Partial<ConnectionOptions>): Promise<ConversationStore> {
  const store = await createSqliteStore(file, options);
  onTestFinished(() => store.close());
  return store;
}
