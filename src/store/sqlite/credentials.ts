import type { StatementSync } from "node:sqlite";
import {
  type ApiToken,
  type Credentials,
  longestDeadTokenMs,
  type SignInSession,
  tokenScopes,
} from "../../core/store/credentials.ts";
import { toText } from "../../kit/json.ts";
import type { StoreConnection } from "./connection.ts";

/** Prepares the statements for API tokens and sessions. */
export function prepareCredentials(prepare: (sql: string) => StatementSync) {
  return {
    pruneApiTokens: prepare("DELETE FROM api_tokens WHERE coalesce(revoked_at, expires_at) < :oldest"),
    activeApiToken: prepare(`
      SELECT 1 FROM api_tokens
      WHERE name = :name AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)`),
    addApiToken: prepare(`
      INSERT INTO api_tokens (hash, name, hint, scope, tools, owner, created_at, expires_at)
      VALUES (:hash, :name, :hint, :scope, :tools, :owner, :createdAt, :expiresAt)`),
    apiTokens: prepare(`
      SELECT * FROM api_tokens
      ORDER BY revoked_at IS NOT NULL OR coalesce(expires_at <= :now, 0), name, created_at DESC`),
    apiToken: prepare("SELECT * FROM api_tokens WHERE hash = ?"),
    revokeApiToken: prepare(`
      UPDATE api_tokens SET revoked_at = :now
      WHERE name = :name AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)`),
    recordApiTokenUse: prepare("UPDATE api_tokens SET last_used_at = :now WHERE hash = :hash"),

    pruneSessions: prepare("DELETE FROM sign_in_sessions WHERE expires_at <= ?"),
    addSession: prepare(`
      INSERT INTO sign_in_sessions (hash, issuer, subject, name, scopes, id_token, created_at, expires_at)
      VALUES (:hash, :issuer, :subject, :name, :scopes, :idToken, :createdAt, :expiresAt)`),
    session: prepare("SELECT * FROM sign_in_sessions WHERE hash = ?"),
    dropSession: prepare("DELETE FROM sign_in_sessions WHERE hash = ?"),
  };
}

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

/** A scope that this program does not know only reads. */
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
