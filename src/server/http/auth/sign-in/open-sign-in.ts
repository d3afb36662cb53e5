import type { Credentials } from "../../../../core/store/credentials.ts";
import { createOnce } from "../../../../kit/async/once.ts";
import { DuetError, getMessage } from "../../../../kit/errors.ts";
import { type Locale, say, type Text } from "../../../../kit/locale.ts";
import { readAcceptedLocale } from "../../request/accepted-locale.ts";
import { HttpRefusalError } from "../../response/refusal.ts";
import { type AuthSettings, type Clock, systemClock } from "../auth-settings.ts";
import { storeUnavailable } from "../check-api-token.ts";
import { type Auth, type OpenPages, toMetadataAddress } from "../open-auth.ts";
import { createAttempt, longestAttempt, readAttempt } from "./attempt.ts";
import { createCookies, readCookie } from "./cookies.ts";
import { isFromOwnPage, toOwnAddress } from "./same-origin.ts";
import { createSessions, crossSite } from "./sessions.ts";
import { renderSignInPage, type SignInView } from "./sign-in-page.ts";

export interface SignInOptions {
  /** Is the public address of `/mcp`, and ends with that path. */
  resource: string;
  /** Is false where nobody has said under which name others reach the server: it is then that of the bound address. */
  isPublic: boolean;
  /** Is the secret of the client that Duet is at the provider. Is absent for a public client. */
  secret: string | undefined;
  credentials(): Promise<Credentials>;
  locale: Locale;
  /** Writes one line for the operator. */
  log(line: string): void;
  clock?: Clock | undefined;
}

/** Lists the pages with which people sign in. */
const paths = {
  page: "/signin",
  start: "/signin/start",
  callback: "/signin/callback",
  out: "/signin/out",
  session: "/signin/session",
} as const;

/** Returns the pages of a server without a sign-in, which say that there is none. */
export function createClosedSignInPages(locale: Locale): OpenPages {
  const addresses = { start: "", out: "", home: "./" };
  return {
    [paths.page]: (request) =>
      renderSignInPage({
        locale: readAcceptedLocale(request.headers.get("accept-language"), locale),
        provider: undefined,
        addresses,
        status: 404,
      }),
    [paths.session]: () => Response.json({ provider: null, person: null }),
  };
}

/**
 * Lets people sign in with the authorization server: OpenID Connect, the code flow with PKCE, state and nonce. The browser gets a
 * cookie of ours, and none of the tokens. Whoever is signed in is the same caller as with an access token of the same person.
 */
