import type { NumberedSource } from "../../core/sources.ts";
import type { SourceList } from "../../core/store/store.ts";
import type { Source } from "../../core/tools/tool.ts";
import type { StoreConnection } from "./connection.ts";
import { type Owner, type Statements, updateConversation } from "./statements.ts";

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
export function createSqliteSourceList({
  conversationId,
  owner,
  connection,
  known,
  owe,
}: SourceListOptions): SourceList {
  const byNumber = new Map(known.map(({ n, source }) => [n, source]));
  const byUrl = new Map(known.map(({ n, source }) => [source.url, n]));
  let last = known.at(-1)?.n ?? 0;

  const isFresh = ({ url }: Source): boolean => !byUrl.has(url);

  function recordSource({ n, source }: NumberedSource): void {
    byNumber.set(n, source);
    byUrl.set(source.url, n);
    last = Math.max(last, n);
  }

  /** Gives and learns in one go: calls run side by side, and a number may be given only once. */
  function numberAlone(sources: readonly Source[]): void {
    const numbered = sources.filter(isFresh).map((source, index) => ({ n: last + 1 + index, source }));
    numbered.forEach(recordSource);
    owe(numbered);
  }

  return {
    async number(sources) {
      const fresh = [...new Map(sources.filter(isFresh).map((source) => [source.url, source])).values()];
      if (fresh.length > 0) {
        await connection
          .write((statements) => claim(statements, { conversationId, owner, sources: fresh, after: last }))
          .then(
            (claimed) => claimed.forEach(recordSource),
            () => numberAlone(fresh),
          );
      }
      return sources.map(({ url }) => byUrl.get(url) ?? 0);
    },
    get: (wanted) => byNumber.get(wanted),
    all: () => [...byNumber].map(([n, source]) => ({ n, source })).sort((a, b) => a.n - b.n),
    get size() {
      return byNumber.size;
    },
  };
}

interface Claim {
  conversationId: string;
  owner: Owner;
  sources: readonly Source[];
  /** New numbers are greater than this one, which is in use whatever the store says. */
  after: number;
}

/** Returns the numbers of these pages, and assigns new ones where needed. Must run inside a transaction. */
function claim(statements: Statements, { conversationId, owner, sources, after }: Claim): NumberedSource[] {
  updateConversation(statements, { id: conversationId, owner });
  let last = Math.max(after, Number(statements.lastNumber.get(conversationId)?.n));
  return sources.map((source) => {
    const taken = statements.sourceNumber.get(conversationId, source.url);
    if (taken) return { n: Number(taken.n), source };
    saveSource(statements, conversationId, { n: ++last, source });
    return { n: last, source };
  });
}

/** Keeps a source under its number. Throws when either is taken. */
export function saveSource(statements: Statements, conversationId: string, { n, source }: NumberedSource): void {
  statements.addSource.run(conversationId, n, source.url, source.title, source.snippet);
}
