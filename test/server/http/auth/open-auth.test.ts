import { beforeAll, describe, expect, test } from "vitest";
import { openAuth } from "../../../../src/server/http/auth/open-auth.ts";
import { type FakeIssuer, startIssuer } from "../../../fakes/issuer.ts";
import { openResourceServer, resource } from "./resource-server.ts";

let issuer: FakeIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
  return () => issuer.close();
});

const metadata = "https://duet.example.com/.well-known/oauth-protected-resource/mcp";

describe("who brings a good token", () => {
  test("is admitted, as the same owner each time, whom nobody reads from it", async () => {
    const { admit } = openResourceServer({ issuer: issuer.url });
    const first = await admit(await issuer.token(resource));
    const again = await admit(await issuer.token([resource, "https://other.example/"]));
    const other = await admit(await issuer.token(resource, { claims: { sub: "ben" } }));
    expect(first.caller.owner).toMatch(/^[\w-]{43}$/);
    expect(again.caller).toEqual(first.caller);
    expect(other.caller.owner).not.toBe(first.caller.owner);
    expect(first.caller.tools).toBeUndefined();
  });

  test("of another issuer is somebody else, though they are called the same", async () => {
    const second = await startIssuer();
    const owners = await Promise.all(
      [issuer, second].map(async (each) => {
        const { caller } = await openResourceServer({ issuer: each.url }).admit(await each.token(resource));
        return caller.owner;
      }),
    );
    await second.close();
    expect(new Set(owners).size).toBe(2);
  });

  test("leaves the token at the resourceServer: what goes on has who, which client, what for and until when", async () => {
    const token = await issuer.token(resource, { claims: { client_id: "a-host", scope: "a b" } });
    const admission = await openResourceServer({ issuer: issuer.url }).admit(token);
    expect(admission.authInfo).toEqual({
      token: "",
      clientId: "a-host",
      scopes: ["a", "b"],
      expiresAt: expect.any(Number),
    });
    expect(JSON.stringify(admission)).not.toContain(token.split(".")[2]);
  });

  test.each(["at+jwt", "application/at+jwt", "AT+JWT", "JWT", undefined])("may call it %s", async (typ) => {
    const token = await issuer.token(resource, { header: { typ } });
    await openResourceServer({ issuer: issuer.url }).admit(token);
  });

  test("may bring one for the audience that is configured, and then no other", async () => {
    const resourceServer = openResourceServer({ issuer: issuer.url, audience: "api://duet" });
    await resourceServer.admit(await issuer.token("api://duet"));
    expect((await resourceServer.refusal(`Bearer ${await issuer.token(resource)}`)).body).toContain("another audience");
  });

  test("may be late, or early, by a few seconds", async () => {
    const { admit } = openResourceServer({ issuer: issuer.url });
    const now = Math.floor(Date.now() / 1000);
    await admit(await issuer.token(resource, { claims: { exp: now - 20 } }));
    await admit(await issuer.token(resource, { claims: { nbf: now + 20 } }));
  });
});

describe("who brings none", () => {
  test.each([undefined, "Basic YTpi", "DPoP abc", "Bearerabc"])(
    "(%s) is told where to sign in, and no error",
    async (header) => {
      const { refusal } = openResourceServer({ issuer: issuer.url, scopes: ["duet", "mcp:read"] });
      const { status, challenge } = await refusal(header);
      expect([status, challenge]).toEqual([401, `Bearer resource_metadata="${metadata}", scope="duet mcp:read"`]);
    },
  );

  test("finds the rest in the metadata of the resource, under both paths", async () => {
    const { routes } = openResourceServer({
      issuer: issuer.url,
      scopes: ["duet"],
      tools: { maps: ["amap__*"], duet: ["echo"] },
    });
    const wellKnown = "/.well-known/oauth-protected-resource";
    expect(Object.keys(routes)).toEqual([wellKnown, `${wellKnown}/mcp`]);
    for (const page of Object.values(routes)) {
      const answer = await page(new Request(metadata), "127.0.0.1");
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(await answer.json()).toEqual({
        resource,
        authorization_servers: [issuer.url],
        scopes_supported: ["duet", "maps"],
        bearer_methods_supported: ["header"],
        resource_name: "Duet",
      });
    }
  });

  test("is sent below the address under which others reach the server, whatever its path", async () => {
    const { refusal } = openResourceServer({ issuer: issuer.url }, { resource: "https://example.com/duet/mcp" });
    const where = "https://example.com/duet/.well-known/oauth-protected-resource/mcp";
    expect((await refusal()).challenge).toBe(`Bearer resource_metadata="${where}"`);
  });
});

describe("scopes", () => {
  test("that are missing are named with a 403, all that are needed in the challenge", async () => {
    const { refusal } = openResourceServer({ issuer: issuer.url, scopes: ["read", "write"] });
    const { status, challenge, body } = await refusal(
      `Bearer ${await issuer.token(resource, { claims: { scope: "read" } })}`,
    );
    expect(status).toBe(403);
    expect(challenge).toBe(`Bearer error="insufficient_scope", resource_metadata="${metadata}", scope="read write"`);
    expect(body).toContain("the token lacks the scopes: write");
  });

  test.each([
    ["scope", "read write"],
    ["scp", "read write"],
    ["scp", ["read", "write"]],
  ])("are read from %s: %j", async (name, value) => {
    const { admit } = openResourceServer({ issuer: issuer.url, scopes: ["read", "write"] });
    await admit(await issuer.token(resource, { claims: { [name]: value } }));
  });

  test("are whole words: what only begins so is another one", async () => {
    const { refusal } = openResourceServer({ issuer: issuer.url, scopes: ["read"] });
    const token = await issuer.token(resource, { claims: { scope: "reader readonly read:all" } });
    expect((await refusal(`Bearer ${token}`)).status).toBe(403);
  });

  test("open the tools that they stand for, all of them together, in one order; none of them opens none", async () => {
    const tools = { maps: ["amap__*"], files: ["filesystem__read_*", "amap__*"], constructor: ["echo"] };
    const { admit } = openResourceServer({ issuer: issuer.url, tools });
    const toolsFor = async (scope?: string) =>
      (await admit(await issuer.token(resource, { claims: { scope } }))).caller.tools;
    expect(await toolsFor("maps")).toEqual(["amap__*"]);
    expect(await toolsFor("files maps")).toEqual(["amap__*", "filesystem__read_*"]);
    expect(await toolsFor("maps files")).toEqual(["amap__*", "filesystem__read_*"]);
    for (const none of ["other", "", undefined, "toString"]) expect(await toolsFor(none)).toEqual([]);
  });
});

test("tokens are not taken where they could be overheard on their way", () => {
  const options = { locale: "en" as const, log: () => {} };
  const settings = { issuer: issuer.url, algorithms: ["ES256" as const], maxLifetime: 3600, scopes: [] };
  expect(() => openAuth(settings, { ...options, resource: "http://10.0.0.7:8080/mcp" })).toThrow(
    'serve.http.publicUrl: "http://10.0.0.7:8080" is not safe for tokens (allowed: an https address, or one of this machine)',
  );
  openAuth(settings, { ...options, resource: "http://127.0.0.1:8080/mcp" });
});

test("a token that is longer than any issuer makes is not even parsed", async () => {
  const { refusal } = openResourceServer({ issuer: issuer.url });
  const long = await issuer.token(resource, { claims: { more: "x".repeat(20_000) } });
  expect(await refusal(`Bearer ${long}`)).toMatchObject({
    status: 401,
    body: expect.stringContaining("it is too long"),
  });
});
