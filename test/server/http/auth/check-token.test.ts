import { beforeAll, describe, expect, test } from "vitest";
import { type FakeIssuer, type SigningKey, signingKey, startIssuer, type TokenChanges } from "../../../fakes/issuer.ts";
import { openResourceServer, resource } from "./resource-server.ts";

let issuer: FakeIssuer;
let rsa: SigningKey;
beforeAll(async () => {
  issuer = await startIssuer();
  rsa = await signingKey("rsa", "RS256");
  issuer.keys.push(rsa);
  return () => issuer.close();
});

const now = Math.floor(Date.now() / 1000);

describe("a token that the issuer has signed lets nobody in", () => {
  test.each<[string, TokenChanges, string]>([
    ["that names another issuer", { claims: { iss: "https://other.example" } }, "it was issued by another issuer"],
    ["that names no issuer", { claims: { iss: undefined } }, "it was issued by another issuer"],
    ["for another audience", { claims: { aud: "https://other.example/mcp" } }, "it is meant for another audience"],
    ["for no audience", { claims: { aud: undefined } }, "it is meant for another audience"],
    ["that has expired", { claims: { exp: now - 60 } }, "it has expired"],
    ["without an expiry", { claims: { exp: undefined } }, "it has no expiry"],
    ["that is not in force yet", { claims: { nbf: now + 60 } }, "it is not valid yet"],
    ["of nobody", { claims: { sub: undefined } }, "it names no subject"],
    ["of somebody without a name", { claims: { sub: "" } }, "it names no subject"],
    ["that is an id token", { header: { typ: "id+jwt" } }, "it is not an access token"],
    ["that is an id token by its claims", { header: { typ: "JWT" }, claims: { at_hash: "x" } }, "it is an ID token"],
    ["that is in force for 31 years", { claims: { exp: now + 1e9 } }, "it is valid for too long (allowed: 31536000 s)"],
    ["that is a proof of possession", { header: { typ: "dpop+jwt" } }, "it is not an access token"],
  ])("%s", async (_, changes, why) => {
    const { refusal } = openResourceServer({ issuer: issuer.url });
    const { status, challenge, body } = await refusal(`Bearer ${await issuer.token(resource, changes)}`);
    expect([status, challenge]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    expect(body).toContain(why);
    if (why.includes("another issuer")) expect(body).toContain(`(allowed: ${issuer.url})`);
    if (why.includes("another audience")) expect(body).toContain(`(allowed: ${resource})`);
  });

  test("by an algorithm that is not among those of the configuration", async () => {
    const token = await issuer.token(resource, { key: rsa });
    await openResourceServer({ issuer: issuer.url, algorithms: ["RS256"] }).admit(token);
    const { refusal } = openResourceServer({ issuer: issuer.url, algorithms: ["ES256"] });
    expect((await refusal(`Bearer ${token}`)).body).toContain("its algorithm is not allowed (allowed: ES256)");
  });
});

test("a token that somebody else has signed under the name of the issuer's key lets nobody in", async () => {
  const forged = await signingKey("first");
  const { refusal } = openResourceServer({ issuer: issuer.url });
  expect((await refusal(`Bearer ${await issuer.token(resource, { key: forged })}`)).body).toContain(
    "its signature is wrong",
  );
});

test("a token without a signature lets nobody in", async () => {
  const [, payload] = (await issuer.token(resource)).split(".");
  const header = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString("base64url");
  const { refusal } = openResourceServer({ issuer: issuer.url });
  expect((await refusal(`Bearer ${header}.${payload}.`)).status).toBe(401);
});
