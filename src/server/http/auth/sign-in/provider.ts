import * as oidc from "openid-client";
import { waitAbortable } from "../../../../kit/async/timeout.ts";
import { DuetError, getMessage } from "../../../../kit/errors.ts";
import { toText } from "../../../../kit/json.ts";
import type { Text } from "../../../../kit/locale.ts";
import { requestIssuer } from "../../../../kit/net/request-issuer.ts";
import { toShortLine } from "../../../../kit/text/sanitize.ts";
import type { AuthSettings, Clock } from "../auth-settings.ts";
import { createKeyCache } from "../key-cache.ts";
import type { Attempt } from "./attempt.ts";

export interface ProviderOptions {
  settings: AuthSettings;
  signIn: NonNullable<AuthSettings["signIn"]>;
  /** Is absent for a public client. */
  secret: string | undefined;
  redirectUri: string;
  /** Is where the provider sends a browser that it has signed out. */
  signedOutUri: string;
  clock: Clock;
  onChange(problem: DuetError | undefined): void;
}

/** Describes who has signed in. Nothing that lets anybody call the provider is kept. */
export interface Person {
  subject: string;
  name: string;
  scopes: string[];
  idToken: string;
}

/** Signs people in with an OpenID provider. The methods reject with a `DuetError`, with an error of the package, or with the signal's reason. */
export interface Provider {
  /** Returns where the browser has to go to sign in. */
  createAddress(attempt: Attempt, signal: AbortSignal): Promise<URL>;
  /** Returns who has signed in, by the address with which the provider sent the browser back. */
  finish(callback: URL, attempt: Attempt, signal: AbortSignal): Promise<Person>;
  /** Returns where the browser has to go to be signed out there, too, and undefined where the provider has no such place. */
  createSignOutAddress(idToken: string, signal: AbortSignal): Promise<URL | undefined>;
}

/** Limits one request of the package, in seconds. Ours have a shorter limit. */
const limitSeconds = 10;

export function createProvider(options: ProviderOptions): Provider {
  const { settings, signIn, redirectUri, signedOutUri, clock, onChange } = options;
  const requested = [
    ...new Set(["openid", ...signIn.scopes, ...settings.scopes, ...Object.keys(settings.tools ?? {})]),
  ];
  const cache = createKeyCache({ load: () => readMetadata(options), clock, onChange });
  const getConfiguration = async (signal: AbortSignal) => (await cache.current(signal)).keys;

  return {
    async createAddress({ state, nonce, verifier }, signal) {
      return oidc.buildAuthorizationUrl(await getConfiguration(signal), {
        redirect_uri: redirectUri,
        scope: requested.join(" "),
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        state,
        nonce,
      });
    },
    async finish(callback, { state, nonce, verifier }, signal) {
      const configuration = await getConfiguration(signal);
      const checks = {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      };
      const tokens = await waitAbortable(oidc.authorizationCodeGrant(configuration, callback, checks), signal);
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined) throw new Error("there is no ID token");
      const { sub: subject } = claims;
      const fetchOwnName = () => waitAbortable(fetchName(configuration, tokens.access_token, subject), signal);
      const name = findName(claims) ?? (await fetchOwnName()) ?? subject;
      const scopes = tokens.scope === undefined ? requested : tokens.scope.split(" ").filter((scope) => scope !== "");
      return { subject, name: toShortLine(name, 100), scopes, idToken: tokens.id_token };
    },
    async createSignOutAddress(idToken, signal) {
      const configuration = await getConfiguration(signal);
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      return oidc.buildEndSessionUrl(configuration, {
        id_token_hint: idToken,
        post_logout_redirect_uri: signedOutUri,
      });
    },
  };
}

async function readMetadata({ settings, signIn, secret }: ProviderOptions): Promise<oidc.Configuration> {
  const issuer = new URL(settings.issuer);
  const options = {
    // The address of the issuer is checked with the configuration, and each address again before it is called.
    execute: issuer.protocol === "http:" ? [oidc.allowInsecureRequests] : [],
    [oidc.customFetch]: fetchFromIssuer,
    timeout: limitSeconds,
  };
  const configuration = await oidc
    .discovery(issuer, signIn.clientId, undefined, chooseClientAuth(secret), options)
    .catch((cause: unknown) => {
      throw new DuetError({ code: "bad_response", text: describeSignInFailure(cause), cause });
    });
  // The ID token comes straight from the issuer; its signature is checked nevertheless.
  oidc.enableNonRepudiationChecks(configuration);
  return configuration;
}

