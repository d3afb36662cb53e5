import { createHash, timingSafeEqual } from "node:crypto";
import { operator } from "../../../core/caller.ts";
import type { Authenticate } from "./authenticate.ts";

/** By the operator's token or by signing in, whichever there is. Without either, whoever can reach us is the operator. */
export function createAuthenticate(token: string | undefined, signIn: Authenticate | undefined): Authenticate {
  if (token === undefined) return signIn ?? (async () => ({ caller: operator }));
  const byToken = admitByToken(token);
  if (signIn === undefined) return byToken;
  return async (request) => {
    const admission = await byToken(request);
    return "status" in admission ? signIn(request) : admission;
  };
}

/** One token for the operator, in the `Authorization` header only; it is compared in constant time. */
function admitByToken(token: string): Authenticate {
  const expected = digest(token);
  return async (request) => {
    const header = request.headers.get("authorization");
    const given = header === null ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return { caller: operator };
    // RFC 6750, section 3.1: a request without credentials is told the scheme and nothing else.
    const challenge = header === null ? 'Bearer realm="duet"' : 'Bearer realm="duet", error="invalid_token"';
    return {
      status: 401,
      error: "auth",
      text: header === null ? needed : notAccepted,
      headers: { "www-authenticate": challenge },
    };
  };
}

const needed = {
  zh: "需要令牌：Authorization: Bearer 后接 DUET_HTTP_TOKEN 的值",
  en: "a token is needed: Authorization: Bearer and the value of DUET_HTTP_TOKEN",
};

const notAccepted = {
  zh: "令牌不被接受：须为 DUET_HTTP_TOKEN 的值",
  en: "the token is not accepted: it must be the value of DUET_HTTP_TOKEN",
};

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
