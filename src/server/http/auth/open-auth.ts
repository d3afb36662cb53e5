import { createHash } from "node:crypto";
import type { Caller } from "../../../core/caller.ts";
import { DuetError } from "../../../kit/errors.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { isSecureAddress } from "../../../kit/net/secure-address.ts";
import type { HttpRefusal } from "../response/refusal.ts";
import type { Admission, Authenticate, OpenPages } from "./authenticate.ts";
import {
  type Challenge,
  keysUnavailable,
  toInvalidTokenChallenge,
  toScopeChallenge,
  toSignInChallenge,
} from "./challenge.ts";
import type { CheckToken, Claims } from "./check-token.ts";
import { InvalidTokenError } from "./invalid-token.ts";
import { createMetadataPages, toMetadataAddress } from "./resource-metadata.ts";
import { listScopeTools, readScopes } from "./scopes.ts";
import { type AuthSettings, type Clock, systemClock } from "./settings.ts";

export interface AuthOptions {
  /** The public address of `/mcp`, which ends so. */
  resource: string;
  locale: Locale;
  /** One line for the operator. */
  log(line: string): void;
  clock?: Clock | undefined;
}

export interface Auth {
  authenticate: Authenticate;
  /** Pages that say how to sign in. */
  routes: OpenPages;
}

/** Characters of a token; more than any issuer makes. */
const longestToken = 16_384;

/**
 * The resource server of OAuth 2.1, as MCP wants it: whoever calls brings a token of the configured issuer that is meant for us.
 * The token is read here and goes no further. Throws a `config` error for an address on which tokens could be overheard.
 */
export function openAuth(settings: AuthSettings, { resource, locale, log, clock = systemClock }: AuthOptions): Auth {
  if (!isSecureAddress(new URL(resource))) throw insecure(resource);
  const challenge: Challenge = { metadata: toMetadataAddress(resource), scopes: settings.scopes };
  let opened: Promise<CheckToken> | undefined;

  async function openCheck(): Promise<CheckToken> {
    const { createTokenCheck } = await import("./check-token.ts");
    const audience = settings.audience ?? resource;
    return createTokenCheck({ settings, audience, clock, onChange: (problem) => log(say(locale, keysLine(problem))) });
  }

  async function check(token: string, signal: AbortSignal): Promise<Admission | HttpRefusal> {
    opened ??= openCheck();
    const claims = await (await opened)(token, signal);
    const scopes = readScopes(claims);
    const missing = settings.scopes.filter((scope) => !scopes.includes(scope));
    if (missing.length > 0) return toScopeChallenge(challenge, missing);
    return { caller: callerOf(claims, listScopeTools(scopes, settings)), authInfo: authInfoOf(claims, scopes) };
  }

  return {
    routes: createMetadataPages(settings, resource),
    async authenticate(request) {
      const header = request.headers.get("authorization");
      if (header === null || !/^bearer( |$)/i.test(header)) return toSignInChallenge(challenge);
      const token = header.slice("bearer ".length).trim();
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

  function keysLine(problem: DuetError | undefined) {
    const { issuer } = settings;
    if (problem === undefined)
      return { zh: `又能获取 ${issuer} 的公钥了`, en: `the keys of ${issuer} can be had again` };
    const { zh, en } = problem.text;
    return {
      zh: `无法获取 ${issuer} 的公钥，暂时没有人能登录：${zh}`,
      en: `the keys of ${issuer} cannot be had, so nobody can sign in for now: ${en}`,
    };
  }
}

/** The same person of the same issuer is the same owner; who that is cannot be read from it. */
function callerOf({ iss, sub }: Claims, tools: string[] | undefined): Caller {
  const owner = createHash("sha256")
    .update(JSON.stringify([iss, sub]))
    .digest("base64url");
  return { owner, tools };
}

/** Without the token: nothing behind the door could pass on what it never had. */
function authInfoOf(claims: Claims, scopes: string[]) {
  const client = claims.client_id ?? claims.azp;
  return { token: "", clientId: typeof client === "string" ? client : claims.sub, scopes, expiresAt: claims.exp };
}

const tooLong = { zh: "令牌过长", en: "it is too long" };

function insecure(resource: string): DuetError {
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