/** Sends the secret by HTTP Basic, as providers have to support, unless this one says that it takes it in the body alone. */
function chooseClientAuth(secret: string | undefined): oidc.ClientAuth {
  if (secret === undefined) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server;
    const isPost = !methods.includes("client_secret_basic") && methods.includes("client_secret_post");
    return (isPost ? post : basic)(server, client, body, headers);
  };
}

/** Lets the package call the issuer under the rules of the program's other requests. */
async function fetchFromIssuer(url: string, options: oidc.CustomFetchOptions): Promise<Response> {
  const { method, body, headers, signal = AbortSignal.timeout(limitSeconds * 1000) } = options;
  const answer = await requestIssuer({
    url,
    method,
    headers: Object.fromEntries(new Headers(headers)),
    signal,
    ...(body === undefined || body === null ? {} : { body: String(body) }),
  });
  const { "content-encoding": _, "content-length": __, "transfer-encoding": ___, ...rest } = answer.headers;
  const isEmpty = answer.status === 204 || answer.status === 304;
  return new Response(isEmpty ? null : new Uint8Array(answer.body), { status: answer.status, headers: rest });
}

/** Returns how a person is called, by the claims in the order in which people like them. */
function findName(claims: Readonly<Record<string, unknown>>): string | undefined {
  return [claims.name, claims.preferred_username, claims.email].map(toText).find((name) => name.trim() !== "");
}

/** Some providers keep names out of ID tokens. Who has signed in is known without one. */
async function fetchName(
  configuration: oidc.Configuration,
  accessToken: string,
  subject: string,
): Promise<string | undefined> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return undefined;
  try {
    return findName(await oidc.fetchUserInfo(configuration, accessToken, subject));
  } catch {
    return undefined;
  }
}

/** Says why a sign-in has failed. Nothing of a token or a code is in it. */
export function describeSignInFailure(thrown: unknown): Text {
  const own = findOwnError(thrown);
  if (own !== undefined) return own.text;
  if (thrown instanceof oidc.AuthorizationResponseError || thrown instanceof oidc.ResponseBodyError) {
    const code = toShortLine(thrown.error, 100);
    return { zh: `授权服务器回复 ${code}`, en: `the authorization server answers ${code}` };
  }
  const { zh, en } = failures[findCode(thrown) ?? ""] ?? unusable;
  return { zh: `授权服务器的回复不能使用：${zh}`, en: `the authorization server's answer cannot be used: ${en}` };
}

/** Returns what the package says, which is for the operator alone: English, and about its own terms. */
export function describeSignInDetails(thrown: unknown): string | undefined {
  return findOwnError(thrown) === undefined ? toShortLine(getMessage(thrown), 200) : undefined;
}

const unusable: Text = {
  zh: "它不符合 OpenID Connect（运行此服务的人可以在日志中看到原因）",
  en: "it is not what OpenID Connect asks for (the log of this server says why)",
};

const foreignToken: Text = {
  zh: "登录凭证（ID token）不是为这次登录签发的",
  en: "its ID token was not made for this sign-in",
};

/** Says what the package's codes mean for the person who signs in. */
const failures: Readonly<Record<string, Text>> = {
  OAUTH_JWT_CLAIM_COMPARISON_FAILED: foreignToken,
  OAUTH_JWT_TIMESTAMP_CHECK_FAILED: {
    zh: "登录凭证（ID token）已过期，或两台服务器的时钟相差太大",
    en: "its ID token has expired, or the clocks of the two servers differ",
  },
  OAUTH_KEY_SELECTION_FAILED: {
    zh: "登录凭证（ID token）的签名密钥未知",
    en: "its ID token is signed with a key that the server does not list",
  },
  OAUTH_RESPONSE_IS_NOT_JSON: { zh: "它不是 JSON", en: "it is not JSON" },
  OAUTH_PARSE_ERROR: { zh: "它无法读取", en: "it cannot be read" },
  OAUTH_RESPONSE_IS_NOT_CONFORM: { zh: "返回了意外的 HTTP 状态", en: "it has an unexpected HTTP status" },
  OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: {
    zh: "它的 issuer 与配置（serve.http.auth.issuer）不同",
    en: "it names another issuer than the configuration (serve.http.auth.issuer)",
  },
  OAUTH_TIMEOUT: { zh: "它没有及时到达", en: "it did not arrive in time" },
};

/** The package wraps its own errors, too. */
function findCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  return Object.hasOwn(failures, code) ? code : findCode(thrown.cause);
}

/** The package wraps what our requests throw. */
function findOwnError(thrown: unknown): DuetError | undefined {
  if (thrown instanceof DuetError) return thrown;
  return thrown instanceof Error && thrown.cause !== undefined ? findOwnError(thrown.cause) : undefined;
}
