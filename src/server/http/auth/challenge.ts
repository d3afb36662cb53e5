import type { Text } from "../../../kit/locale.ts";
import type { HttpRefusal } from "../response/refusal.ts";

/** What stands in `WWW-Authenticate` beside the error: where to learn how to sign in, and which scopes to ask for. */
export interface Challenge {
  metadata: string;
  scopes: readonly string[];
}

/** Without credentials nothing is said but how to sign in (RFC 6750, section 3.1). */
export function toSignInChallenge(challenge: Challenge): HttpRefusal {
  return refusal(401, { zh: "需要登录", en: "sign in first" }, challenge);
}

export function toInvalidTokenChallenge(challenge: Challenge, why: Text): HttpRefusal {
  const text = { zh: `令牌不被接受：${why.zh}`, en: `the token is not accepted: ${why.en}` };
  return refusal(401, text, challenge, { error: "invalid_token", error_description: why.en });
}

export function toScopeChallenge(challenge: Challenge, missing: readonly string[]): HttpRefusal {
  const names = missing.join(" ");
  const text = { zh: `令牌缺少权限范围：${names}`, en: `the token lacks the scopes: ${names}` };
  return refusal(403, text, challenge, { error: "insufficient_scope" });
}

/** Nobody is to sign in anew because of it. */
export const keysUnavailable: HttpRefusal = {
  status: 503,
  text: { zh: "暂时无法核对令牌，请稍后再试", en: "tokens cannot be checked at the moment; try again later" },
  headers: { "retry-after": "10" },
};

function refusal(
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
  return { status, error: "auth", text, headers: { "www-authenticate": `Bearer ${written.join(", ")}` } };
}
