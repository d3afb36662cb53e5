import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createCredentialStore } from "../../../src/client/oauth/credential-store.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { startAuthorization } from "../../fakes/authorization-server.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { stdio } from "../servers.ts";
import { browse, open, protectedBy, signIn, whoami } from "./signing-in.ts";

const all = (thrown: unknown): string =>
  thrown instanceof DuetError ? JSON.stringify([thrown.text, thrown.hint, thrown.stack, String(thrown.cause)]) : "?";

async function failureOf(work: Promise<unknown>): Promise<DuetError> {
  const thrown = await work.then(
    () => new Error("it worked"),
    (error: unknown) => error,
  );
  if (thrown instanceof DuetError) return thrown;
  throw thrown;
}

test("a person signs in once, and the server is used from then on, also by the next process", async () => {
  const { url, registrations, tokenRequests } = await startAuthorization();
  const home = await temporaryFolder();
  const pages: Promise<{ status: number; text: string }>[] = [];
  const visit = (address: URL): void => void pages.push(browse(address));
  expect(await signIn(protectedBy(url), createCredentialStore(home), { visit })).toEqual({
    toolCount: 1,
    hasSignedIn: true,
  });
  expect(await Promise.all(pages)).toMatchObject([{ status: 200, text: expect.stringContaining("Signed in") }]);
  expect(registrations).toMatchObject([
    { client_name: "Duet", redirect_uris: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)] },
  ]);
  expect(tokenRequests.at(0)?.get("resource")).toBe(url);

  const later = await open(protectedBy(url), createCredentialStore(home));
  expect(await whoami(later)).toMatchObject({ content: [{ text: "you" }] });
  expect(await signIn(protectedBy(url), createCredentialStore(home))).toEqual({ toolCount: 1, hasSignedIn: false });
  await later.session.close();
});

test("nobody is sent to a browser from the background: the failure says what to run", async () => {
  const { url, registrations } = await startAuthorization();
  const error = await failureOf(open(protectedBy(url), createCredentialStore(undefined)));
  expect(error).toMatchObject({ code: "auth", hint: { en: "Run: duet login web", zh: "请运行 duet login web" } });
  expect(registrations).toEqual([]);
});

test("the address that the browser ended at can be pasted; other lines are told to be wrong", async () => {
  const { url } = await startAuthorization();
  const lines = Promise.withResolvers<string>();
  const answers = ["hello", "http://127.0.0.1:1/callback?code=x&state=wrong"];
  const misread = vi.fn();
  const paste = async () => answers.shift() ?? (await lines.promise);
  const visit = async (address: URL): Promise<void> => {
    const response = await fetch(address, { redirect: "manual" });
    lines.resolve(` ${response.headers.get("location")} `);
  };
  const done = await signIn(protectedBy(url), createCredentialStore(undefined), {
    paste,
    misread,
    visit: (at) => void visit(at),
  });
  expect(done).toEqual({ toolCount: 1, hasSignedIn: true });
  expect(misread).toHaveBeenCalledTimes(2);
});

test("an answer with another state is not taken: no token is asked for, and the right one still counts", async () => {
  const fake = await startAuthorization({ answer: { state: "somebody-elses" } });
  const pages: number[] = [];
  const visit = async (address: URL): Promise<void> => {
    pages.push((await browse(address)).status);
    expect(fake.tokenRequests).toEqual([]);
    fake.quirks.answer = {};
    pages.push((await browse(address)).status);
  };
  const done = await signIn(protectedBy(fake.url), createCredentialStore(undefined), { visit: (at) => void visit(at) });
  expect(done.hasSignedIn).toBe(true);
  await vi.waitFor(() => expect(pages).toEqual([400, 200]), { timeout: 60_000 });
});

test.each([
  ["another issuer", "https://evil.example"],
  ["no issuer although it is promised", null],
])("an answer with %s is given up, and no token is asked for", async (_, iss) => {
  const fake = await startAuthorization({ answer: { iss } });
  const error = await failureOf(signIn(protectedBy(fake.url), createCredentialStore(undefined)));
  expect(error.text.en).toMatch(/^Not signed in to web: .*another authorization server/);
  expect(fake.tokenRequests).toEqual([]);
});

test("a registration that is refused says what to do, and nothing that the server wrote", async () => {
  const { url } = await startAuthorization({ refusesRegistration: true });
  const error = await failureOf(signIn(protectedBy(url), createCredentialStore(undefined)));
  expect(error).toMatchObject({ code: "auth", hint: { en: expect.stringContaining("clientId") } });
  expect(all(error)).not.toContain("CANARY");
});

test("a configured client is used as it is, without registration", async () => {
  const fake = await startAuthorization({ refusesRegistration: true });
  const auth = { type: "oauth", clientId: "mine", clientSecret: "CANARY-mine", scope: "read write" } as const;
  expect(await signIn(protectedBy(fake.url, auth), createCredentialStore(undefined))).toMatchObject({
    hasSignedIn: true,
  });
  expect([...fake.accepted.values()]).toEqual([{ scope: "read write" }]);
});

test("a client ID metadata document is preferred where the authorization server takes one", async () => {
  const metadata = { client_id_metadata_document_supported: true };
  const { url, registrations, tokenRequests } = await startAuthorization({ metadata });
  const clientMetadataUrl = "https://duet.example/client.json";
  await signIn(protectedBy(url, { type: "oauth", clientMetadataUrl }), createCredentialStore(undefined));
  expect(registrations).toEqual([]);
  expect(tokenRequests.at(0)?.get("client_id")).toBe(clientMetadataUrl);
});

