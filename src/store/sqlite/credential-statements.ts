import type { StatementSync } from "node:sqlite";

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
