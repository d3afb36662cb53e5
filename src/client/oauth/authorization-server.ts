import type { FetchLike } from "@modelcontextprotocol/client";
import type { Sdk } from "../sdk.ts";
import { toIssuerKey } from "./credentials.ts";

type Discovered = Awaited<ReturnType<Sdk["discoverOAuthServerInfo"]>>;

/** The authorization server that a server names. */
export interface AuthorizationServer {
  url: string;
  /** What credentials of it are kept under. */
  issuer: string;
  metadata: Discovered["authorizationServerMetadata"];
  /** What tokens are asked for (RFC 8707). */
  resource: string | undefined;
}

/** Asks the server where to sign in. Rejects with the package's errors. */
export async function findAuthorizationServer(
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
