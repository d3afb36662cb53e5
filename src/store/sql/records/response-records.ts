import { longestResponseMs, type ResponseRecords } from "../../../core/store/response-records.ts";
import { toText } from "../../../kit/json.ts";
import type { StoreConnection } from "../connection.ts";
import { packText, unpackText } from "../conversations/packed-text.ts";
import type { Owner } from "../conversations/update-conversation.ts";
import { statements } from "../statements/statements.ts";

/** Stores the records of one owner in the store's own file. */
export function createSqlResponseRecords(
  connection: StoreConnection,
  owner: Owner,
  now: () => number,
): ResponseRecords {
  return {
    async put({ id, conversationId = null, body }) {
      const packed = await packText(body);
      const oldest = new Date(now() - longestResponseMs).toISOString();
      await connection.write(function* () {
        yield* statements.pruneResponses.run({ oldest });
        const row = { id, owner, conversation: conversationId, now: new Date(now()).toISOString(), body: packed };
        if ((yield* statements.putResponse.run(row)) === 0) throw new Error("the response is another owner's");
      });
    },
    async replace({ id, conversationId = null, body }) {
      const row = { id, owner, conversation: conversationId, body: await packText(body) };
      return (await connection.write(() => statements.replaceResponse.run(row))) > 0;
    },
    async get(id) {
      const row = await connection.read(() => statements.response.get({ id, owner }));
      if (!(row?.body instanceof Uint8Array)) return undefined;
      return { id, conversationId: toText(row.conversation) || undefined, body: unpackText(row.body) };
    },
    has: async (id) => (await connection.read(() => statements.hasResponse.get({ id, owner }))) !== undefined,
    remove: async (id) => (await connection.write(() => statements.dropResponse.run({ id, owner }))) > 0,
    hasAny: async (conversation) =>
      (await connection.read(() => statements.firstResponse.get({ conversation, owner }))) !== undefined,
  };
}
