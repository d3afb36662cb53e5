import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { serveSchema } from "../../../../../src/config/schema/file-schema.ts";
import { toOwner } from "../../../../../src/server/http/auth/open-auth.ts";
import { createAttempt, readAttempt } from "../../../../../src/server/http/auth/sign-in/attempt.ts";
import { createCookies } from "../../../../../src/server/http/auth/sign-in/cookies.ts";
import { createSessions } from "../../../../../src/server/http/auth/sign-in/sessions.ts";
import { createMemoryCredentials } from "../../../../../src/store/memory/credentials.ts";
import { type HttpDuet, openHttpDuet, startHttpDuet } from "../../../../fakes/http-duet.ts";
import { json, signingKey } from "../../../../fakes/issuer.ts";
import { type OpenIdIssuer, openOpenIdIssuer, startOpenIdIssuer } from "../../../../fakes/openid-issuer.ts";
import { temporaryFolder } from "../../../../fakes/program.ts";
import { type Browser, createBrowser } from "./browser.ts";

const question = { message: "Say it." };
const secret = "secretoftheclient0123";

const memory = { conversations: { store: "memory" } };

function toOptions(issuer: OpenIdIssuer, home: string, auth: Record<string, unknown> = {}, more = {}) {
  return {
    turns: [{ text: "Said." }, { text: "Said." }],
    settings: {
      conversations: { store: "disk" },
      serve: { http: { auth: { issuer: issuer.url, signIn: { clientId: "duet" }, ...auth } } },
      ...more,
    },
    environment: { HOME: home, DUET_HOME: home, DUET_SIGN_IN_SECRET: secret },
  };
}

async function start(auth?: Record<string, unknown>) {
  const [issuer, home] = await Promise.all([openOpenIdIssuer(), temporaryFolder()]);
  const duet = await startHttpDuet(toOptions(issuer, home, auth));
  return { issuer, home, duet, ...duet, browser: createBrowser() };
}

/** Goes through the whole sign-in; gives the last answer, which leads back. */
async function signIn(
  browser: Browser,
  origin: string,
  issuer: OpenIdIssuer,
  person?: Record<string, unknown>,
  to = "",
) {
  const begun = await browser.visit(`${origin}/signin/start${to}`);
  return browser.visit(issuer.signIn(begun.location, person));
}

test("a person signs in, asks with the cookie alone as the owner of their bearer tokens, and signs out at the provider, too", async () => {
  const { issuer, home, origin, browser, lines } = await start();
  const before = await browser.visit(`${origin}/signin`);
  expect([before.status, before.text]).toEqual([200, expect.stringContaining("You are not signed in.")]);
  expect((await browser.fetch("POST", `${origin}/agent/chat`, question)).status).toBe(401);

  const begun = await browser.visit(`${origin}/signin/start?to=${encodeURIComponent("/#conversation=conv-1")}`);
  const asked = new URL(begun.location ?? "");
  expect([begun.status, asked.origin, asked.pathname]).toEqual([303, issuer.url, "/authorize"]);
  expect(Object.fromEntries(asked.searchParams)).toMatchObject({
    ...{ response_type: "code", client_id: "duet", redirect_uri: `${origin}/signin/callback` },
    ...{ scope: "openid profile email", code_challenge_method: "S256" },
  });
  const done = await browser.visit(issuer.signIn(begun.location));
  expect([done.status, done.location]).toEqual([303, `${origin}/#conversation=conv-1`]);
  expect(done.set[0]).toMatch(/^duet-\d+-session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/);
  expect([...browser.cookies.keys()]).toEqual([done.set[0]?.split("=")[0]]);
  expect(issuer.exchanges[0]?.authorization).toBe(`Basic ${Buffer.from(`duet:${secret}`).toString("base64")}`);

  expect((await browser.fetch("POST", `${origin}/agent/chat`, question)).status).toBe(200);
  const bearer = { authorization: `Bearer ${await issuer.token(`${origin}/mcp`)}` };
  const list = await createBrowser().send("GET", `${origin}/agent/conversations`, bearer);
  expect(JSON.parse(list.text).conversations).toHaveLength(1);
  expect(JSON.parse((await browser.fetch("GET", `${origin}/signin/session`)).text)).toMatchObject({
    provider: new URL(issuer.url).host,
    person: { name: "Anna" },
  });
  const page = await browser.visit(`${origin}/signin`);
  expect(page.text).toContain("Signed in as Anna");
  expect(page.headers.get("content-security-policy")).toContain(`form-action 'self' ${issuer.url};`);

  const files = await Promise.all(["duet.db", "duet.db-wal"].map((name) => readFile(join(home, name), "latin1")));
  const [cookie = ""] = browser.cookies.values();
  for (const kept of [cookie, "access-token-of-the-provider", "refresh-token-of-the-provider", secret])
    expect([kept, files.join().includes(kept), lines.join().includes(kept)]).toEqual([kept, false, false]);

  const out = await browser.fetch("POST", `${origin}/signin/out`);
  const place = new URL(out.location ?? "");
  expect([out.status, place.origin + place.pathname]).toEqual([303, `${issuer.url}/end`]);
  expect(place.searchParams.get("post_logout_redirect_uri")).toBe(`${origin}/signin`);
  expect(browser.cookies.size).toBe(0);
  expect(out.headers.get("clear-site-data")).toBe('"storage"');
  // The cookie that somebody has copied before is worth nothing, either.
  const copied = { cookie: `${done.set[0]?.split(";")[0]}`, "sec-fetch-site": "same-origin" };
  expect((await browser.send("GET", `${origin}/agent/runs`, copied)).status).toBe(401);
});

