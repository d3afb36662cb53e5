import { createHash } from "node:crypto";
import type { AuthInfo } from "@modelcontextprotocol/server";
import type { JWTPayload } from "jose";
import type { Caller } from "../../../core/caller.ts";
import { DuetError } from "../../../kit/errors.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { isSecureAddress } from "../../../kit/net/secure-address.ts";
import type { HttpRefusal } from "../response/dialects.ts";
import { type AuthSettings, type Clock, systemClock } from "./auth-settings.ts";
import type { CheckToken, Claims } from "./check-token.ts";
import { InvalidTokenError } from "./invalid-token-error.ts";
import { readToken } from "./read-token.ts";

export interface AuthOptions {
  /** Is the public address of `/mcp`, and ends with that path. */
  resource: string;
  locale: Locale;
  /** Writes one line for the operator. */
  log(line: string): void;
  clock?: Clock | undefined;
}

export interface Auth {
  authenticate: Authenticate;
  /** Tells who is signed in in the browser that sends a request. */
  checkSession?: CheckSession | undefined;
  /** Lists the pages that say how to sign in. */
  routes: OpenPages;
  /** Holds the pages to which a browser sends a form for that. */
  forms?: OpenPages | undefined;
}

/** Limits a token, in characters; no issuer makes longer ones. */
const longestToken = 16_384;

/**
 * Creates the OAuth 2.1 resource server that MCP requires: each caller brings a token that the configured issuer made for this
 * server. The token is read here and goes no further. Throws a `config` error for an address on which tokens could be overheard.
 */
export function openAuth(settings: AuthSettings, { resource, locale, log, clock = systemClock }: AuthOptions): Auth {
  if (!isSecureAddress(new URL(resource))) throw insecureAddressError(resource);
  const challenge: Challenge = { metadata: toMetadataAddress(resource), scopes: settings.scopes };
  let opened: Promise<CheckToken> | undefined;

  async function openCheck(): Promise<CheckToken> {
    const { createTokenCheck } = await import("./check-token.ts");
    const audience = settings.audience ?? resource;
    return createTokenCheck({
      settings,
      audience,
      clock,
      onChange: (problem) => log(say(locale, describeKeyProblem(problem))),
    });
  }

  async function check(token: string, signal: AbortSignal): Promise<Admission | HttpRefusal> {
    opened ??= openCheck();
    const claims = await (await opened)(token, signal);
    const scopes = readScopes(claims);
    const missing = settings.scopes.filter((scope) => !scopes.includes(scope));
    if (missing.length > 0) return toScopeChallenge(challenge, missing);
    return {
      caller: { owner: toOwner(claims.iss, claims.sub), tools: listScopeTools(scopes, settings) },
      authInfo: toAuthInfo(claims, scopes),
    };
  }

  return {
    routes: createMetadataPages(settings, resource),
    async authenticate(request) {
      const token = readToken(request);
      if (token === undefined) return toSignInChallenge(challenge);
      if (token.length > longestToken) return toInvalidTokenChallenge(challenge, tooLong);
      try {
        return await check(token, request.signal);
      } catch (thrown) {
        if (thrown instanceof InvalidTokenError) return toInvalidTokenChallenge(challenge, thrown.text);
        if (thrown instanceof DuetError || request.signal.aborted) return keysUnavailable;
        throw thrown;
      }
    },
  };

  function describeKeyProblem(problem: DuetError | undefined) {
    const { issuer } = settings;
    if (problem === undefined)
      return { zh: `又能获取 ${issuer} 的公钥了`, en: `the keys of ${issuer} are available again` };
    const { zh, en } = problem.text;
    return {
      zh: `无法获取 ${issuer} 的公钥，暂时没有人能登录：${zh}`,
      en: `the keys of ${issuer} cannot be fetched, so nobody can sign in for now: ${en}`,
    };
  }
}

/** The same person of the same issuer always gets the same owner, which does not reveal the person. */
export function toOwner(issuer: string, subject: string): string {
  return createHash("sha256")
    .update(JSON.stringify([issuer, subject]))
    .digest("base64url");
}

/** Leaves the token out, so that no later code can pass it on. */
function toAuthInfo(claims: Claims, scopes: string[]) {
  const client = claims.client_id ?? claims.azp;
  return { token: "", clientId: typeof client === "string" ? client : claims.sub, scopes, expiresAt: claims.exp };
}

const tooLong = { zh: "令牌过长", en: "it is too long" };

function insecureAddressError(resource: string): DuetError {
  const place = `serve.http.publicUrl: ${JSON.stringify(resource.replace(/\/mcp$/, ""))}`;
  return new DuetError({
    code: "config",
    text: {
      zh: `${place} 不安全：登录令牌会以明文传送（允许：https 地址，或本机地址）`,
      en: `${place} is not safe for tokens (allowed: an https address, or one of this machine)`,
    },
    hint: {
      zh: "请把 serve.http.publicUrl 设为其他人访问本服务所用的 https 地址。",
      en: "Set serve.http.publicUrl to the https address under which others reach this server.",
    },
  });
}

