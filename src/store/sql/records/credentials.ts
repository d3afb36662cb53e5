import {
  type ApiToken,
  type Credentials,
  findTokenState,
  longestDeadTokenMs,
  type SignInSession,
  tokenScopes,
} from "../../../core/store/credentials.ts";
import { toText } from "../../../kit/json.ts";
import type { StoreConnection } from "../connection.ts";
import { statements } from "../statements/statements.ts";
import { lock, type Row } from "../work.ts";

/** Stores API tokens and sessions in the store's own file. */
export function createSqlCredentials(connection: StoreConnection): Credentials {
  return {
    tokens: {
      add: ({ tools, owner = null, expiresAt = null, ...token }) =>
        connection.write(function* () {
          const { hash, name, hint, scope, createdAt } = token;
          yield* lock(`token ${name}`);
          yield* statements.pruneApiTokens.run({
            oldest: new Date(Date.parse(createdAt) - longestDeadTokenMs).toISOString(),
          });
          if ((yield* statements.activeApiToken.get({ name, now: createdAt })) !== undefined) return false;
          const patterns = tools === undefined ? null : JSON.stringify(tools);
          yield* statements.addApiToken.run({ hash, name, hint, scope, tools: patterns, owner, createdAt, expiresAt });
          return true;
        }),
      async list() {
        const all = (await connection.read(() => statements.apiTokens.all())).map(toApiToken);
        const now = new Date().toISOString();
        const isActive = (token: ApiToken): boolean => findTokenState(token, now) === "active";
        return [...all.filter(isActive), ...all.filter((token) => !isActive(token))];
      },
      async find(hash) {
        const row = await connection.read(() => statements.apiToken.get({ hash }));
        return row && toApiToken(row);
      },
      revoke: async (name, now) => (await connection.write(() => statements.revokeApiToken.run({ name, now }))) > 0,
      async recordUse(hash, now) {
        await connection.write(() => statements.recordApiTokenUse.run({ hash, now }));
      },
    },
    sessions: {
      add: ({ scopes, ...session }) =>
        connection.write(function* () {
          yield* statements.pruneSessions.run({ now: session.createdAt });
          yield* statements.addSession.run({ ...session, scopes: JSON.stringify(scopes) });
        }),
      async find(hash) {
        const row = await connection.read(() => statements.session.get({ hash }));
        return row && toSession(row);
      },
      async remove(hash) {
        await connection.write(() => statements.dropSession.run({ hash }));
      },
    },
  };
}

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
