import { createHash, randomBytes } from "node:crypto";

/** Stores who may call over HTTP: API tokens, and the browsers in which people are signed in. Any process that shares the store sees both. */
export interface Credentials {
  readonly tokens: ApiTokens;
  readonly sessions: SignInSessions;
}

/** Lists what an API token may do: `read` only looks, `ask` is a caller, and `operate` is the operator. */
export const tokenScopes = ["read", "ask", "operate"] as const;

export type TokenScope = (typeof tokenScopes)[number];

/** Stands before the name of a token in the owner of what is asked with it, where its operator has named no other owner. */
export const tokenOwnerPrefix = "token:";

export interface ApiToken {
  /** Is the SHA-256 of the token, which is itself stored nowhere. */
  readonly hash: string;
  readonly name: string;
  /** Is the beginning of the token, by which a person recognises it. */
  readonly hint: string;
  readonly scope: TokenScope;
  /** Lists patterns of the tools that it may use. All are allowed when absent. */
  readonly tools?: readonly string[] | undefined;
  /** Owns the conversations that come with the token. Is absent for the operator. */
  readonly owner?: string | undefined;
  /** Holds ISO 8601, UTC, as all times here. */
  readonly createdAt: string;
  /** Is absent for a token that does not expire. */
  readonly expiresAt?: string | undefined;
  readonly revokedAt?: string | undefined;
  readonly lastUsedAt?: string | undefined;
}

export interface ApiTokens {
  /**
   * Adds a token; false when another one of that name is in force. Forgets those that have been revoked or expired for a long
   * time.
   */
  add(token: ApiToken): Promise<boolean>;
  /** Lists the tokens by name, those that are in force before the others. */
  list(): Promise<ApiToken[]>;
  find(hash: string): Promise<ApiToken | undefined>;
  /** Ends the token of that name; false when none is in force. */
  revoke(name: string, now: string): Promise<boolean>;
  recordUse(hash: string, now: string): Promise<void>;
}

/** Is how long a token that no longer counts is listed, in milliseconds. */
export const longestDeadTokenMs = 90 * 24 * 3_600_000;

/** Represents a browser in which a person is signed in. Nothing of it lets anybody call the provider. */
export interface SignInSession {
  /** Is the SHA-256 of what the browser's cookie holds. */
  readonly hash: string;
  readonly issuer: string;
  readonly subject: string;
  /** Is how the provider calls the person. */
  readonly name: string;
  readonly scopes: readonly string[];
  /** Tells the provider whom it signs out. */
  readonly idToken: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface SignInSessions {
  /** Adds a session, and forgets those that have expired. */
  add(session: SignInSession): Promise<void>;
  find(hash: string): Promise<SignInSession | undefined>;
  remove(hash: string): Promise<void>;
}

/** Returns 256 random bits as text, which nobody can guess. */
export function createSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Returns the form in which a secret of 256 random bits is stored and found. */
export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Begins every API token, so that programs which look for leaked secrets recognise one. */
export const tokenPrefix = "duet_";

export function createTokenText(): string {
  return tokenPrefix + createSecret();
}

/** Returns the part of a token that may be shown. */
export function toTokenHint(token: string): string {
  return token.slice(0, tokenPrefix.length + 4);
}

/** Says whether a token counts, and why it does not. */
export function findTokenState({ revokedAt, expiresAt }: ApiToken, now: string): "active" | "revoked" | "expired" {
  if (revokedAt !== undefined) return "revoked";
  return expiresAt !== undefined && expiresAt <= now ? "expired" : "active";
}
