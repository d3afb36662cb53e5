import type { ConversationStore } from "../../core/store/store.ts";
import { DuetError } from "../../kit/errors.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";

/**
 * Matches what an ID of `createId` may begin with. IDs that people have chosen are never completed: a script that asks for its
 * conversation `team-1` must not get `team-12`.
 */
const beginningOfId = /^conv-[0-9a-f]{0,31}$/;

/** Limits the IDs that an error lists. */
const mostListed = 10;

/**
 * Returns the ID that a person means: the text itself, or the only ID that begins with it. A text with which none begins is returned as it
 * is. Throws a `config` error where several begin with it.
 */
export async function findConversationId(store: Pick<ConversationStore, "list">, typed: string): Promise<string> {
  if (!beginningOfId.test(typed)) return typed;
  const [exact] = await store.list({ limit: 1, offset: 0, id: typed });
  if (exact !== undefined) return typed;
  const [only, ...others] = await store.list({ limit: mostListed + 1, offset: 0, beginning: typed });
  if (only === undefined) return typed;
  if (others.length === 0) return only.id;
  throw ambiguousIdError(
    typed,
    [only, ...others].map(({ id }) => id),
  );
}

function ambiguousIdError(typed: string, ids: readonly string[]): DuetError {
  const shown = ids.slice(0, mostListed).map(sanitizeLine).join(", ");
  const list = ids.length > mostListed ? `${shown}, …` : shown;
  return new DuetError({
    code: "config",
    text: {
      zh: `不止一个对话的编号以 ${typed} 开头：${list}`,
      en: `more than one conversation ID starts with ${typed}: ${list}`,
    },
  });
}