test.each(["javascript:alert(1)", "file:///etc/passwd", "http://as.example/$(calc)", "https://u:p@as.example/"])(
  "104 %s is never shown to a browser",
  async (authorization_endpoint) => {
    const { url } = await startAuthorization({ metadata: { authorization_endpoint } });
    const visit = vi.fn();
    const error = await failureOf(signIn(protectedBy(url), createCredentialStore(undefined), { visit }));
    expect(error.text.en).toMatch(/^Not signed in to web: /);
    expect(visit).not.toHaveBeenCalled();
  },
);

test("a tool that needs more rights fails with what to run, and the next sign-in asks for both", async () => {
  const fake = await startAuthorization();
  const store = createCredentialStore(undefined);
  await signIn(protectedBy(fake.url), store);
  fake.quirks.callScope = "write";
  const running = await open(protectedBy(fake.url), store);
  expect(await failureOf(whoami(running))).toMatchObject({
    code: "auth",
    text: { en: "it asks for more permissions than the sign-in has (read write)" },
    hint: { en: "Run: duet login web" },
  });
  expect(await signIn(protectedBy(fake.url), store)).toMatchObject({ hasSignedIn: true });
  expect([...fake.accepted.values()].at(-1)).toEqual({ scope: "read write" });
  // The session that was open all the time takes up the new sign-in.
  expect(await whoami(running)).toMatchObject({ content: [{ text: "you" }] });
  await running.session.close();
});

test("a server that asks again after each sign-in is left after three", async () => {
  const fake = await startAuthorization({
    token: () => ({ status: 200, body: { access_token: "CANARY-useless", token_type: "Bearer" } }),
  });
  const visits = vi.fn((address: URL) => void browse(address).catch(() => {}));
  const error = await failureOf(signIn(protectedBy(fake.url), createCredentialStore(undefined), { visit: visits }));
  expect(error.text.en).toContain("still asks for a sign-in after 3");
  expect(visits).toHaveBeenCalledTimes(3);
});

test("the second sign-in comes back to the same port, so that the registration still fits", async () => {
  const fake = await startAuthorization();
  const store = createCredentialStore(undefined);
  await signIn(protectedBy(fake.url), store);
  fake.accepted.clear();
  fake.quirks.token = (form) =>
    form.has("refresh_token") ? { status: 400, body: { error: "invalid_grant" } } : undefined;
  expect(await signIn(protectedBy(fake.url), store)).toMatchObject({ hasSignedIn: true });
  expect(fake.registrations).toHaveLength(1);
});

test("a client that the authorization server does not know any more is registered again", async () => {
  const fake = await startAuthorization();
  let refusals = 0;
  fake.quirks.token = () =>
    refusals++ === 0 ? { status: 401, body: { error: "invalid_client", error_description: "CANARY-said" } } : undefined;
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  expect(await signIn(protectedBy(fake.url), createCredentialStore(undefined))).toMatchObject({ hasSignedIn: true });
  expect(fake.registrations).toHaveLength(2);
  expect(JSON.stringify(warn.mock.calls)).not.toContain("CANARY");
});

test("a port that is taken is a line that names the setting", async () => {
  const { url } = await startAuthorization();
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void taken.close());
  const address = taken.address();
  const callbackPort = typeof address === "object" && address !== null ? address.port : 0;
  const error = await failureOf(
    signIn(protectedBy(url, { type: "oauth", callbackPort }), createCredentialStore(undefined)),
  );
  expect(error).toMatchObject({
    code: "config",
    text: { en: expect.stringContaining(`auth.callbackPort ${callbackPort}`) },
  });
});

test("a sign-in that nobody finishes ends at its limit, and one that is left ends at once", async () => {
  const { url } = await startAuthorization();
  const visit = vi.fn();
  const late = await failureOf(signIn(protectedBy(url), createCredentialStore(undefined), { visit, limitMs: 500 }));
  expect(late).toMatchObject({ code: "timeout", text: { en: "Signing in to web timed out after 0.5 s" } });
  const controller = new AbortController();
  const left = signIn(protectedBy(url), createCredentialStore(undefined), {
    visit: () => controller.abort(new Error("Ctrl-C")),
    signal: controller.signal,
  });
  await expect(left).rejects.toThrow("Ctrl-C");
});

test("a server that needs no person says so", async () => {
  const store = createCredentialStore(undefined);
  const own = {
    ...protectedBy("http://127.0.0.1:9/mcp", { type: "client_credentials", clientId: "a", clientSecret: "b" }),
  };
  const fixed = protectedBy("http://127.0.0.1:9/mcp");
  fixed.transport = { type: "http", url: "http://127.0.0.1:9/mcp", headers: { authorization: "Bearer x" } };
  for (const settings of [stdio("local", "node", []), own, fixed]) {
    expect(await failureOf(signIn(settings, store))).toMatchObject({ code: "config" });
  }
});

test("no file but the store's holds a token, and that one holds no code, verifier or state", async () => {
  const { url } = await startAuthorization();
  const home = await temporaryFolder();
  await signIn(protectedBy(url), createCredentialStore(home));
  const [name = ""] = await readdir(join(home, "credentials"));
  const text = await readFile(join(home, "credentials", name), "utf8");
  expect(text).toContain("CANARY-access");
  expect(text).not.toMatch(/CANARY-code|verifier|"state"/);
});
