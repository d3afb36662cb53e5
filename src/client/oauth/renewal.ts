import type { FetchLike } from "@modelcontextprotocol/client";
import type { ServerSettings } from "../../config/config.ts";
import type { Sdk } from "../sdk.ts";
import { type Credentials, getTokens, type OAuthClient, type Tokens, toIssuerKey, withTokens } from "./credentials.ts";
import { getOAuthCode, issuerMismatchError, temporaryCodes } from "./oauth-errors.ts";

export interface Renewal {
  sdk: Sdk;
  settings: ServerSettings;
  server: URL;
  fetch: FetchLike;
}

/**
 * Exchanges expired tokens for new ones without the user. Returns undefined when only a user can help: there is no refresh
 * token, it was refused, or the server has moved to another authorization server. Rejects when the renewal could not be tried.
 */
export async function refreshTokens(renewal: Renewal, credentials: Credentials): Promise<Credentials | undefined> {
  const { sdk, settings, server, fetch } = renewal;
  const refreshToken = getTokens(credentials)?.refresh;
  if (refreshToken === undefined) return undefined;
  const { resourceMetadataUrl } = credentials;
  const { url, issuer, metadata, resource } = await findAuthorizationServer(sdk, server, {
    resourceMetadataUrl,
    fetch,
  });
  const client = getConfiguredClient(settings) ?? credentials.issuers[issuer]?.client;
  if (issuer !== credentials.issuer || client === undefined) return undefined;
  try {
    const given = await sdk.refreshAuthorization(url, {
      metadata,
      clientInformation: toClientInformation(client),
      refreshToken,
      fetchFn: fetch,
      ...(resource !== undefined && { resource }),
    });
    return withTokens(credentials, issuer, toTokens(given, getTokens(credentials)));
  } catch (thrown) {
    const code = getOAuthCode(thrown);
    if (code === undefined || temporaryCodes.has(code)) throw thrown;
    return undefined;
  }
}

/** Signs in as the program itself (`client_credentials`). Rejects with the package's errors or a `DuetError`. */
export async function requestClientTokens(
  { sdk, settings, server, fetch }: Renewal,
  credentials: Credentials,
): Promise<Credentials> {
  const { resourceMetadataUrl } = credentials;
  const { url, issuer, metadata, resource } = await findAuthorizationServer(sdk, server, {
    resourceMetadataUrl,
    fetch,
  });
  if (credentials.issuer !== undefined && issuer !== credentials.issuer) {
    throw issuerMismatchError(settings.name, issuer, credentials.issuer);
  }
  const { clientId = "", clientSecret = "", scope } = settings.auth ?? {};
  const provider = new sdk.ClientCredentialsProvider({
    clientId,
    clientSecret,
    clientName: "Duet",
    expectedIssuer: metadata?.issuer ?? url,
    ...(scope !== undefined && { scope }),
  });
  const given = await sdk.fetchToken(provider, url, {
    metadata,
    fetchFn: fetch,
    ...(resource !== undefined && { resource }),
    ...(scope !== undefined && { scope }),
  });
  return withTokens(credentials, issuer, toTokens(given));
}

/** Returns the configured client; undefined when the configuration names none. */
export function getConfiguredClient({ auth }: ServerSettings): OAuthClient | undefined {
  if (auth?.clientId === undefined) return undefined;
  return { id: auth.clientId, ...(auth.clientSecret !== undefined && { secret: auth.clientSecret }) };
}

/** Converts a client to the package's shape. */
export function toClientInformation({ id, secret, authMethod, redirectUris = [] }: OAuthClient) {
  return {
    client_id: id,
    redirect_uris: redirectUris,
    ...(secret !== undefined && { client_secret: secret }),
    ...(authMethod !== undefined && { token_endpoint_auth_method: authMethod }),
  };
}

interface GivenTokens {
  access_token: string;
  refresh_token?: string | undefined;
  scope?: string | undefined;
  expires_in?: number | undefined;
}

/** Converts tokens to our format; fields that a renewal does not repeat keep their old values. */
export function toTokens(given: GivenTokens, before?: Tokens): Tokens {
  const { access_token: access, refresh_token: refresh = before?.refresh, scope = before?.scope, expires_in } = given;
  const expiresAt = expires_in === undefined ? undefined : Date.now() + 1000 * expires_in;
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(scope !== undefined && { scope }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** Returns the credentials without the refused tokens. */
export function removeTokens(credentials: Credentials): Credentials {
  const { issuer } = credentials;
  return issuer === undefined ? credentials : withTokens(credentials, issuer, undefined);
}

type ServerDiscovery = Awaited<ReturnType<Sdk["discoverOAuthServerInfo"]>>;

export interface AuthorizationServer {
  url: string;
  /** Is the key under which its credentials are stored. */
  issuer: string;
  metadata: ServerDiscovery["authorizationServerMetadata"];
  /** Identifies the resource for which tokens are requested (RFC 8707). */
  resource: string | undefined;
}

/** Asks the server where to sign in. Rejects with the package's errors. */
async function findAuthorizationServer(
  sdk: Sdk,
  server: URL,
  { resourceMetadataUrl, fetch }: { resourceMetadataUrl: string | undefined; fetch: FetchLike },
): Promise<AuthorizationServer> {
  const found = await sdk.discoverOAuthServerInfo(server, {
    fetchFn: fetch,
    ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl: new URL(resourceMetadataUrl) }),
  });
  const { authorizationServerUrl: url, authorizationServerMetadata: metadata, resourceMetadata } = found;
  const resource = resourceMetadata?.resource;
  const requestedResource = sdk.resourceUrlFromServerUrl(server);
  if (resource !== undefined && !sdk.checkResourceAllowed({ requestedResource, configuredResource: resource })) {
    throw new Error("Protected resource does not match the server");
  }
  return { url, metadata, resource, issuer: toIssuerKey(metadata?.issuer ?? url) };
}
