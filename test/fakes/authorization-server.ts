// An authorization server and an MCP server behind it, both on loopback: code flow with PKCE, rotation, and lies on request.
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";

/** What the server does otherwise than it should; may be changed while it runs. */
export interface AuthorizationQuirks {
  /** The scope without which a call is answered 403. */
  callScope?: string;
  /** Added to, or in place of, the metadata of the authorization server. */
  metadata?: Record<string, unknown>;
  /** Where the server says that its sign-in is described. */
  resourceMetadataUrl?: string;
  /** What the browser is sent back with, in place of the right values; null leaves it out. */
  answer?: Partial<Record<"state" | "iss" | "code", string | null>>;
  /** Answers in place of the token endpoint, where it gives one. */
  token?: ((form: URLSearchParams) => { status: number; body: unknown; location?: string } | undefined) | undefined;
  refusesRegistration?: boolean;
}

export interface FakeAuthorization {
  /** Of the MCP server. */
  url: string;
  origin: string;
  quirks: AuthorizationQuirks;
  /** What the token endpoint was sent. */
  tokenRequests: URLSearchParams[];
  registrations: unknown[];
  /** Tokens that are good. */
  accepted: Map<string, { scope: string }>;
  /** Headers of each request to the authorization server. */
  oauthHeaders: IncomingMessage["headers"][];
  close(): Promise<void>;
}

/** All tokens and codes start with `CANARY`, so that a test can look for them everywhere. */
export async function startAuthorization(quirks: AuthorizationQuirks = {}): Promise<FakeAuthorization> {
  const codes = new Map<string, { challenge: string; scope: string; redirect: string }>();
  const refreshTokens = new Map<string, string>();
  const fake = { quirks, tokenRequests: [], registrations: [], accepted: new Map(), oauthHeaders: [] };
  const authorization: FakeAuthorization = { ...fake, url: "", origin: "", close: async () => {} };
  const mcp = createMcpHandler(protectedServer);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", authorization.origin);
    if (url.pathname === "/mcp") return serveMcp(request, response);
    authorization.oauthHeaders.push(request.headers);
    if (url.pathname.startsWith("/.well-known/oauth-protected-resource")) {
      return json(response, 200, { resource: authorization.url, authorization_servers: [authorization.origin] });
    }
    if (url.pathname === "/.well-known/oauth-authorization-server") return json(response, 200, metadata());
    if (url.pathname === "/register") return register(response, JSON.parse(await bodyOf(request)));
    if (url.pathname === "/authorize") return authorize(url.searchParams, response);
    if (url.pathname === "/token") return giveTokens(new URLSearchParams(await bodyOf(request)), response);
    response.writeHead(404).end();
  }

  async function serveMcp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = authorization.accepted.get((request.headers.authorization ?? "").replace(/^Bearer /, ""));
    const body = await bodyOf(request);
    const {
      callScope,
      resourceMetadataUrl: where = `${authorization.origin}/.well-known/oauth-protected-resource/mcp`,
    } = authorization.quirks;
    const challenge = `Bearer resource_metadata="${where}", scope="read"`;
    if (token === undefined) return void response.writeHead(401, { "www-authenticate": challenge }).end();
    if (callScope !== undefined && body.includes('"tools/call"') && !token.scope.split(" ").includes(callScope)) {
      const refusal = `Bearer error="insufficient_scope", scope="${callScope}", resource_metadata="${where}"`;
      return void response.writeHead(403, { "www-authenticate": refusal }).end();
    }
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
    const init = { method: request.method, headers: Object.fromEntries(headers) };
    const given = await mcp.fetch(new Request(authorization.url, { ...init, ...(body !== "" && { body }) }));
    response.writeHead(given.status, Object.fromEntries(given.headers));
    if (given.body === null) response.end();
    else Readable.fromWeb(given.body).pipe(response);
  }

  function metadata(): Record<string, unknown> {
    const { origin } = authorization;
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      ...authorization.quirks.metadata,
    };
  }

  function register(response: ServerResponse, wanted: Record<string, unknown>): void {
    authorization.registrations.push(wanted);
    const refusal = { error: "invalid_client_metadata", error_description: "CANARY-description" };
    if (authorization.quirks.refusesRegistration) json(response, 403, refusal);
    else json(response, 201, { ...wanted, client_id: "client-1", client_secret: "CANARY-client-secret" });
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = `CANARY-code-${randomUUID()}`;
    const redirect = query.get("redirect_uri") ?? "";
    codes.set(code, { challenge: query.get("code_challenge") ?? "", scope: query.get("scope") ?? "", redirect });
    const back = new URL(redirect);
    const right = { code, state: query.get("state"), iss: authorization.origin };
    for (const [name, value] of Object.entries({ ...right, ...authorization.quirks.answer })) {
      if (value !== null) back.searchParams.set(name, value);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  function giveTokens(form: URLSearchParams, response: ServerResponse): void {
    authorization.tokenRequests.push(form);
    const { status, body, location } = authorization.quirks.token?.(form) ?? tokensFor(form);
    json(response, status, body, location === undefined ? {} : { location });
  }

  function tokensFor(form: URLSearchParams): { status: number; body: unknown; location?: string } {
    const refusal = { status: 400, body: { error: "invalid_grant" } };
    if (form.get("grant_type") === "client_credentials") return { status: 200, body: freshTokens("read", false) };
    if (form.get("grant_type") === "refresh_token") {
      const used = form.get("refresh_token") ?? "";
      const scope = refreshTokens.get(used);
      refreshTokens.delete(used);
      return scope === undefined ? refusal : { status: 200, body: freshTokens(scope, true) };
    }
    const known = codes.get(form.get("code") ?? "");
    const verifier = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight = known?.challenge === verifier && known.redirect === form.get("redirect_uri");
    return isRight ? { status: 200, body: freshTokens(known.scope, true) } : refusal;
  }

  function freshTokens(scope: string, canRefresh: boolean): Record<string, unknown> {
    const access = `CANARY-access-${randomUUID()}`;
    const refresh = `CANARY-refresh-${randomUUID()}`;
    authorization.accepted.set(access, { scope });
    if (canRefresh) refreshTokens.set(refresh, scope);
    const tokens = { access_token: access, token_type: "Bearer", expires_in: 3600, scope };
    return canRefresh ? { ...tokens, refresh_token: refresh } : tokens;
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  authorization.origin = `http://127.0.0.1:${port}`;
  authorization.url = `${authorization.origin}/mcp`;
  authorization.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  onTestFinished(() => authorization.close());
  return authorization;
}

function protectedServer(): McpServer {
  const server = new McpServer({ name: "protected", version: "1" });
  server.registerTool("whoami", { description: "Who calls" }, () => ({ content: [{ type: "text", text: "you" }] }));
  server.registerTool("hidden", { description: "Left out" }, () => ({ content: [] }));
  return server;
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
}
