import type { Caller } from "../../../core/caller.ts";
import {
  type ApiToken,
  type Credentials,
  findTokenState,
  hashSecret,
  type TokenScope,
} from "../../../core/store/credentials.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { DuetError } from "../../../kit/errors.ts";
import type { Text } from "../../../kit/locale.ts";
import type { HttpRefusal } from "../response/dialects.ts";
import type { Admission } from "./open-auth.ts";

export interface ApiTokenOptions {
  credentials(): Promise<Credentials>;
  /** Returns milliseconds since 1970. */
  now(): number;
}

/** Tells who brings an API token, or why nobody is let in with it. */
export type CheckApiToken = (token: string, request: Request) => Promise<Admission | HttpRefusal>;

/** Is how often the use of a token is noted, in milliseconds. */
const noteUseMs = 60_000;

/**
 * Checks the tokens that `duet tokens` makes. A token is found by its hash, so that no comparison takes longer for a better guess,
 * and each request looks into the store: what another process has made or revoked counts at once.
 */
export function createApiTokenCheck({ credentials, now }: ApiTokenOptions): CheckApiToken {
  async function noteUse({ hash, lastUsedAt }: ApiToken): Promise<void> {
    const time = now();
    if (lastUsedAt !== undefined && time - Date.parse(lastUsedAt) < noteUseMs) return;
    await (await credentials()).tokens.recordUse(hash, new Date(time).toISOString());
  }

  async function check(token: string, request: Request): Promise<Admission | HttpRefusal> {
    const { tokens } = await credentials();
    const found = await tokens.find(hashSecret(token));
    if (found === undefined) return createTokenRefusal(unknown);
    const state = findTokenState(found, new Date(now()).toISOString());
    if (state === "revoked") return createTokenRefusal(describeRevoked(found));
    if (state === "expired") return createTokenRefusal(describeExpired(found));
    if (found.scope === "read" && !isReading(request)) return createScopeRefusal(found);
    void ignoreRejection(noteUse(found), "the time of the last use is a help, and the next use notes it again");
    return { caller: toTokenCaller(found), key: found.name };
  }

  return async (token, request) => {
    try {
      return await check(token, request);
    } catch (thrown) {
      if (thrown instanceof DuetError) return storeUnavailable;
      throw thrown;
    }
  };
}

/** Nobody is let in who might have been locked out. */
export const storeUnavailable: HttpRefusal = {
  status: 503,
  text: {
    zh: "暂时无法读取存储，不能核对令牌，请稍后再试",
    en: "the store cannot be read at the moment, so tokens cannot be checked; try again later",
  },
  headers: { "retry-after": "10" },
};

/** Whoever holds a token is its owner's; that of the operator is the operator. */
export function toTokenCaller({ scope, owner, tools }: Pick<ApiToken, "scope" | "owner" | "tools">): Caller {
  return { ...(scope === "operate" ? {} : { owner }), ...(tools === undefined ? {} : { tools }) };
}

/** Returns true for requests that change nothing, cost nothing and call no model. */
function isReading({ method, url }: Request): boolean {
  return method === "GET" || method === "HEAD" || countsTokens.test(new URL(url).pathname);
}

/** Matches the one path whose POST only reads. */
const countsTokens = /^\/v1\/messages\/count_tokens\/*$/;

const unknown: Text = { zh: "API 令牌不存在", en: "there is no such API token" };

function describeRevoked({ name }: ApiToken): Text {
  return { zh: `API 令牌 ${name} 已撤销`, en: `the API token ${name} has been revoked` };
}

function describeExpired({ name, expiresAt = "" }: ApiToken): Text {
  return { zh: `API 令牌 ${name} 已于 ${expiresAt} 过期`, en: `the API token ${name} expired at ${expiresAt}` };
}

function createTokenRefusal(text: Text): HttpRefusal {
  const hint = {
    zh: "请向运行此服务的人索取新令牌（duet tokens create）。",
    en: "Ask whoever runs this server for a new one (duet tokens create).",
  };
  const challenge = `Bearer realm="duet", error="invalid_token", error_description="${text.en}"`;
  return { status: 401, error: "auth", text, hint, headers: { "www-authenticate": challenge } };
}

function createScopeRefusal({ name, scope }: ApiToken): HttpRefusal {
  const needed: TokenScope = "ask";
  return {
    status: 403,
    error: "forbidden",
    text: {
      zh: `API 令牌 ${name} 的权限是 ${scope}，只能读取（需要：${needed}）`,
      en: `the API token ${name} has the scope ${scope}, which only reads (needed: ${needed})`,
    },
    headers: { "www-authenticate": `Bearer realm="duet", error="insufficient_scope", scope="${needed}"` },
  };
}
