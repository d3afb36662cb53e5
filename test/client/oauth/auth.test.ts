import { expect, test, vi } from "vitest";
import { type CredentialStore, createCredentialStore } from "../../../src/client/oauth/credential-store.ts";
import { createOAuthFetch } from "../../../src/client/oauth/oauth-fetch.ts";
import { toBrowserCommand } from "../../../src/client/oauth/open-browser.ts";
import { createServerRedact, extendRedact } from "../../../src/client/redact.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { type FakeAuthorization, startAuthorization } from "../../fakes/authorization-server.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { countSockets, startListener } from "../../tools/outgoing/servers.ts";
import { open, protectedBy, signIn, whoami } from "./signing-in.ts";

const refreshes = ({ tokenRequests }: FakeAuthorization): number =>
  tokenRequests.filter((form) => form.get("grant_type") === "refresh_token").length;

/** Somebody who has signed in and whose access token is over. */
async function expired(home?: string): Promise<{ fake: FakeAuthorization; store: CredentialStore }> {
  const fake = await startAuthorization();
  const store = createCredentialStore(home);
  await signIn(protectedBy(fake.url), store);
  fake.accepted.clear();
  return { fake, store };
}

test("a token that the server takes no more is renewed on the way, again and again", async () => {
  const { fake, store } = await expired();
  const running = await open(protectedBy(fake.url), store);
  expect(await whoami(running)).toMatchObject({ content: [{ text: "you" }] });
  fake.accepted.clear();
  expect(await whoami(running)).toMatchObject({ content: [{ text: "you" }] });
  expect(refreshes(fake)).toBe(2);
  await running.session.close();
});

test("a token that is known to be over is renewed before it is sent", async () => {
  const { fake, store } = await expired();
  const owner = { name: "web", url: fake.url };
  await store.exclusively(owner, AbortSignal.timeout(5000), async ({ credentials, save }) => {
    const [issuer = "", known] = Object.entries(credentials.issuers)[0] ?? [];
    const tokens = { access: "CANARY-old", ...known?.tokens, expiresAt: 1 };
    await save({ ...credentials, issuers: { [issuer]: { ...known, tokens } } });
  });
  const running = await open(protectedBy(fake.url), store);
  expect(await whoami(running)).toMatchObject({ content: [{ text: "you" }] });
  expect(refreshes(fake)).toBe(1);
  await running.session.close();
});

test("calls side by side, and processes side by side, renew once", async () => {
  const home = await temporaryFolder();
  const { fake } = await expired(home);
  const sessions = await Promise.all([1, 2, 3].map(() => open(protectedBy(fake.url), createCredentialStore(home))));
  expect(refreshes(fake)).toBe(1);
  fake.accepted.clear();
  await Promise.all([...sessions, ...sessions].map(whoami));
  expect(refreshes(fake)).toBe(2);
  await Promise.all(sessions.map(({ session }) => session.close()));
});

test("a renewal that another machine may be doing by now sends nothing", async () => {
  const { fake, store } = await expired();
  const signal = AbortSignal.abort(new DuetError({ code: "overloaded", text: { zh: "已失去", en: "lost" } }));
  const losing: CredentialStore = {
    ...store,
    exclusively: (owner, patience, work) => store.exclusively(owner, patience, (held) => work({ ...held, signal })),
  };
  await expect(open(protectedBy(fake.url), losing)).rejects.toMatchObject({ code: "overloaded" });
  expect(refreshes(fake)).toBe(0);
  const running = await open(protectedBy(fake.url), store);
  expect(await whoami(running)).toMatchObject({ content: [{ text: "you" }] });
  await running.session.close();
});

test("a renewal that is refused asks for a person, and the refused tokens are gone", async () => {
  const home = await temporaryFolder();
  const { fake, store } = await expired(home);
  fake.quirks.token = () => ({ status: 400, body: { error: "invalid_grant", error_description: "CANARY-said" } });
  await expect(open(protectedBy(fake.url), store)).rejects.toMatchObject({
    code: "auth",
    hint: { en: "Run: duet login web" },
  });
  expect(JSON.stringify(await store.read({ name: "web", url: fake.url }))).not.toMatch(/CANARY-(access|refresh)/);
  fake.quirks.token = undefined;
  expect(await signIn(protectedBy(fake.url), store)).toMatchObject({ hasSignedIn: true });
});

test("a renewal that cannot be tried now keeps the sign-in for later", async () => {
  const { fake, store } = await expired();
  fake.quirks.token = () => ({ status: 503, body: "CANARY-page" });
  const failure = await open(protectedBy(fake.url), store).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "server", retryable: true });
  expect(String(failure)).not.toContain("CANARY");
  fake.quirks.token = undefined;
  const running = await open(protectedBy(fake.url), store);
  expect(await whoami(running)).toMatchObject({ content: [{ text: "you" }] });
  await running.session.close();
});

test("a refresh token is never sent to another authorization server than the one that gave it", async () => {
  const { fake, store } = await expired();
  const other = await startAuthorization();
  fake.quirks.resourceMetadataUrl = `${other.origin}/.well-known/oauth-protected-resource`;
  await expect(open(protectedBy(fake.url), store)).rejects.toMatchObject({ code: "auth" });
  expect([...other.tokenRequests, ...fake.tokenRequests].filter((form) => form.has("refresh_token"))).toEqual([]);
});