const wellKnown = "/.well-known/oauth-protected-resource";

/**
 * Returns where clients read how to sign in. The address is next to the resource, so that a proxy that forwards one also
 * forwards the other.
 */
export function toMetadataAddress(resource: string): string {
  return resource.replace(/\/mcp$/, `${wellKnown}/mcp`);
}

/** Creates the pages that say how to sign in (RFC 9728), by path. */
export function createMetadataPages(settings: AuthSettings, resource: string): OpenPages {
  const scopes = listSupportedScopes(settings);
  const metadata = {
    resource,
    authorization_servers: [settings.issuer],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ["header"],
    resource_name: "Duet",
  };
  const serveMetadata = (): Response => Response.json(metadata);
  return { [wellKnown]: serveMetadata, [`${wellKnown}/mcp`]: serveMetadata };
}

/** Holds what `WWW-Authenticate` says beside the error: where to learn how to sign in, and which scopes to request. */
export interface Challenge {
  metadata: string;
  scopes: readonly string[];
}

/** A request without credentials only learns how to sign in (RFC 6750, section 3.1). */
export function toSignInChallenge(challenge: Challenge): HttpRefusal {
  return createRefusal(401, { zh: "需要登录", en: "sign in first" }, challenge);
}

function toInvalidTokenChallenge(challenge: Challenge, why: Text): HttpRefusal {
  const text = { zh: `令牌不被接受：${why.zh}`, en: `the token is not accepted: ${why.en}` };
  return createRefusal(401, text, challenge, { error: "invalid_token", error_description: why.en });
}

export function toScopeChallenge(challenge: Challenge, missing: readonly string[]): HttpRefusal {
  const names = missing.join(" ");
  const text = { zh: `令牌缺少权限范围：${names}`, en: `the token lacks the scopes: ${names}` };
  return createRefusal(403, text, challenge, { error: "insufficient_scope" });
}

/** The client need not sign in again because of this error. */
export const keysUnavailable: HttpRefusal = {
  status: 503,
  text: { zh: "暂时无法核对令牌，请稍后再试", en: "tokens cannot be checked at the moment; try again later" },
  headers: { "retry-after": "10" },
};

function createRefusal(
  status: number,
  text: Text,
  { metadata, scopes }: Challenge,
  error: Record<string, string> = {},
): HttpRefusal {
  const parameters = {
    ...error,
    resource_metadata: metadata,
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
  };
  const written = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  const code = status === 403 ? "forbidden" : "auth";
  return { status, error: code, text, headers: { "www-authenticate": `Bearer ${written.join(", ")}` } };
}

/** Reads the scopes of a token: `scope` of RFC 9068, or `scp`, as text or as a list, which some issuers use. */
export function readScopes({ scope, scp }: JWTPayload): string[] {
  const written = scope ?? scp;
  const words = Array.isArray(written) ? written : typeof written === "string" ? written.split(" ") : [];
  return words.filter((word) => typeof word === "string" && word !== "");
}

/**
 * Lists the patterns of the tools that these scopes allow, in the configuration's order. Returns undefined when no scope limits
 * tools.
 */
export function listScopeTools(
  scopes: readonly string[],
  { tools }: Pick<AuthSettings, "tools">,
): string[] | undefined {
  if (tools === undefined) return undefined;
  const opened = Object.entries(tools).filter(([scope]) => scopes.includes(scope));
  return [...new Set(opened.flatMap(([, patterns]) => patterns))];
}

export function listSupportedScopes({ scopes, tools = {} }: Pick<AuthSettings, "scopes" | "tools">): string[] {
  return [...new Set([...scopes, ...Object.keys(tools)])];
}

/** Describes the caller, as far as the credentials say. */
export interface Admission {
  caller: Caller;
  /** Names the key that was given, for settings that are about single keys. A sign-in has none. */
  key?: string | undefined;
  /** Is what the SDK passes to tools as `context.http.authInfo`. */
  authInfo?: AuthInfo;
}

/** Tells who sends a request, or why it is refused (401 or 403 with `WWW-Authenticate`). */
export type Authenticate = (request: Request) => Promise<Admission | HttpRefusal>;

/** Tells who is signed in in the browser that sends a request. Resolves with undefined when nobody is. */
export type CheckSession = (request: Request) => Promise<Admission | HttpRefusal | undefined>;

/** Holds the pages by path that anybody may read, signed in or not: the metadata of a protected resource. */
export type OpenPages = Readonly<Record<string, (request: Request, address: string) => Response | Promise<Response>>>;
