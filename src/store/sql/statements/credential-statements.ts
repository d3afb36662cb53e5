import { defineStatement } from "../work.ts";

// Columns are named: a connection of PostgreSQL's that has prepared `*` fails for ever when a newer Duet adds one.
const tokenColumns = "hash, name, hint, scope, tools, owner, created_at, expires_at, revoked_at, last_used_at";
const sessionColumns = "hash, issuer, subject, name, scopes, id_token, created_at, expires_at";

/** Holds the statements for API tokens and sessions. */
export const credentialStatements = {
  pruneApiTokens: defineStatement("DELETE FROM api_tokens WHERE coalesce(revoked_at, expires_at) < :oldest"),
  activeApiToken: defineStatement(`
      SELECT 1 FROM api_tokens
      WHERE name = :name AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)`),
  addApiToken: defineStatement(`
      INSERT INTO api_tokens (hash, name, hint, scope, tools, owner, created_at, expires_at)
      VALUES (:hash, :name, :hint, :scope, :tools, :owner, :createdAt, :expiresAt)`),
  apiTokens: defineStatement(`SELECT ${tokenColumns} FROM api_tokens ORDER BY name, created_at DESC`),
  apiToken: defineStatement(`SELECT ${tokenColumns} FROM api_tokens WHERE hash = :hash`),
  revokeApiToken: defineStatement(`
      UPDATE api_tokens SET revoked_at = :now
      WHERE name = :name AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)`),
  recordApiTokenUse: defineStatement("UPDATE api_tokens SET last_used_at = :now WHERE hash = :hash"),

  pruneSessions: defineStatement("DELETE FROM sign_in_sessions WHERE expires_at <= :now"),
  addSession: defineStatement(`
      INSERT INTO sign_in_sessions (hash, issuer, subject, name, scopes, id_token, created_at, expires_at)
      VALUES (:hash, :issuer, :subject, :name, :scopes, :idToken, :createdAt, :expiresAt)`),
  session: defineStatement(`SELECT ${sessionColumns} FROM sign_in_sessions WHERE hash = :hash`),
  dropSession: defineStatement("DELETE FROM sign_in_sessions WHERE hash = :hash"),
};
