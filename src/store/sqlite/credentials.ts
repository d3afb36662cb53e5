import {
  type ApiToken,
  type Credentials,
  longestDeadTokenMs,
  type SignInSession,
  tokenScopes,
} from "../../core/store/credentials.ts";
import { toText } from "../../kit/json.ts";
import type { StoreConnection } from "./connection.ts";

/** Stores API tokens and sessions in the store's own file. */
export function createSqliteCredentials(connection: StoreConnection): Credentials {
  return {
    tokens: {
      add: ({ tools, owner = null, expiresAt = null, ...token }) =>
        connection.write(({ pruneApiTokens, activeApiToken, addApiToken }) => {
          const { hash, name, hint, scope, createdAt } = token;
          pruneApiTokens.run({ oldest: new Date(Date.parse(createdAt) - longestDeadTokenMs).toISOString() });
          if (activeApiToken.get({ name, now: createdAt }) !== undefined) return false;
          const patterns = tools === undefined ? null : JSON.stringify(tools);
          addApiToken.run({ hash, name, hint, scope, tools: patterns, owner, createdAt, expiresAt });
          return true;
        }),
      list: () => connection.read(({ apiTokens }) => apiTokens.all({ now: new Date().toISOString() }).map(toApiToken)),
      async find(hash) {
        const row = await connection.read(({ apiToken }) => apiToken.get(hash));
        return row && toApiToken(row);
      },
      revoke: (name, now) =>
        connection.write(({ revokeApiToken }) => Number(revokeApiToken.run({ name, now }).changes) > 0),
      recordUse: (hash, now) => connection.write(({ recordApiTokenUse }) => void recordApiTokenUse.run({ hash, now })),
    },
    sessions: {
      add: ({ scopes, ...session }) =>
        connection.write(({ pruneSessions, addSession }) => {
          pruneSessions.run(session.createdAt);
          addSession.run({ ...session, scopes: JSON.stringify(scopes) });
        }),
      async find(hash) {
        const row = await connection.read(({ session }) => session.get(hash));
        return row && toSession(row);
      },
      remove: (hash) => connection.write(({ dropSession }) => void dropSession.run(hash)),
    },
  };
}

type Row = Record<string, unknown>;

/** Returns the token of a row. A scope that this program does not know only reads. */
function toApiToken(row: Row): ApiToken {
  return {
    hash: toText(row.hash),
    name: toText(row.name),
    hint: toText(row.hint),
    scope: tokenScopes.find((known) => known === row.scope) ?? "read",
    tools: row.tools === null ? undefined : readTexts(row.tools),
    owner: toOptionalText(row.owner),
    createdAt: toText(row.created_at),
    expiresAt: toOptionalText(row.expires_at),
    revokedAt: toOptionalText(row.revoked_at),
    lastUsedAt: toOptionalText(row.last_used_at),
  };
}

function toSession(row: Row): SignInSession {
  return {
    hash: toText(row.hash),
    issuer: toText(row.issuer),
    subject: toText(row.subject),
    name: toText(row.name),
    scopes: readTexts(row.scopes),
    idToken: toText(row.id_token),
    createdAt: toText(row.created_at),
    expiresAt: toText(row.expires_at),
  };
}

function toOptionalText(value: unknown): string | undefined {
  return value === null ? undefined : toText(value);
}

function readTexts(json: unknown): string[] {
  const read: unknown = JSON.parse(toText(json));
  return Array.isArray(read) ? read.map(toText) : [];
}
