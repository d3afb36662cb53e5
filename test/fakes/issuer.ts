// An authorization server on loopback that signs real JWTs, keeps its keys where its metadata says, and lies on request.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from "jose";
import { onTestFinished } from "vitest";

export interface SigningKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  publicJwk: JWK;
}

/** What a token is to say otherwise; undefined leaves a claim or a header out. */
export interface TokenChanges {
  claims?: Record<string, unknown>;
  header?: Partial<JWTHeaderParameters> | { kid?: undefined; typ?: undefined };
  key?: SigningKey;
}

export interface FakeIssuer {
  /** Also its name. */
  url: string;
  /** The keys that it shows; the first one signs. */
  keys: SigningKey[];
  /** Paths that were asked, in order. */
  hits: string[];
  /** Answers in place of a path. */
  answers: Record<string, (response: ServerResponse, request: IncomingMessage) => void>;
  /** Good for `audience`, for an hour from the system's time. */
  token(audience: string | string[], changes?: TokenChanges): Promise<string>;
  close(): Promise<void>;
}

export async function signingKey(kid: string, alg = "ES256"): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

export async function startIssuer(path = ""): Promise<FakeIssuer> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://x");
    issuer.hits.push(pathname);
    const own = issuer.answers[pathname];
    if (own) return own(response, request);
    if (pathname === `/.well-known/oauth-authorization-server${path}`) return json(response, 200, metadata());
    if (pathname === "/keys") return json(response, 200, { keys: issuer.keys.map(({ publicJwk }) => publicJwk) });
    if (pathname === "/token") return give(new URLSearchParams(await text(request)), response);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;

  function metadata(): Record<string, unknown> {
    return {
      issuer: issuer.url,
      jwks_uri: `${origin}/keys`,
      token_endpoint: `${origin}/token`,
      authorization_endpoint: `${origin}/authorize`,
      response_types_supported: ["code"],
      grant_types_supported: ["client_credentials"],
      token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
    };
  }

  /** What a client asks for itself gets it, for the resource that it names (RFC 8707). */
  async function give(form: URLSearchParams, response: ServerResponse): Promise<void> {
    const scope = form.get("scope") ?? "";
    const token = await issuer.token(form.get("resource") ?? "nobody", { claims: { sub: "a-client", scope } });
    json(response, 200, { access_token: token, token_type: "Bearer", expires_in: 3600, scope });
  }

  const issuer: FakeIssuer = {
    url: origin + path,
    keys: [await signingKey("first")],
    hits: [],
    answers: {},
    async token(audience, { claims, header, key = issuer.keys[0] } = {}) {
      if (key === undefined) throw new Error("no key");
      const now = Math.floor(Date.now() / 1000);
      const all = { iss: issuer.url, aud: audience, sub: "anna", exp: now + 3600, iat: now, ...claims };
      return new SignJWT(all)
        .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: "at+jwt", ...header })
        .sign(key.privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return issuer;
}

/** The same for one test. */
export async function openIssuer(path?: string): Promise<FakeIssuer> {
  const issuer = await startIssuer(path);
  onTestFinished(() => issuer.close());
  return issuer;
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
