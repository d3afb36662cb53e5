import { createHash, timingSafeEqual } from "node:crypto";
import { operator } from "../../../core/caller.ts";
import { tokenPrefix } from "../../../core/store/credentials.ts";
import type { Text } from "../../../kit/locale.ts";
import type { HttpRefusal } from "../response/dialects.ts";
import type { CheckApiToken } from "./check-api-token.ts";
import type { Admission, Authenticate, CheckSession } from "./open-auth.ts";
import { hasCredential, readToken } from "./read-token.ts";

export interface Ways {
  /** Is the operator's own token. */
  token?: string | undefined;
  checkApiToken?: CheckApiToken | undefined;
  /** Checks the tokens of an authorization server, and tells who brings none how to sign in. */
  signIn?: Authenticate | undefined;
  /** Tells who is signed in in the browser that sends a request. */
  checkSession?: CheckSession | undefined;
  /** Is true when nobody is let in without one of these, although the operator has no token. */
  isRequired?: boolean | undefined;
}

/**
 * Accepts the operator's token, an API token, a token of the authorization server or a browser's sign-in, whichever there is. Where
 * nothing is configured and nothing is brought, everybody who can reach the server is the operator.
 */
export function createAuthenticate({ token, checkApiToken, signIn, checkSession, isRequired }: Ways): Authenticate {
  const isOpen = token === undefined && signIn === undefined && isRequired !== true;
  const isOperators = token === undefined ? () => false : createTokenComparison(token);

  async function admitByToken(request: Request): Promise<Admission | HttpRefusal> {
    const given = readToken(request);
    if (given !== undefined && isOperators(given)) return { caller: operator, key: "DUET_HTTP_TOKEN" };
    if (given?.startsWith(tokenPrefix) && checkApiToken !== undefined) return checkApiToken(given, request);
    if (signIn !== undefined) return signIn(request);
    return isOpen ? { caller: operator } : createChallenge(notAccepted[getWay(token)], 'error="invalid_token"');
  }

  return async (request) => {
    // A token that is brought is meant; the cookie that a browser adds is not looked at then.
    if (hasCredential(request)) return admitByToken(request);
    const admission = await checkSession?.(request);
    if (admission !== undefined) return admission;
    if (signIn !== undefined) return signIn(request);
    return isOpen ? { caller: operator } : createChallenge(needed[getWay(token)]);
  };
}

/** Compares in constant time. */
function createTokenComparison(token: string): (given: string) => boolean {
  const expected = computeDigest(token);
  return (given) => timingSafeEqual(computeDigest(given), expected);
}

function computeDigest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** A request without credentials learns the scheme and nothing else (RFC 6750, section 3.1). */
function createChallenge(text: Text, ...error: string[]): HttpRefusal {
  const challenge = `Bearer ${['realm="duet"', ...error].join(", ")}`;
  return { status: 401, error: "auth", text, headers: { "www-authenticate": challenge } };
}

function getWay(token: string | undefined): "operator" | "api" {
  return token === undefined ? "api" : "operator";
}

const needed = {
  operator: {
    zh: "缺少请求头 Authorization（允许：Bearer 后接 DUET_HTTP_TOKEN 的值或 duet tokens create 生成的令牌）",
    en: "the header Authorization is missing (allowed: Bearer, followed by DUET_HTTP_TOKEN or a token of duet tokens create)",
  },
  api: {
    zh: "缺少请求头 Authorization（允许：Bearer 后接 duet tokens create 生成的令牌）",
    en: "the header Authorization is missing (allowed: Bearer, followed by a token of duet tokens create)",
  },
};

const notAccepted = {
  operator: {
    zh: "令牌不被接受（允许：DUET_HTTP_TOKEN 的值或 duet tokens create 生成的令牌）",
    en: "the token is not accepted (allowed: DUET_HTTP_TOKEN or a token of duet tokens create)",
  },
  api: {
    zh: "令牌不被接受（允许：duet tokens create 生成的令牌）",
    en: "the token is not accepted (allowed: a token of duet tokens create)",
  },
};
