import type { NumberedResult, ResultList } from "../../core/store/store.ts";
import type { StoreConnection } from "./connection.ts";
import { packText, unpackText } from "./packed-text.ts";
import type { Owner, Statements } from "./statements.ts";

export interface ResultListOptions {
  conversationId: string;
  owner: Owner;
  connection: StoreConnection;
  /** Is the highest number that was given when the conversation was loaded. */
  last: number;
  hasResults: boolean;
}

/** Limits what the results of one conversation take, in bytes. The oldest go first. */
const mostBytes = 16_000_000;

/**
 * Gives numbers to results, and reads results. Numbers are claimed in the store, so that no other process gives them too; a
 * conversation that is not stored yet belongs to one run alone.
 */
export function createSqliteResultList(options: ResultListOptions): ResultList {
  const { conversationId: id, owner, connection, hasResults } = options;
  let { last } = options;
  return {
    hasResults,
    async reserve(count) {
      const claimed = await connection
        .write((statements) => statements.claimResults.get({ id, owner, count, last }))
        .then(
          (row) => row && Number(row.results),
          // The numbers are those of the run alone until the store can be written.
          () => undefined,
        );
      last = claimed ?? last + count;
      return last - count + 1;
    },
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

/** Keeps results of a conversation. Must run inside the transaction that stores their turn. */
export function saveResults(statements: Statements, id: string, results: readonly PackedResult[]): void {
  const last = Math.max(0, ...results.map(({ n }) => n));
  if (last === 0) return;
  for (const { n, body } of results) statements.addResult.run({ id, n, body });
  statements.raiseResults.run({ id, last });
  statements.pruneResults.run({ id, most: mostBytes });
}
