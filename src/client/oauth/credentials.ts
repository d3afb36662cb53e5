import { isRecord } from "../../kit/json.ts";

export interface Credentials {
  /** Identifies the authorization server whose tokens are in use. */
  issuer?: string;
  /** Keeps credentials by issuer: those from one authorization server are never sent to another. */
  issuers: Record<string, IssuerCredentials>;
  /** Holds the URL of the server's protected resource metadata, if the server named it. */
  resourceMetadataUrl?: string;
  /** Holds a request of the server that only a user can grant; the next `duet login` handles it. */
  challenge?: Challenge;
}

export interface IssuerCredentials {
  /** Holds our client at the issuer: a registered one, or a client ID metadata document. */
  client?: OAuthClient;
  tokens?: Tokens;
}

export interface OAuthClient {
  id: string;
  secret?: string;
  /** Is `client_secret_basic`, `client_secret_post` or `none`. */
  authMethod?: string;
  /** Lists the redirect addresses that the client was registered with. */
  redirectUris?: string[];
}

export interface Tokens {
  access: string;
  refresh?: string;
  /** Is separated by spaces. */
  scope?: string;
  /** Is in milliseconds since 1970. */
  expiresAt?: number;
}

export interface Challenge {
  resourceMetadataUrl?: string;
  scope?: string;
}

export const noCredentials: Credentials = { issuers: {} };

export function getTokens({ issuer, issuers }: Credentials): Tokens | undefined {
  return issuer === undefined ? undefined : issuers[issuer]?.tokens;
}

/** Returns the credentials with these tokens in use; without tokens, only the client at each issuer stays. */
export function withTokens(credentials: Credentials, issuer: string, tokens: Tokens | undefined): Credentials {
  const clients = Object.entries(credentials.issuers).map(([each, { client }]) => [each, { client }]);
  const issuers: Credentials["issuers"] = Object.fromEntries(clients);
  issuers[issuer] = { ...issuers[issuer], ...(tokens && { tokens }) };
  return { ...credentials, issuer, issuers };
}

export function withClient(credentials: Credentials, issuer: string, client: OAuthClient | undefined): Credentials {
  const { tokens } = credentials.issuers[issuer] ?? {};
  const known = { ...(client && { client }), ...(tokens && { tokens }) };
  return { ...credentials, issuers: { ...credentials.issuers, [issuer]: known } };
}

/** Normalizes an issuer: metadata leave out a final slash that addresses have (RFC 8414, section 3.3). */
export function toIssuerKey(issuer: string): string {
  return issuer.replace(/\/$/, "");
}

export function listSecrets({ issuers }: Credentials): string[] {
  return Object.values(issuers).flatMap(({ client, tokens }) =>
    [client?.secret, tokens?.access, tokens?.refresh].filter((value) => value !== undefined),
  );
}

/** Reads the content of a credentials file; returns undefined for anything else. */
export function readCredentials(value: unknown): Credentials | undefined {
  if (!isRecord(value) || !isRecord(value.issuers)) return undefined;
  const issuers = Object.entries(value.issuers).flatMap(([issuer, known]) =>
    isRecord(known) ? [[issuer, { client: readClient(known.client), tokens: readTokens(known.tokens) }] as const] : [],
  );
  return {
    issuer: readText(value.issuer),
    issuers: Object.fromEntries(issuers),
    resourceMetadataUrl: readText(value.resourceMetadataUrl),
    challenge: readChallenge(value.challenge),
  };
}

function readClient(value: unknown): OAuthClient | undefined {
  if (!isRecord(value) || typeof value.id !== "string") return undefined;
  const { redirectUris } = value;
  return {
    id: value.id,
    secret: readText(value.secret),
    authMethod: readText(value.authMethod),
    redirectUris: Array.isArray(redirectUris) ? redirectUris.filter((each) => typeof each === "string") : undefined,
  };
}

function readTokens(value: unknown): Tokens | undefined {
  if (!isRecord(value) || typeof value.access !== "string") return undefined;
  const { expiresAt } = value;
  return {
    access: value.access,
    refresh: readText(value.refresh),
    scope: readText(value.scope),
    expiresAt: typeof expiresAt === "number" ? expiresAt : undefined,
  };
}

function readChallenge(value: unknown): Challenge | undefined {
  if (!isRecord(value)) return undefined;
  return { resourceMetadataUrl: readText(value.resourceMetadataUrl), scope: readText(value.scope) };
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
