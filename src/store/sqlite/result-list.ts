import type { NumberedResult, ResultList } from "../../core/store/store.ts";
import type { StoreConnection } from "./connection.ts";
import { packText, unpackText } from "./packed-text.ts";
import type { Owner, Statements } from "./statements.ts";

export interface ResultListOptions {
  conversationId: string;
  owner: Owner;
  connection: StoreConnection;
  /** Is the highest number that a result has. */
  last: number;
  hasResults: boolean;
}

/** Limits what the results of one conversation take, in bytes. The oldest go first. */
const mostBytes = 16_000_000;

/** Reads the results of one conversation. */
export function createSqliteResultList(options: ResultListOptions): ResultList {
  const { conversationId: id, owner, connection, hasResults, last } = options;
  return {
    last,
    hasResults,
    async get(n) {
      const row = await connection.read(({ result }) => result.get({ id, owner, n }));
      return row?.body instanceof Uint8Array ? unpackText(row.body) : undefined;
    },
  };
}

export interface PackedResult {
  n: number;
  body: Uint8Array;
}

export function packResults(results: readonly NumberedResult[] = []): Promise<PackedResult[]> {
  return Promise.all(results.map(async ({ n, text }) => ({ n, body: await packText(text) })));
}

/** Keeps results of a conversation, whose last number is `last`. Must run inside the transaction that stores their turn. */
export function saveResults(
  statements: Statements,
  id: string,
  { results, last }: { results: readonly PackedResult[]; last: number },
): void {
  if (last === 0) return;
  for (const { n, body } of results) statements.addResult.run({ id, n, body });
  statements.raiseResults.run({ id, last });
  if (results.length > 0) statements.pruneResults.run({ id, most: mostBytes });
}
