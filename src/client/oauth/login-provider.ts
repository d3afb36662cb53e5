import { randomBytes, timingSafeEqual } from "node:crypto";
import type { OAuthClientMetadata, OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import type { ServerSettings } from "../../config/config.ts";
import type { CredentialOwner, CredentialStore } from "./credential-store.ts";
import { type Credentials, type OAuthClient, toIssuerKey, withClient, withTokens } from "./credentials.ts";
import { issuerMismatchError } from "./oauth-errors.ts";
import { checkBrowserAddress } from "./open-browser.ts";
import { getConfiguredClient, toClientInformation, toTokens } from "./renewal.ts";

export interface LoginParts {
  settings: ServerSettings;
  owner: CredentialOwner;
  store: CredentialStore;
  /** Ends waiting for the store. */
  signal: AbortSignal;
  redirectUrl: string;
}

/** Supplies what the package asks for during one sign-in, and holds its state while the user is at the browser. */
export interface LoginProvider extends OAuthClientProvider {
  /** Holds the address that the user has to open; undefined until the package sets it. */
  readonly authorizationUrl: URL | undefined;
  /** Returns true when a response belongs to this sign-in. */
  isOurs(parameters: URLSearchParams): boolean;
  /** Is true when the authorization server no longer knew our client, so that another attempt may work. */
  readonly isForgotten: boolean;
}

export function createLoginProvider({ settings, owner, store, signal, redirectUrl }: LoginParts): LoginProvider {
  const state = randomBytes(24).toString("base64url");
  const configured = getConfiguredClient(settings);
  const { clientMetadataUrl, scope } = settings.auth ?? {};
  let verifier = "";
  let discovered: OAuthDiscoveryState | undefined;
  let authorizationUrl: URL | undefined;
  let isForgotten = false;

  function change(how: (credentials: Credentials) => Credentials): Promise<void> {
    return store.exclusively(owner, signal, ({ credentials, save }) => save(how(credentials)));
  }

  /** Rejects a client that was registered for another address, which the server would refuse. */
  function isUsable({ id, redirectUris }: OAuthClient): boolean {
    if (clientMetadataUrl !== undefined) return id === clientMetadataUrl;
    return redirectUris === undefined || redirectUris.length === 0 || redirectUris.includes(redirectUrl);
  }

  const clientMetadata: OAuthClientMetadata = {
    client_name: "Duet",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    // A program on the user's machine can keep no secret (RFC 8252, section 8.5).
    token_endpoint_auth_method: "none",
    ...(scope !== undefined && { scope }),
  };

  return {
    redirectUrl,
    clientMetadata,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    get authorizationUrl() {
      return authorizationUrl;
    },
    get isForgotten() {
      return isForgotten;
    },
    isOurs: (parameters) => isSame(parameters.get("state") ?? "", state),
    state: () => state,
    async clientInformation(context) {
      const issuer = context?.issuer;
      if (issuer === undefined) return undefined;
      const { issuers, issuer: before } = await store.read(owner);
      if (configured?.secret !== undefined && before !== undefined && toIssuerKey(issuer) !== before) {
        throw issuerMismatchError(settings.name, issuer, before);
      }
      const client = configured ?? issuers[toIssuerKey(issuer)]?.client;
      if (client === undefined || (client !== configured && !isUsable(client))) return undefined;
      return { ...toClientInformation(client), issuer };
    },
    async saveClientInformation(given, context) {
      if (context === undefined || configured !== undefined) return;
      const client: OAuthClient = { id: given.client_id };
      if (given.client_secret !== undefined) client.secret = given.client_secret;
      if ("token_endpoint_auth_method" in given) client.authMethod = given.token_endpoint_auth_method;
      if ("redirect_uris" in given) client.redirectUris = given.redirect_uris;
      await change((credentials) => withClient(credentials, toIssuerKey(context.issuer), client));
    },
    // A person is here because what there was did not do.
    tokens: () => undefined,
    saveTokens: (given, context) =>
      change((credentials) => {
        const { challenge: _done, ...rest } = credentials;
        const { resourceMetadataUrl = rest.resourceMetadataUrl } = discovered ?? {};
        const known = { ...rest, ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }) };
        return withTokens(known, toIssuerKey(context?.issuer ?? ""), toTokens(given));
      }),
    redirectToAuthorization(url) {
      checkBrowserAddress(url);
      authorizationUrl = url;
    },
    saveCodeVerifier(given) {
      verifier = given;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(given) {
      discovered = given;
    },
    // Before the person is sent away the server is asked anew: it may have moved to another authorization server.
    discoveryState: () => (authorizationUrl === undefined ? undefined : discovered),
    async invalidateCredentials(what) {
      const issuer = discovered?.authorizationServerMetadata?.issuer ?? discovered?.authorizationServerUrl;
      if (issuer === undefined || (what !== "client" && what !== "all")) return;
      isForgotten = true;
      await change((credentials) => withClient(credentials, toIssuerKey(issuer), undefined));
    },
  };
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