test("a sign-in outlasts the server, and is none of another issuer", async () => {
  const [issuer, home] = await Promise.all([openOpenIdIssuer(), temporaryFolder()]);
  const browser = createBrowser();
  const first = await openHttpDuet(toOptions(issuer, home));
  await signIn(browser, first.origin, issuer);
  await first.close();
  const [[name = "", value = ""] = []] = browser.cookies;

  async function knock(options: Parameters<typeof startHttpDuet>[0]) {
    const again = await openHttpDuet(options ?? {});
    const cookie = `${name.replace(/\d+/, String(again.port))}=${value}`;
    const { status } = await browser.send("GET", `${again.origin}/agent/runs`, { cookie });
    await again.close();
    return status;
  }
  expect(await knock(toOptions(issuer, home))).toBe(200);
  expect(await knock(toOptions(await openOpenIdIssuer(), home))).toBe(401);
});

test("a sign-in is over at its time, and does not count with two cookies of one name", async () => {
  const credentials = createMemoryCredentials();
  let now = Date.parse("2026-11-26T00:00:00Z");
  const base = "https://duet.example.com";
  const auth = serveSchema.parse({
    http: { auth: { issuer: "https://id.example.com", signIn: { clientId: "duet", duration: 60 } } },
  }).http.auth;
  if (auth?.signIn === undefined) throw new Error("no settings");
  const cookies = createCookies(base);
  const sessions = createSessions({
    ...{ settings: auth, signIn: auth.signIn, cookies, origin: base, challenge: { metadata: "", scopes: [] } },
    credentials: async () => credentials,
    now: () => now,
  });
  const secret = await sessions.begin({ subject: "anna", name: "Anna", scopes: ["openid"], idToken: "x" });
  const knock = (cookie: string) => sessions.check(new Request(`${base}/agent/runs`, { headers: { cookie } }));
  expect(cookies.set(cookies.session, secret, 60)).toBe(
    `__Host-duet-session=${secret}; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure`,
  );
  const cookie = `${cookies.session}=${secret}`;
  now += 59_999;
  expect(await knock(cookie)).toMatchObject({ caller: { owner: toOwner("https://id.example.com", "anna") } });
  expect(await knock(`${cookies.session}=other; ${cookie}`)).toBeUndefined();
  now += 1;
  expect(await knock(cookie)).toBeUndefined();
});

