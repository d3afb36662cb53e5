import type { NumberedResult, ResultList } from "../../../core/store/conversations/conversation.ts";
import type { StoreConnection } from "../connection.ts";
import { statements } from "../statements/statements.ts";
import type { Work } from "../work.ts";
import { packText, unpackText } from "./packed-text.ts";
import type { Owner } from "./update-conversation.ts";

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
export function createSqlResultList(options: ResultListOptions): ResultList {
  const { conversationId: id, owner, connection, hasResults, last } = options;
  return {
    last,
    hasResults,
    async get(n) {
      const row = await connection.read(() => statements.result.get({ id, owner, n }));
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

/** Keeps results of a conversation, whose last number is `last`. Belongs to the transaction that stores their turn. */
export function* saveResults(
  id: string,
  { results, last }: { results: readonly PackedResult[]; last: number },
): Work<void> {
  if (last === 0) return;
  for (const { n, body } of results) yield* statements.addResult.run({ id, n, body });
  yield* statements.raiseResults.run({ id, last });
  if (results.length > 0) yield* statements.pruneResults.run({ id, most: mostBytes });
}