test("a program signs in as itself, and its secret goes to no second authorization server", async () => {
  const fake = await startAuthorization();
  const auth = { type: "client_credentials", clientId: "robot", clientSecret: "CANARY-robot" } as const;
  const store = createCredentialStore(undefined);
  const running = await open(protectedBy(fake.url, auth), store);
  expect(await whoami(running)).toMatchObject({ content: [{ text: "you" }] });
  fake.accepted.clear();
  expect(await whoami(running)).toMatchObject({ content: [{ text: "you" }] });
  await running.session.close();

  const other = await startAuthorization();
  fake.accepted.clear();
  fake.quirks.metadata = { token_endpoint: `${other.origin}/token`, issuer: "https://other.example" };
  await expect(open(protectedBy(fake.url, auth), store)).rejects.toMatchObject({ code: "auth" });
  expect(other.tokenRequests).toEqual([]);
});

test("configured headers go to the server, and along with no part of the sign-in", async () => {
  const fake = await startAuthorization();
  const settings = protectedBy(fake.url);
  settings.transport = { type: "http", url: fake.url, headers: { "X-Api-Key": "CANARY-key" } };
  await signIn(settings, createCredentialStore(undefined));
  expect(fake.oauthHeaders.length).toBeGreaterThan(3);
  expect(JSON.stringify(fake.oauthHeaders)).not.toContain("CANARY-key");
});

test.each([
  "http://169.254.169.254/latest/meta-data",
  "https://169.254.169.254/",
  "https://10.0.0.1/",
  "https://[fe80::1]/",
])("69 a sign-in described at %s is refused without a connection there", async (resourceMetadataUrl) => {
  const fake = await startAuthorization({ resourceMetadataUrl });
  const before = countSockets();
  const failure = await signIn(protectedBy(fake.url), createCredentialStore(undefined)).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({
    code: "invalid_request",
    text: { en: expect.stringContaining("was not contacted") },
  });
  expect(before.opened).toBeLessThan(4);
  expect(fake.registrations).toEqual([]);
});

test("69 a public server may send its sign-in nowhere inside, whatever the names resolve to", async () => {
  const inside = await startListener();
  const lookup = async (host: string) => (host === "mcp.example" ? ["93.184.216.34"] : ["127.0.0.1"]);
  const { signal } = new AbortController();
  const fetch = createOAuthFetch(new URL("https://mcp.example/mcp"), signal, { lookup });
  for (const url of [
    `https://as.example:${inside.port}/`,
    `https://127.0.0.1:${inside.port}/`,
    `https://localhost:${inside.port}/`,
  ]) {
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: "invalid_request" } });
  }
  await expect(fetch(`http://mcp.example/`)).rejects.toMatchObject({
    cause: { text: { en: expect.stringContaining("https") } },
  });
  expect(inside.connects).toBe(0);
});

test("a name that is made to point at this machine opens no way to it", async () => {
  const inside = await startListener();
  const { signal } = new AbortController();
  const fetch = createOAuthFetch(new URL("https://rebound.example/mcp"), signal, { lookup: async () => ["127.0.0.1"] });
  await expect(fetch(`https://rebound.example:${inside.port}/`)).rejects.toMatchObject({
    cause: { code: "invalid_request" },
  });
  expect(inside.connects).toBe(0);
});

test("63 a redirect of the token address to elsewhere is not followed with what was sent", async () => {
  const fake = await startAuthorization();
  const elsewhere = await startListener();
  fake.quirks.token = () => ({ status: 307, body: {}, location: `http://127.0.0.1:${elsewhere.port}/token` });
  const failure = await signIn(protectedBy(fake.url), createCredentialStore(undefined)).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ code: expect.stringMatching(/auth|server|bad_response/) });
  expect(fake.tokenRequests).toHaveLength(1);
  expect(elsewhere.connects).toBe(0);
});

test("whoever redacts learns every secret, old ones too", async () => {
  const { fake, store } = await expired();
  const running = await open(protectedBy(fake.url), store);
  const redact = extendRedact(createServerRedact(protectedBy(fake.url)), running.secretValues);
  const secrets = running.secretValues();
  expect(secrets.filter((value) => value.startsWith("CANARY-access"))).toHaveLength(2);
  expect(secrets).toContain("CANARY-client-secret");
  const text = secrets.map((value) => `${value} ${Buffer.from(value).toString("base64")}`).join("\n");
  expect(redact(text)).not.toMatch(/CANARY|Q0FOQVJZ/);
  await running.session.close();
});

test("104 a browser gets its address as one argument, with no shell around it", () => {
  const url = new URL('https://as.example/a";calc&$(calc)`id`?x=1&y=2');
  for (const platform of ["linux", "darwin", "win32"] as const) {
    const { command, args } = toBrowserCommand(url, platform);
    expect(["xdg-open", "open", "rundll32"]).toContain(command);
    expect(args.at(-1)).toBe(url.href);
  }
});

test("a server that asks for nothing is never asked about its sign-in", async () => {
  const fake = await startAuthorization();
  const store = { ...createCredentialStore(undefined), exclusively: vi.fn() };
  const settings = protectedBy(fake.url);
  settings.transport = { type: "http", url: fake.url, headers: { Authorization: "Bearer CANARY-fixed" } };
  fake.accepted.set("CANARY-fixed", { scope: "read" });
  const running = await open(settings, store);
  expect(await whoami(running)).toMatchObject({ content: [{ text: "you" }] });
  expect(fake.oauthHeaders).toEqual([]);
  expect(store.exclusively).not.toHaveBeenCalled();
  await running.session.close();
});