export function openSignIn(
  settings: AuthSettings,
  { resource, isPublic, secret, credentials, locale, log, clock = systemClock }: SignInOptions,
): Pick<Auth, "routes"> & Required<Pick<Auth, "checkSession" | "forms">> {
  const { signIn } = settings;
  if (signIn === undefined) throw new Error("there is no sign-in in the settings");
  const base = resource.replace(/\/mcp$/, "");
  const { origin, host } = new URL(base);
  const cookies = createCookies(base);
  const challenge = { metadata: toMetadataAddress(resource), scopes: settings.scopes };
  const sessions = createSessions({ settings, signIn, credentials, cookies, origin, challenge, now: clock.now });
  const openId = createOnce(() => import("./provider.ts"));
  const provider = createOnce(async () =>
    (await openId.get()).createProvider({
      ...{ settings, signIn, secret, clock },
      redirectUri: base + paths.callback,
      signedOutUri: base + paths.page,
      onChange: (problem) => log(say(locale, describeProvider(settings.issuer, problem))),
    }),
  );

  const issuerHost = new URL(settings.issuer).host;
  function show(request: Request, to: string | null, view: Partial<SignInView> = {}): Response {
    const start = `${base}${paths.start}${to === null ? "" : `?${new URLSearchParams({ to })}`}`;
    const addresses = { start, out: base + paths.out, home: toOwnAddress(to, base) };
    return renderSignInPage({
      locale: readAcceptedLocale(request.headers.get("accept-language"), locale),
      provider: issuerHost,
      addresses,
      ...view,
    });
  }

  async function showFailure(request: Request, to: string | null, thrown: unknown): Promise<Response> {
    const { describeSignInFailure, describeSignInDetails } = await openId.get();
    const why = describeSignInFailure(thrown);
    const details = describeSignInDetails(thrown);
    const line = say(locale, { zh: `登录失败：${why.zh}`, en: `a sign-in failed: ${why.en}` });
    log(details === undefined ? line : `${line} (${details})`);
    const text = { zh: `登录没有成功：${why.zh}。`, en: `The sign-in did not succeed: ${why.en}.` };
    const response = show(request, to, { message: { text, isProblem: true }, status: 400 });
    response.headers.append("set-cookie", cookies.remove(cookies.pending));
    return response;
  }

  async function start(request: Request): Promise<Response> {
    const to = new URL(request.url).searchParams.get("to");
    // The provider sends the browser back to one address, and the cookie is to be there.
    if (!isPublic && request.headers.get("host")?.toLowerCase() !== host)
      return toRedirect(`${base}${paths.start}${new URL(request.url).search}`);
    const { attempt, cookie } = createAttempt(to, clock.now());
    try {
      const address = await (await provider.get()).createAddress(attempt, request.signal);
      return toRedirect(address.href, cookies.set(cookies.pending, cookie, longestAttempt));
    } catch (thrown) {
      return showFailure(request, to, thrown);
    }
  }

  async function finish(request: Request): Promise<Response> {
    const attempt = readAttempt(readCookie(request, cookies.pending), clock.now());
    if (attempt === undefined)
      return show(request, null, { message: { text: notBegun, isProblem: true }, status: 400 });
    try {
      const callback = new URL(base + paths.callback + new URL(request.url).search);
      const person = await (await provider.get()).finish(callback, attempt, request.signal);
      const missing = settings.scopes.filter((scope) => !person.scopes.includes(scope));
      if (missing.length > 0) return refuseScopes(request, attempt.to, missing);
      await sessions.end(request);
      return toRedirect(
        toOwnAddress(attempt.to, base),
        cookies.set(cookies.session, await sessions.begin(person), signIn?.duration ?? 0),
        cookies.remove(cookies.pending),
      );
    } catch (thrown) {
      return showFailure(request, attempt.to, thrown);
    }
  }

  function refuseScopes(request: Request, to: string | null, missing: readonly string[]): Response {
    const names = missing.join(" ");
    const text = {
      zh: `你没有所需的权限范围：${names}`,
      en: `You lack the scopes that this server requires: ${names}`,
    };
    return show(request, to, { message: { text, isProblem: true }, status: 403 });
  }

  async function showPage(request: Request): Promise<Response> {
    const to = new URL(request.url).searchParams.get("to");
    const session = await sessions.find(request);
    if (session === undefined) return show(request, to);
    const person = { name: session.name, until: renderTime(session.expiresAt) };
    // Browsers hold the redirect after a form to the page's policy, too.
    const place = await findSignOutAddress(session.idToken, request.signal);
    return show(request, to, { person, formOrigins: place === undefined ? [] : [place.origin] });
  }

  /** Whoever cannot be signed out at the provider is at least signed out here. */
  async function findSignOutAddress(idToken: string, signal: AbortSignal): Promise<URL | undefined> {
    try {
      return await (await provider.get()).createSignOutAddress(idToken, signal);
    } catch (thrown) {
      log(say(locale, describeNoSignOut(getMessage(thrown))));
      return undefined;
    }
  }

  async function signOut(request: Request): Promise<Response> {
    if (!isFromOwnPage(request, origin)) throw new HttpRefusalError(crossSite);
    const session = await sessions.end(request);
    const place = session && (await findSignOutAddress(session.idToken, request.signal));
    const left = toRedirect(place?.href ?? base + paths.page, cookies.remove(cookies.session));
    // What the page has kept for this person is for nobody else.
    left.headers.set("clear-site-data", '"storage"');
    return left;
  }

  async function showSession(request: Request): Promise<Response> {
    const session = isFromOwnPage(request, origin) ? await sessions.find(request) : undefined;
    const person = session === undefined ? null : { name: session.name, until: session.expiresAt };
    return Response.json({ provider: issuerHost, person });
  }

  function createPage(serve: (request: Request) => Promise<Response>): (request: Request) => Promise<Response> {
    return async (request) => {
      try {
        return await serve(request);
      } catch (thrown) {
        if (thrown instanceof DuetError) throw new HttpRefusalError(storeUnavailable);
        throw thrown;
      }
    };
  }

  return {
    checkSession: sessions.check,
    routes: {
      [paths.page]: createPage(showPage),
      [paths.start]: start,
      [paths.callback]: finish,
      [paths.session]: createPage(showSession),
    },
    forms: { [paths.out]: createPage(signOut) },
  };
}

function toRedirect(address: string, ...cookies: string[]): Response {
  const headers = new Headers({ location: address });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}

/** Says the time in UTC, because the server does not know the reader's clock. */
function renderTime(time: string): string {
  return `${time.slice(0, 16).replace("T", " ")} UTC`;
}

const notBegun: Text = {
  zh: "这次登录不是在这个浏览器里开始的，或已超过时间；请重新登录。",
  en: "This sign-in was not begun in this browser, or took too long; sign in again.",
};

function describeProvider(issuer: string, problem: DuetError | undefined): Text {
  if (problem === undefined) return { zh: `又能从 ${issuer} 登录了`, en: `people can sign in with ${issuer} again` };
  const { zh, en } = problem.text;
  return { zh: `无法读取 ${issuer} 的元数据：${zh}`, en: `the metadata of ${issuer} cannot be read: ${en}` };
}

function describeNoSignOut(why: string): Text {
  return {
    zh: `不能在授权服务器上退出登录：${why}`,
    en: `somebody cannot be signed out at the authorization server: ${why}`,
  };
}