describe("a sign-in is refused", () => {
  let issuer: OpenIdIssuer;
  let duet: HttpDuet;
  beforeAll(async () => {
    issuer = await startOpenIdIssuer();
    duet = await openHttpDuet(toOptions(issuer, "/nowhere", {}, memory));
    return async () => {
      await duet.close();
      await issuer.close();
    };
  });

  test("in a browser in which it was not begun, so that nobody is signed in as somebody else by a link", async () => {
    const browser = createBrowser();
    const exchanges = issuer.exchanges.length;
    const others = await createBrowser().visit(`${duet.origin}/signin/start`);
    const link = issuer.signIn(others.location, { sub: "mallory" });
    const refused = await browser.visit(link);
    expect([refused.status, refused.set]).toEqual([400, []]);
    expect(refused.text).toContain("was not begun in this browser");
    // The same where the browser has begun one of its own.
    await browser.visit(`${duet.origin}/signin/start`);
    expect((await browser.visit(link)).status).toBe(400);
    expect([...browser.cookies.keys()].join()).not.toContain("session");
    expect(issuer.exchanges).toHaveLength(exchanges);
  });

  test("with a code of another sign-in under the state of this one: the provider sees another PKCE verifier", async () => {
    const browser = createBrowser();
    const begin = async (from: Browser) => (await from.visit(`${duet.origin}/signin/start`)).location;
    const mallory = issuer.signIn(await begin(createBrowser()), { sub: "mallory" });
    const own = issuer.signIn(await begin(browser));
    mallory.searchParams.set("state", own.searchParams.get("state") ?? "");
    const refused = await browser.visit(mallory);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("answers invalid_grant")]);
    expect([...browser.cookies.keys()]).toEqual([]);
  });

  test.each([
    ["with the nonce of another sign-in", { nonce: "other" }, "was not made for this sign-in"],
    ["for another client", { aud: "other" }, "was not made for this sign-in"],
    ["by another issuer", { iss: "https://other.example" }, "was not made for this sign-in"],
    ["that has expired", { exp: 1 }, "has expired"],
  ])(
    "when the ID token is one %s, which the page says in plain words and the log in the package's",
    async (_, lies, words) => {
      const browser = createBrowser();
      issuer.lies = lies;
      const refused = await signIn(browser, duet.origin, issuer);
      issuer.lies = {};
      expect([refused.status, [...browser.cookies.keys()]]).toEqual([400, []]);
      const [, said = ""] = /did not succeed: ([^<]*)/.exec(refused.text) ?? [];
      expect(said).toMatch(
        new RegExp(`^the authorization server(?:'|&#39;)s answer cannot be used: its ID token ${words}`),
      );
      expect(duet.lines.at(-1)).toMatch(/a sign-in failed: .* its ID token .* \(.*(?:JWT|claim).*\)$/);
    },
  );

  test("when the ID token is signed by somebody else", async () => {
    const own = [...issuer.keys];
    issuer.keys.unshift(await signingKey("first"));
    const shown = { keys: own.map(({ publicJwk }) => publicJwk) };
    issuer.answers["/keys"] = (response) => json(response, 200, shown);
    const refused = await signIn(createBrowser(), duet.origin, issuer);
    issuer.keys.shift();
    expect([refused.status, refused.set.join()]).toEqual([400, expect.not.stringContaining("session")]);
  });

  test("when it has taken more than ten minutes", () => {
    const { cookie, attempt } = createAttempt("/", 0);
    expect(readAttempt(cookie, 600_000)).toEqual(attempt);
    expect(readAttempt(cookie, 601_000)).toBeUndefined();
  });

  test("when the person lacks a scope that the server requires", async () => {
    const other = await startHttpDuet(toOptions(issuer, "/nowhere", { scopes: ["duet"] }, memory));
    const browser = createBrowser();
    const begun = await browser.visit(`${other.origin}/signin/start`);
    expect(new URL(begun.location ?? "").searchParams.get("scope")).toBe("openid profile email duet");
    issuer.scope = "openid";
    const refused = await browser.visit(issuer.signIn(begun.location));
    issuer.scope = undefined;
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("requires: duet")]);
  });

  test("with words that a person can read when the provider refuses or cannot be reached", async () => {
    const browser = createBrowser();
    const { location } = await browser.visit(`${duet.origin}/signin/start`);
    const state = new URL(location ?? "").searchParams.get("state");
    const denied = await browser.visit(`${duet.origin}/signin/callback?error=access_denied&state=${state}`);
    expect([denied.status, denied.text]).toEqual([400, expect.stringContaining("answers access_denied")]);
    expect(duet.lines.join()).toContain("a sign-in failed: the authorization server answers access_denied");
    const gone = await openOpenIdIssuer();
    const other = await startHttpDuet(toOptions(gone, "/nowhere", {}, memory));
    await gone.close();
    const unreachable = await browser.visit(`${other.origin}/signin/start`);
    expect([unreachable.status, unreachable.text]).toEqual([
      400,
      expect.stringMatching(/The sign-in did not succeed: .*127\.0\.0\.1:\d+/),
    ]);
  });

  test.each(["//evil.example/", "/\\evil.example", "https://evil.example/", "/.//evil.example", "javascript:alert(1)"])(
    "to lead to another server: %s",
    async (to) => {
      const done = await signIn(createBrowser(), duet.origin, issuer, undefined, `?to=${encodeURIComponent(to)}`);
      expect([done.status, done.location?.startsWith(`${duet.origin}/`)]).toEqual([303, true]);
    },
  );
});

test("the cookie is no good in requests that pages of other origins cause, on whatever port, and for none that does not say whence it comes", async () => {
  const { issuer, origin, browser, model } = await start();
  await signIn(browser, origin, issuer);
  const json = { "content-type": "application/json" };
  const body = JSON.stringify(question);
  const ask = (headers: Record<string, string>) =>
    browser.send("POST", `${origin}/agent/chat`, { ...json, ...headers }, body);
  for (const site of ["cross-site", "same-site", "none"])
    expect([site, (await ask({ "sec-fetch-site": site })).status]).toEqual([site, 403]);
  expect((await ask({})).status).toBe(403);
  const read = (site: string) => browser.send("GET", `${origin}/agent/runs`, { "sec-fetch-site": site });
  expect([(await read("same-site")).status, (await read("none")).status]).toEqual([403, 200]);
  const refused = await browser.send("POST", `${origin}/signin/out`, { "sec-fetch-site": "cross-site" });
  expect(refused.status).toBe(403);
  expect(model.requests).toEqual([]);
  // An older browser says it by the origin alone.
  expect((await ask({ origin })).status).toBe(200);
  expect((await browser.fetch("GET", `${origin}/agent/runs`)).status).toBe(200);
});

test("where nobody can sign in, the page says so, and the chat page learns it without an error", async () => {
  const { origin } = await startHttpDuet();
  const browser = createBrowser();
  const page = await browser.send("GET", `${origin}/signin`, { "accept-language": "zh-CN,zh;q=0.9" });
  expect([page.status, page.text]).toEqual([404, expect.stringContaining("这个服务器没有配置登录")]);
  const session = await browser.fetch("GET", `${origin}/signin/session`);
  expect([session.status, JSON.parse(session.text)]).toEqual([200, { provider: null, person: null }]);
});
