import type { ConversationStore } from "../../core/store/store.ts";
import { DuetError } from "../../kit/errors.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";

/** Matches the beginning of an ID that is completed: enough of it that nobody has written a whole name of his own. */
const beginningOfId = /^conv-[0-9a-f]{6,31}$/;

/**
 * Matches an ID of `createId`. Those that people have chosen are never completed to: a script that asks for its conversation `conv-1`
 * must not get `conv-12`.
 */
const generatedId = /^conv-[0-9a-f]{32}$/;

/** Limits the IDs that an error lists. */
const mostListed = 10;

/** Is how many conversations are read at once, among which chosen IDs may be. */
const pageSize = 50;

/**
 * Returns the ID that a person means: the text itself, or the only generated ID that begins with it. A text with which none begins is
 * returned as it is. Throws a `config` error where several begin with it.
 */
export async function findConversationId(store: Pick<ConversationStore, "list">, typed: string): Promise<string> {
  if (!beginningOfId.test(typed)) return typed;
  const [exact] = await store.list({ limit: 1, offset: 0, id: typed });
  if (exact !== undefined) return typed;
  const [only, ...others] = await listGenerated(store, typed);
  if (only === undefined) return typed;
  if (others.length === 0) return only;
  throw ambiguousIdError(typed, [only, ...others]);
}

/** Lists generated IDs with this beginning, one more than an error shows at most. */
async function listGenerated(store: Pick<ConversationStore, "list">, beginning: string): Promise<string[]> {
  const found: string[] = [];
  for (let offset = 0; found.length <= mostListed; offset += pageSize) {
    const page = await store.list({ limit: pageSize, offset, beginning });
    found.push(...page.map(({ id }) => id).filter((id) => generatedId.test(id)));
    if (page.length < pageSize) break;
  }
  return found.slice(0, mostListed + 1);
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
