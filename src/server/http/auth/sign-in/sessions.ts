import { type Credentials, createSecret, hashSecret, type SignInSession } from "../../../../core/store/credentials.ts";
import { DuetError } from "../../../../kit/errors.ts";
import type { HttpRefusal } from "../../response/dialects.ts";
import type { AuthSettings } from "../auth-settings.ts";
import { storeUnavailable } from "../check-api-token.ts";
import { type Challenge, type CheckSession, listScopeTools, toOwner, toScopeChallenge } from "../open-auth.ts";
import { type Cookies, readCookie } from "./cookies.ts";
import type { Person } from "./provider.ts";
import { isFromOwnPage } from "./same-origin.ts";

export interface SessionsOptions {
  settings: AuthSettings;
  signIn: NonNullable<AuthSettings["signIn"]>;
  credentials(): Promise<Credentials>;
  cookies: Cookies;
  /** Is the origin of this server's own pages. */
  origin: string;
  challenge: Challenge;
  /** Returns milliseconds since 1970. */
  now(): number;
}

/** Keeps the browsers in which people are signed in. The cookie holds a secret, and the store its hash. */
export interface Sessions {
  readonly check: CheckSession;
  /** Returns the session of a browser, and undefined when it has none or it is over. Rejects with a `DuetError`. */
  find(request: Request): Promise<SignInSession | undefined>;
  /** Begins a session. Returns what the cookie has to hold. */
  begin(person: Person): Promise<string>;
  /** Ends the session of a browser, and returns it. */
  end(request: Request): Promise<SignInSession | undefined>;
}

export function createSessions(options: SessionsOptions): Sessions {
  const { settings, signIn, credentials, cookies, origin, challenge, now } = options;

  async function find(request: Request): Promise<SignInSession | undefined> {
    const secret = readCookie(request, cookies.session);
    if (secret === undefined) return undefined;
    const session = await (await credentials()).sessions.find(hashSecret(secret));
    if (session === undefined || session.issuer !== settings.issuer) return undefined;
    return session.expiresAt <= new Date(now()).toISOString() ? undefined : session;
  }

  async function check(request: Request): ReturnType<CheckSession> {
    const session = await find(request);
    if (session === undefined) return undefined;
    if (!isFromOwnPage(request, origin)) return crossSite;
    const { issuer, subject, scopes, expiresAt } = session;
    const missing = settings.scopes.filter((scope) => !scopes.includes(scope));
    if (missing.length > 0) return toScopeChallenge(challenge, missing);
    return {
      caller: { owner: toOwner(issuer, subject), tools: listScopeTools(scopes, settings) },
      authInfo: {
        token: "",
        clientId: signIn.clientId,
        scopes: [...scopes],
        expiresAt: Math.floor(Date.parse(expiresAt) / 1000),
      },
    };
  }

  return {
    find,
    async check(request) {
      try {
        return await check(request);
      } catch (thrown) {
        if (thrown instanceof DuetError) return storeUnavailable;
        throw thrown;
      }
    },
    async begin(person) {
      const secret = createSecret();
      const begun = now();
      await (await credentials()).sessions.add({
        ...person,
        hash: hashSecret(secret),
        issuer: settings.issuer,
        createdAt: new Date(begun).toISOString(),
        expiresAt: new Date(begun + signIn.duration * 1000).toISOString(),
      });
      return secret;
    },
    async end(request) {
      const session = await find(request);
      if (session !== undefined) await (await credentials()).sessions.remove(session.hash);
      return session;
    },
  };
}

/** Refuses what another page has made the browser send (CSRF). */
export const crossSite: HttpRefusal = {
  status: 403,
  error: "forbidden",
  text: {
    zh: "登录 cookie 只用于本服务自己的网页发出的请求（Sec-Fetch-Site: same-origin，或 Origin 为本服务）；程序请使用令牌",
    en: "the sign-in cookie is for requests of this server's own page alone (Sec-Fetch-Site: same-origin, or its Origin); programs use a token",
  },
};
