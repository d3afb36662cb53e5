import { beforeEach, describe, expect, test } from "vitest";
import { createKeyCache } from "../../../../src/server/http/auth/key-cache.ts";
import { type FakeIssuer, json, openIssuer, signingKey } from "../../../fakes/issuer.ts";
import { openResourceServer, resource } from "./resource-server.ts";

const keys = "/keys";
const seconds = 1000;

let issuer: FakeIssuer;
beforeEach(async () => {
  issuer = await openIssuer();
});

function keyFetches(): number {
  return issuer.hits.filter((path) => path === keys).length;
}

describe("keys", () => {
  test("are fetched once for many tokens at once, and again after ten minutes", async () => {
    const { admit, clock } = openResourceServer({ issuer: issuer.url });
    const tokens = await Promise.all(Array.from({ length: 20 }, () => issuer.token(resource)));
    await Promise.all(tokens.map(admit));
    expect(keyFetches()).toBe(1);
    clock.pass(601 * seconds);
    await admit(await issuer.token(resource));
    expect(keyFetches()).toBe(2);
  });

  test("that are new are fetched when a token names one, at most every half minute", async () => {
    const { admit, refusal, clock } = openResourceServer({ issuer: issuer.url });
    await admit(await issuer.token(resource));
    const unknown = await signingKey("unknown");
    const forged = `Bearer ${await issuer.token(resource, { key: unknown })}`;
    for (let knocks = 0; knocks < 5; knocks += 1) expect((await refusal(forged)).status).toBe(401);
    expect(keyFetches()).toBe(1);

    issuer.keys.unshift(await signingKey("second"));
    clock.pass(31 * seconds);
    await admit(await issuer.token(resource));
    expect(keyFetches()).toBe(2);
    expect((await refusal(forged)).body).toContain("its issuer has no such key");
    expect(keyFetches()).toBe(2);
  });

  test("that the issuer has taken back open nothing any more once they are fetched again", async () => {
    const { admit, refusal, clock } = openResourceServer({ issuer: issuer.url });
    const old = await issuer.token(resource);
    await admit(old);
    issuer.keys = [await signingKey("second")];
    clock.pass(601 * seconds);
    expect((await refusal(`Bearer ${old}`)).status).toBe(401);
  });

  test.each(["RS256", "EdDSA"])("of other kinds are taken too (%s)", async (alg) => {
    issuer.keys = [await signingKey("other", alg)];
    await openResourceServer({ issuer: issuer.url }).admit(await issuer.token(resource));
  });

  test("are tried one by one for a token that names none", async () => {
    issuer.keys = [await signingKey("one"), await signingKey("two")];
    const { admit, refusal } = openResourceServer({ issuer: issuer.url });
    for (const key of issuer.keys) await admit(await issuer.token(resource, { key, header: { kid: undefined } }));
    const foreign = await signingKey("three");
    const token = await issuer.token(resource, { key: foreign, header: { kid: undefined } });
    expect((await refusal(`Bearer ${token}`)).body).toContain("its signature is wrong");
  });
});

describe("an issuer that cannot be reached", () => {
  test("is a 503 and one line, asked again after a while, and told when it is there again", async () => {
    const { admit, refusal, lines, clock } = openResourceServer({ issuer: issuer.url });
    const token = await issuer.token(resource);
    const { keys: kept } = issuer;
    issuer.answers[keys] = (response) => void response.destroy();
    const answers = await Promise.all(Array.from({ length: 10 }, () => refusal(`Bearer ${token}`)));
    expect(answers.map(({ status, challenge, retry }) => [status, challenge, retry])).toEqual(
      answers.map(() => [503, null, "10"]),
    );
    expect(keyFetches()).toBe(1);
    await refusal(`Bearer ${token}`);
    expect(keyFetches()).toBe(1);
    clock.pass(6 * seconds);
    await refusal(`Bearer ${token}`);
    expect(keyFetches()).toBe(2);
    expect(lines).toEqual([
      `the keys of ${issuer.url} cannot be fetched, so nobody can sign in for now: ${new URL(issuer.url).host}: the other side closed the connection`,
    ]);

    delete issuer.answers[keys];
    issuer.keys = kept;
    clock.pass(6 * seconds);
    await admit(token);
    expect(lines.slice(1)).toEqual([`the keys of ${issuer.url} are available again`]);
  });

  test("goes unnoticed for an hour by who has its keys, and no longer", async () => {
    const { admit, refusal, clock } = openResourceServer({ issuer: issuer.url });
    const token = await issuer.token(resource, { claims: { exp: Math.floor(Date.now() / 1000) + 9_000 } });
    await admit(token);
    await issuer.close();
    clock.pass(3_000 * seconds);
    await admit(token);
    clock.pass(601 * seconds);
    expect((await refusal(`Bearer ${token}`)).status).toBe(503);
  });

  test("costs a wrong token nothing: what cannot be good is refused without asking it", async () => {
    const { refusal } = openResourceServer({ issuer: issuer.url });
    for (const token of ["x", "a.b.c", "e30.e30.", `${btoa('{"alg":"none"}')}.e30.`])
      expect((await refusal(`Bearer ${token}`)).status).toBe(401);
    expect(issuer.hits).toEqual([]);
  });

  test("that never answers is given up on, and who leaves meanwhile is not kept", async () => {
    const problems: unknown[] = [];
    const cache = createKeyCache({
      load: () => new Promise(() => {}),
      clock: { elapsed: () => 0 },
      onChange: (problem) => problems.push(problem?.message),
      limitMs: 20,
    });
    const leaving = new AbortController();
    const left = cache.current(leaving.signal);
    leaving.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    await expect(cache.current(new AbortController().signal)).rejects.toThrow("Fetching the keys timed out");
    expect(problems).toEqual(["Fetching the keys timed out after 0.02 s"]);
  });
});

