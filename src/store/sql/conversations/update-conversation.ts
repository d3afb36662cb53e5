import { noConversationError } from "../../errors/usage-errors.ts";
import { statements } from "../statements/statements.ts";
import type { Work } from "../work.ts";

/** Identifies the owner of a conversation; null is the operator. */
export type Owner = string | null;

/** Begins a conversation, or makes it the last one asked. Its first title stays. Throws where it is another owner's. */
export function* updateConversation({ id, owner, title = "", turns = 0, folder }: ConversationUpdate): Work<void> {
  const now = new Date().toISOString();
  const row = yield* statements.touch.get({ id, owner, title, turns, folder: folder ?? null, now });
  if (row === undefined) throw noConversationError();
}

interface ConversationUpdate {
  id: string;
  owner: Owner;
  title?: string | undefined;
  /** Counts the turns that are added. */
  turns?: number | undefined;
  folder?: string | undefined;
}
