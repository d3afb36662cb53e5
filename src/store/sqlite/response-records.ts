import { longestResponseMs, type ResponseRecords } from "../../core/store/response-records.ts";
import { toText } from "../../kit/json.ts";
import type { StoreConnection } from "./connection.ts";
import { packText, unpackText } from "./packed-text.ts";
import type { Owner } from "./statements.ts";

/** Stores the records of one owner in the store's own file. */
export function createSqliteResponseRecords(
  connection: StoreConnection,
  owner: Owner,
  now: () => number,
): ResponseRecords {
  return {
    async put({ id, conversationId = null, body }) {
      const packed = await packText(body);
      const oldest = new Date(now() - longestResponseMs).toISOString();
      await connection.write(({ putResponse, pruneResponses }) => {
        pruneResponses.run({ oldest });
        const row = { id, owner, conversation: conversationId, now: new Date(now()).toISOString(), body: packed };
        if (putResponse.run(row).changes === 0) throw new Error("the response is another owner's");
      });
    },
    async replace({ id, conversationId = null, body }) {
      const row = { id, owner, conversation: conversationId, body: await packText(body) };
      return connection.write(({ replaceResponse }) => replaceResponse.run(row).changes > 0);
    },
    async get(id) {
      const row = await connection.read(({ response }) => response.get({ id, owner }));
      if (!(row?.body instanceof Uint8Array)) return undefined;
      return { id, conversationId: toText(row.conversation) || undefined, body: unpackText(row.body) };
    },
    has: (id) => connection.read(({ hasResponse }) => hasResponse.get({ id, owner }) !== undefined),
    remove: (id) => connection.write(({ dropResponse }) => dropResponse.run({ id, owner }).changes > 0),
    hasAny: (conversation) =>
      connection.read(({ firstResponse }) => firstResponse.get({ conversation, owner }) !== undefined),
  };
}
