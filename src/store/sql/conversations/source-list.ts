import type { NumberedSource } from "../../../core/sources.ts";
import type { SourceList } from "../../../core/store/conversations/conversation.ts";
import type { Source } from "../../../core/tools/tool.ts";
import type { Mutable } from "../../../kit/mutable.ts";
import type { StoreConnection } from "../connection.ts";
import { statements } from "../statements/statements.ts";
import { lock, type Work } from "../work.ts";
import { type Owner, updateConversation } from "./update-conversation.ts";

export interface SourceListOptions {
  conversationId: string;
  owner: Owner;
  connection: StoreConnection;
  /** Holds the sources that were loaded. */
  known: readonly NumberedSource[];
  /** Takes the numbers that could not be claimed; they are to be kept with the conversation's next turn. */
  owe(sources: readonly NumberedSource[]): void;
}

/**
 * Lists the sources of one conversation as one run sees them: those that were loaded and those it claimed. A number is claimed
 * in the store before it is used, so that no other process gives it to another page. When the store cannot be written, the run
 * uses numbers of its own and stores them later.
 */
export function createSqlSourceList({ conversationId, owner, connection, known, owe }: SourceListOptions): SourceList {
  const byNumber = new Map(known.map(({ n, source }) => [n, source]));
  const byUrl = new Map(known.map(({ n, source }) => [source.url, n]));
  let last = known.at(-1)?.n ?? 0;

  const isFresh = ({ url }: Source): boolean => !byUrl.has(url);

  function recordSource({ n, source }: NumberedSource): void {
    byNumber.set(n, source);
    byUrl.set(source.url, n);
    list.size = byNumber.size;
    last = Math.max(last, n);
  }

  /** Gives and learns in one go: calls run side by side, and a number may be given only once. */
  function numberAlone(sources: readonly Source[]): void {
    const numbered = sources.filter(isFresh).map((source, index) => ({ n: last + 1 + index, source }));
    numbered.forEach(recordSource);
    owe(numbered);
  }

  const list: Mutable<SourceList> = {
    size: byNumber.size,
    async number(sources) {
      const fresh = [...new Map(sources.filter(isFresh).map((source) => [source.url, source])).values()];
      if (fresh.length > 0) {
        await connection
          .write(() => claim({ conversationId, owner, sources: fresh, after: last }))
          .then(
            (claimed) => claimed.forEach(recordSource),
            () => numberAlone(fresh),
          );
      }
      return sources.map(({ url }) => byUrl.get(url) ?? 0);
    },
    get: (wanted) => byNumber.get(wanted),
    all: () => [...byNumber].map(([n, source]) => ({ n, source })).sort((a, b) => a.n - b.n),
  };
  return list;
}

interface Claim {
  conversationId: string;
  owner: Owner;
  sources: readonly Source[];
  /** New numbers are greater than this one, which is in use whatever the store says. */
  after: number;
}

/** Returns the numbers of these pages, and assigns new ones where needed. */
function* claim({ conversationId: id, owner, sources, after }: Claim): Work<NumberedSource[]> {
  yield* lock(`conversation ${id}`);
  yield* updateConversation({ id, owner });
  let last = Math.max(after, Number((yield* statements.lastNumber.get({ id }))?.n));
  const claimed: NumberedSource[] = [];
  for (const source of sources) {
    const taken = yield* statements.sourceNumber.get({ id, url: source.url });
    const numbered = { n: taken ? Number(taken.n) : ++last, source };
    if (!taken) yield* saveSource(id, numbered);
    claimed.push(numbered);
  }
  return claimed;
}

/** Keeps a source whose number could not be claimed, unless that was stored although its answer was lost. Throws when either is taken. */
export function* saveOwedSource(id: string, owed: NumberedSource): Work<void> {
  const taken = yield* statements.sourceNumber.get({ id, url: owed.source.url });
  if (Number(taken?.n) !== owed.n) yield* saveSource(id, owed);
}

function* saveSource(id: string, { n, source: { url, title, snippet } }: NumberedSource): Work<void> {
  yield* statements.addSource.run({ id, n, url, title, snippet });
}