describe("the keys of an issuer are found", () => {
  const openId = "/.well-known/openid-configuration";

  test("by its metadata, its path behind the well-known name", async () => {
    const tenant = await openIssuer("/tenant/1");
    await openResourceServer({ issuer: tenant.url }).admit(await tenant.token(resource));
    expect(tenant.hits).toEqual(["/.well-known/oauth-authorization-server/tenant/1", keys]);
  });

  test.each([`${openId}/tenant`, `/tenant${openId}`])("by OpenID Connect's at %s", async (path) => {
    const tenant = await openIssuer("/tenant");
    tenant.answers["/.well-known/oauth-authorization-server/tenant"] = (response) => void response.writeHead(404).end();
    const jwks_uri = new URL(keys, tenant.url).href;
    tenant.answers[path] = (response) => json(response, 200, { issuer: tenant.url, jwks_uri });
    await openResourceServer({ issuer: tenant.url }).admit(await tenant.token(resource));
    expect(tenant.hits.slice(-2)).toEqual([path, keys]);
  });

  test("where the configuration says", async () => {
    await openResourceServer({ issuer: issuer.url, jwksUrl: `${issuer.url}${keys}` }).admit(
      await issuer.token(resource),
    );
    expect(issuer.hits).toEqual([keys]);
  });

  const metadata = "/.well-known/oauth-authorization-server";
  const lies: [string, string, (response: Parameters<FakeIssuer["answers"][string]>[0]) => void, RegExp][] = [
    [
      "under another name",
      metadata,
      (to) => json(to, 200, { issuer: `${issuer.url}/`, jwks_uri: `${issuer.url}/keys` }),
      /its issuer is ".*\/", not "/,
    ],
    ["without a name", metadata, (to) => json(to, 200, { jwks_uri: `${issuer.url}/keys` }), /its issuer is -, not/],
    ["without their address", metadata, (to) => json(to, 200, { issuer: issuer.url }), /there is no jwks_uri/],
    [
      "at an address that can be overheard",
      metadata,
      (to) => json(to, 200, { issuer: issuer.url, jwks_uri: "http://10.1.2.3/keys" }),
      /10\.1\.2\.3 was not contacted: only https/,
    ],
    ["at a file", metadata, (to) => json(to, 200, { issuer: issuer.url, jwks_uri: "file:///etc/passwd" }), /http/],
    ["by a redirect", keys, (to) => void to.writeHead(302, { location: "/keys2" }).end(), /HTTP status 302/],
    ["as no list", keys, (to) => json(to, 200, { keys: {} }), /there is no list of keys/],
    [
      "as secrets that both sides know",
      keys,
      (to) => json(to, 200, { keys: [{ kty: "oct", k: "c2VjcmV0" }] }),
      /there are no public keys/,
    ],
    ["as no JSON", keys, (to) => void to.writeHead(200).end("<html>"), /the response is not JSON/],
    [
      "in a flood",
      keys,
      (to) => void to.writeHead(200).end(`{"keys":[],"x":"${"x".repeat(2_000_000)}"}`),
      /the response is too long/,
    ],
    ["nowhere", metadata, (to) => void to.writeHead(404).end(), /it has no metadata \(jwksUrl may be set\)/],
    ["by a server that fails", metadata, (to) => void to.writeHead(500).end(), /HTTP status 500/],
  ];
  test.each(lies)("not %s", async (_, path, answer, said) => {
    issuer.answers[path] = answer;
    const { refusal, lines } = openResourceServer({ issuer: issuer.url });
    const token = await issuer.token(resource);
    expect((await refusal(`Bearer ${token}`)).status).toBe(503);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(said);
    expect(lines[0]).not.toContain("\n");
  });
});

test("who has keys waits only once for an issuer that does not answer, and has the newer ones when it does", async () => {
  const late = Promise.withResolvers<string>();
  const answers = [async () => "the keys", () => Promise.reject(new Error("no")), () => late.promise];
  let elapsed = 0;
  let loads = 0;
  const cache = createKeyCache({
    load: () => answers[loads++]?.() ?? Promise.reject(new Error("asked too often")),
    clock: { elapsed: () => elapsed },
    onChange() {},
    limitMs: 600 * seconds,
  });
  const current = async (): Promise<string> => (await cache.current(new AbortController().signal)).keys;
  expect(await current()).toBe("the keys");
  elapsed = 601 * seconds;
  expect(await current()).toBe("the keys");
  elapsed += 6 * seconds;
  expect([await current(), await current(), loads]).toEqual(["the keys", "the keys", 3]);
  late.resolve("newer ones");
  await expect.poll(current).toBe("newer ones");
  expect(loads).toBe(3);
});

test("the cache asks no second time for who comes while it asks", async () => {
  const loaded = Promise.withResolvers<string>();
  let loads = 0;
  const load = (): Promise<string> => {
    loads += 1;
    return loaded.promise;
  };
  const cache = createKeyCache({ load, clock: { elapsed: () => 0 }, onChange() {} });
  const { signal } = new AbortController();
  const asked = [cache.current(signal), cache.current(signal)];
  loaded.resolve("the keys");
  expect((await Promise.all(asked)).map((held) => held.keys)).toEqual(["the keys", "the keys"]);
  expect(loads).toBe(1);
});
