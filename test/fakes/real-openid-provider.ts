// A certified OpenID provider (oidc-provider) on loopback, with its own forms for signing in, consent and signing out.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { onTestFinished } from "vitest";

export interface RealProvider {
  url: string;
  /** Knows Duet at this address as a client that has a secret and must use PKCE. */
  register(origin: string): void;
}

export const client = { id: "duet", secret: "secretOfTheClient0123456789" };

/** Closed when the test ends. */
export async function openRealProvider(): Promise<RealProvider> {
  let listener: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    register(origin) {
      const provider = new Provider(url, {
        clients: [
          {
            client_id: client.id,
            client_secret: client.secret,
            redirect_uris: [`${origin}/signin/callback`],
            post_logout_redirect_uris: [`${origin}/signin`],
            response_types: ["code"],
            grant_types: ["authorization_code"],
          },
        ],
        ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
        pkce: { required: () => true },
        cookies: { keys: ["key-of-a-test"] },
        claims: { openid: ["sub"], profile: ["name"], email: ["email"] },
        findAccount: (_context, accountId) => ({
          accountId,
          claims: () => ({ sub: accountId, name: `Person ${accountId}`, email: `${accountId}@example.com` }),
        }),
      });
      listener = provider.callback();
    },
  };
}
