import { isRecord } from "../../kit/json.ts";

/** What is kept of the sign-in to one server. */
export interface Credentials {
  /** The authorization server whose tokens are in use. */
  issuer?: string;
  /** By issuer: what one authorization server gave is never sent to another. */
  issuers: Record<string, IssuerCredentials>;
  /** Where the server describes its sign-in, if it said so. */
  resourceMetadataUrl?: string;
  /** What the server asked for that only a person can give; the next `duet login` does. */
  challenge?: Challenge;
}

export interface IssuerCredentials {
  /** Who we are there: registered, or a client ID metadata document. */
  client?: OAuthClient;
  tokens?: Tokens;
}

export interface OAuthClient {
  id: string;
  secret?: string;
  /** `client_secret_basic`, `client_secret_post` or `none`. */
  authMethod?: string;
  /** The addresses that it was registered with. */
  redirectUris?: string[];
}

export interface Tokens {
  access: string;
  refresh?: string;
  /** Parted by blanks. */
  scope?: string;
  /** In milliseconds since 1970. */
  expiresAt?: number;
}

export interface Challenge {
  resourceMetadataUrl?: string;
  scope?: string;
}

export const noCredentials: Credentials = { issuers: {} };

/** The tokens in use. */
export function getTokens({ issuer, issuers }: Credentials): Tokens | undefined {
  return issuer === undefined ? undefined : issuers[issuer]?.tokens;
}

/** The same credentials with these tokens in use; without any, only what we are to each issuer stays. */
export function withTokens(credentials: Credentials, issuer: string, tokens: Tokens | undefined): Credentials {
  const clients = Object.entries(credentials.issuers).map(([each, { client }]) => [each, { client }]);
  const issuers: Credentials["issuers"] = Object.fromEntries(clients);
  issuers[issuer] = { ...issuers[issuer], ...(tokens && { tokens }) };
  return { ...credentials, issuer, issuers };
}

/** The same credentials with this client at an issuer. */
export function withClient(credentials: Credentials, issuer: string, client: OAuthClient | undefined): Credentials {
  const { tokens } = credentials.issuers[issuer] ?? {};
  const known = { ...(client && { client }), ...(tokens && { tokens }) };
  return { ...credentials, issuers: { ...credentials.issuers, [issuer]: known } };
}

/** One spelling of an issuer; metadata leave out a last slash that addresses have (RFC 8414, section 3.3). */
export function toIssuerKey(issuer: string): string {
  return issuer.replace(/\/$/, "");
}

/** Every value that nobody may read. */
export function listSecrets({ issuers }: Credentials): string[] {
  return Object.values(issuers).flatMap(({ client, tokens }) =>
    [client?.secret, tokens?.access, tokens?.refresh].filter((value) => value !== undefined),
  );
}

/** What a file of ours says; undefined for anything else. */
export function readCredentials(value: unknown): Credentials | undefined {
  if (!isRecord(value) || !isRecord(value.issuers)) return undefined;
  const issuers = Object.entries(value.issuers).flatMap(([issuer, known]) =>
    isRecord(known) ? [[issuer, { client: readClient(known.client), tokens: readTokens(known.tokens) }] as const] : [],
  );
  return {
    issuer: textIn(value.issuer),
    issuers: Object.fromEntries(issuers),
    resourceMetadataUrl: textIn(value.resourceMetadataUrl),
    challenge: readChallenge(value.challenge),
  };
}

function readClient(value: unknown): OAuthClient | undefined {
  if (!isRecord(value) || typeof value.id !== "string") return undefined;
  const { redirectUris } = value;
  return {
    id: value.id,
    secret: textIn(value.secret),
    authMethod: textIn(value.authMethod),
    redirectUris: Array.isArray(redirectUris) ? redirectUris.filter((each) => typeof each === "string") : undefined,
  };
}

function readTokens(value: unknown): Tokens | undefined {
  if (!isRecord(value) || typeof value.access !== "string") return undefined;
  const { expiresAt } = value;
  return {
    access: value.access,
    refresh: textIn(value.refresh),
    scope: textIn(value.scope),
    expiresAt: typeof expiresAt === "number" ? expiresAt : undefined,
  };
}

function readChallenge(value: unknown): Challenge | undefined {
  if (!isRecord(value)) return undefined;
  return { resourceMetadataUrl: textIn(value.resourceMetadataUrl), scope: textIn(value.scope) };
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
