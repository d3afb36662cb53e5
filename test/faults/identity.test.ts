// Fault group H (docs/development/faults-network.md#h-identity-sessions-callers), and the check of tokens of group G (case 86).

import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { exportSPKI, importJWK, SignJWT } from "jose";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Duet } from "../../src/app/duet.ts";
import type { Caller } from "../../src/core/caller.ts";
import { toUser } from "../../src/core/questions/user.ts";
import { isRecord } from "../../src/kit/json.ts";
import { written } from "../agent/plan/planning.ts";
import { anna, askAs, ben, countedTool, duetWith } from "../fakes/callers.ts";
import { noticesOf } from "../fakes/events.ts";
import { startHttpFace } from "../fakes/http-interface.ts";
import { type FakeIssuer, type SigningKey, signingKey, startIssuer } from "../fakes/issuer.ts";
import { answer, sessionServer } from "../fakes/mcp-http.ts";
import { type ScriptedCall, scriptedModel } from "../fakes/model.ts";
import { startFakeSearch } from "../fakes/search.ts";
import { openResourceServer } from "../server/http/auth/resource-server.ts";

let issuer: FakeIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
  return () => issuer.close();
});

/** The product's HTTP side behind the sign-in of the issuer. */
async function guarded(createServer?: (caller: Caller) => Promise<McpServer>) {
  const lines: string[] = [];
  const face = await startHttpFace({
    openAuth: (resource) =>
      openResourceServer({ issuer: issuer.url, scopes: ["duet"] }, { resource, log: (line) => void lines.push(line) }),
    ...(createServer && { createServer }),
  });
  onTestFinished(() => face.close());
  const token = () => issuer.token(face.url, { claims: { scope: "duet" } });
  return { face, lines, url: face.url, token };
}

const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo" } });

async function post(url: string, authorization?: string): Promise<Response> {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  return fetch(url, { method: "POST", body, headers: { ...headers, ...(authorization && { authorization }) } });
}

/** Why the connection of a request was lost. */
function codeOfCause(thrown: unknown): unknown {
  return thrown instanceof Error && isRecord(thrown.cause) ? thrown.cause.code : thrown;
}

describe("86: who calls is checked", () => {
  test("86: a token that is missing, wrong, only begun, of a megabyte or in the address lets nobody in, and is not told", async () => {
    const { face, url, token, lines } = await guarded();
    const good = await token();
    const attempts: [string, string | undefined][] = [
      [url, undefined],
      [`${url}?access_token=${good}`, undefined],
      [url, `Bearer ${good.slice(0, -3)}`],
      [url, `Bearer ${good}x`],
      [url, `Basic ${good}`],
      [url, `Bearer ${good}, Bearer ${good}`],
      [url, `Bearer ${good.slice(0, -3)}${"x".repeat(12_000)}`],
    ];
    for (const [place, authorization] of attempts) {
      const response = await post(place, authorization);
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer .*resource_metadata="http:/);
      const told = JSON.stringify([[...response.headers], await response.text(), lines, face.lines]);
      expect(told).not.toContain(good.slice(-20, -3));
    }
    // What Node itself refuses of a header that is too long. While it is still being sent the connection may be gone already.
    expect((await post(url, `Bearer ${"x".repeat(20_000)}`)).status).toBe(431);
    const long = await post(url, `Bearer ${"x".repeat(1_000_000)}`).then(({ status }) => status, codeOfCause);
    expect([431, "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]).toContain(long);
    expect(face.calls).toBe(0);
  });
});

describe("95: the token of the caller stays with us", () => {
  test("95: neither a server below nor a model sees it, whatever is called", async () => {
    const below = await sessionServer((message, response) =>
      answer(response, message, { content: [{ type: "text", text: "from below" }] }),
    );
    onTestFinished(() => below.close());
    const model = scriptedModel([[{ id: "1", name: "down__ask", input: {} }], "It was asked.", "It was asked."]);
    const duet = await duetWith(
      { models: { functionCall: model, alone: true } },
      { mcpServers: { down: { type: "http", url: below.url } } },
    );
    const { face, url, token, lines } = await guarded((caller) => smallServer(duet, caller));
    const secret = await token();
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${secret}`, cookie: `session=${secret}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    onTestFinished(() => client.close());
    const direct = await client.callTool({ name: "direct", arguments: {} });
    const asked = await client.callTool({ name: "ask", arguments: {} });
    expect([direct, asked].map(({ isError }) => isError ?? false)).toEqual([false, false]);

    expect(below.hits.filter(({ body }) => body.includes("tools/call"))).toHaveLength(2);
    const signature = secret.split(".")[2] ?? secret;
    const seen = JSON.stringify([below.hits, model.requests, lines, face.lines, direct, asked]);
    expect(seen).not.toContain(signature);
    expect(below.hits.flatMap(({ headers }) => Object.keys(headers))).not.toContain("authorization");
  });
});

/** A small interface with one tool that calls a server and one that asks the agent. It reports what it knows of the caller. */
async function smallServer(duet: Duet, caller: Caller): Promise<McpServer> {
  const server = new McpServer({ name: "small", version: "0" });
  server.registerTool("direct", {}, async ({ http, mcpReq: { signal } }) => {
    const tool = await duet.gateway(caller).tool("down__ask", signal);
    const result = await tool?.run({}, { signal, locale: "en", progress() {}, notice() {} });
    return { content: [{ type: "text", text: `${result?.text} ${JSON.stringify(http?.authInfo)}` }] };
  });
  server.registerTool("ask", {}, async () => {
    const { outcome } = await askAs(duet, caller, "Ask below.");
    return { content: [{ type: "text", text: JSON.stringify(outcome) }] };
  });
  return server;
}

describe("96: a token is what it says, or nothing", () => {
  const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = (): number => Math.floor(Date.now() / 1000);
  const resource = "https://duet.example.com/mcp";
  const payload = () => ({ iss: issuer.url, aud: resource, sub: "anna", exp: now() + 3600 });
  const [header = {}] = [{ kid: "first", typ: "at+jwt" }];

  async function byPublicKey(secretOf: (key: SigningKey) => Promise<string>): Promise<string> {
    const [key] = issuer.keys;
    if (key === undefined) throw new Error("no key");
    const secret = new TextEncoder().encode(await secretOf(key));
    return new SignJWT(payload()).setProtectedHeader({ ...header, alg: "HS256" }).sign(secret);
  }

  const pem = async ({ publicJwk }: SigningKey): Promise<string> => {
    const key = await importJWK(publicJwk, "ES256");
    if (key instanceof Uint8Array) throw new Error("a secret");
    return exportSPKI(key);
  };

  async function changed(): Promise<string> {
    const [head, , signature] = (await issuer.token(resource)).split(".");
    return [head, base64({ ...payload(), sub: "admin" }), signature].join(".");
  }

  /** Whoever does not know what `x` means must not take it (RFC 7515, section 4.1.11). */
  async function demanding(): Promise<string> {
    const [key] = issuer.keys;
    if (key === undefined) throw new Error("no key");
    const signing = new SignJWT(payload()).setProtectedHeader({ ...header, alg: "ES256", crit: ["x"], x: 1 });
    return signing.sign(key.privateKey, { crit: { x: true } });
  }

  const bad: [string, RegExp, () => Promise<string> | string][] = [
    ["for another audience", /another audience/, () => issuer.token("https://other.example/mcp")],
    ["for an audience that begins like ours", /another audience/, () => issuer.token(`${resource}/more`)],
    ["for no audience", /another audience/, () => issuer.token([])],
    ["of another issuer", /another issuer/, () => issuer.token(resource, { claims: { iss: "https://evil.example" } })],
    [
      "of an issuer but for a slash",
      /another issuer/,
      () => issuer.token(resource, { claims: { iss: `${issuer.url}/` } }),
    ],
    ["with alg none", /algorithm/, () => `${base64({ ...header, alg: "none" })}.${base64(payload())}.`],
    [
      "with alg None and a signature",
      /algorithm/,
      () => `${base64({ ...header, alg: "None" })}.${base64(payload())}.AAAA`,
    ],
    ["without alg", /not a valid token/, () => `${base64(header)}.${base64(payload())}.AAAA`],
    ["with HS256 and the public key as PEM", /algorithm/, () => byPublicKey(pem)],
    [
      "with HS256 and the public key as JWK",
      /algorithm/,
      () => byPublicKey(async ({ publicJwk }) => JSON.stringify(publicJwk)),
    ],
    [
      "with an algorithm that is not configured",
      /algorithm/,
      async () => issuer.token(resource, { key: await signingKey("first", "ES384") }),
    ],
    ["that has expired", /has expired/, () => issuer.token(resource, { claims: { exp: now() - 60 } })],
    ["that never expires", /no expiry/, () => issuer.token(resource, { claims: { exp: undefined } })],
    ["that is not in force yet", /not valid yet/, () => issuer.token(resource, { claims: { nbf: now() + 120 } })],
    ["of nobody", /names no subject/, () => issuer.token(resource, { claims: { sub: undefined } })],
    ["of an empty name", /names no subject/, () => issuer.token(resource, { claims: { sub: "" } })],
    [
      "of a name that is no text",
      /names no subject/,
      () => issuer.token(resource, { claims: { sub: { admin: true } } }),
    ],
    [
      "with somebody else's key under the same name",
      /signature is wrong/,
      async () => issuer.token(resource, { key: await signingKey("first") }),
    ],
    ["that was changed", /signature is wrong/, changed],
    [
      "that brings its own key",
      /signature is wrong/,
      async () => {
        const key = await signingKey("first");
        return issuer.token(resource, { key, header: { jwk: key.publicJwk, jku: "http://127.0.0.1:9/keys" } });
      },
    ],
    [
      "with a key that nobody knows",
      /no such key/,
      async () => issuer.token(resource, { key: await signingKey("unknown") }),
    ],
    ["for a logout", /not an access token/, () => issuer.token(resource, { header: { typ: "logout+jwt" } })],
    ["with a demand that we do not know", /not a valid token/, () => demanding()],
    ["that is no token", /not a valid token/, () => "not.a.token"],
  ];

  test.each(bad)("96: a token %s is refused", async (_, said, make) => {
    const resourceServer = openResourceServer({ issuer: issuer.url });
    const token = await make();
    const { status, challenge, body: told } = await resourceServer.refusal(`Bearer ${token}`);
    expect(status).toBe(401);
    expect(challenge).toMatch(/^Bearer error="invalid_token", error_description="[ -!#-[\]-~]+", resource_metadata="/);
    expect(told).toMatch(said);
    expect(JSON.stringify([challenge, told, resourceServer.lines])).not.toContain(token);
    expect(resourceServer.lines).toEqual([]);
  });

  test("96: after the issuer has changed its key, the new one is known at once and the old one no longer", async () => {
    const rotating = await startIssuer();
    onTestFinished(() => rotating.close());
    const { admit, refusal, clock } = openResourceServer({ issuer: rotating.url });
    const old = await rotating.token(resource);
    await admit(old);
    rotating.keys = [await signingKey("second")];
    clock.pass(31_000);
    await admit(await rotating.token(resource));
    expect((await refusal(`Bearer ${old}`)).status).toBe(401);
  });

  test("96: a client that knows nothing but the address signs in by what it is told", async () => {
    const { url } = await guarded();
    const client = new Client({ name: "test", version: "1" });
    const authProvider = new ClientCredentialsProvider({
      clientId: "a-client",
      clientSecret: "s",
      scope: "duet",
      expectedIssuer: issuer.url,
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
    onTestFinished(() => client.close());
    const result = await client.callTool({ name: "who", arguments: {} });
    expect(result.content).toMatchObject([{ text: expect.stringMatching(/^[\w-]{43}$/) }]);
  });
});

describe("97: a conversation is its owner's", () => {
  test("97: who knows another's id gets what an unknown id gets: a new conversation, and none of its words", async () => {
    const model = scriptedModel(["Anna's answer.", "Ben's answer.", "Ben's other answer.", "The operator's."]);
    const duet = await duetWith({ models: { functionCall: model, alone: true } });
    const { outcome: annas } = await askAs(duet, anna, "The secret is abracadabra?");
    const replies = [];
    for (const conversationId of [annas.conversation_id, "conv-00000000000000000000000000000000"])
      replies.push(await askAs(duet, ben, "What was the secret?", { conversationId }));
    replies.push(await askAs(duet, {}, "What was the secret?", { conversationId: annas.conversation_id }));

    for (const { events, outcome } of replies) {
      expect(noticesOf(events)).toContain("conversation-unknown");
      expect(outcome.conversation_id).not.toBe(annas.conversation_id);
      expect(JSON.stringify(events)).not.toContain("abracadabra");
    }
    expect(JSON.stringify(model.requests.slice(1))).not.toContain("abracadabra");
    const stores = await Promise.all([ben, {}].map((caller) => duet.store(caller)));
    for (const store of stores) {
      expect(await store.load(annas.conversation_id)).toBeUndefined();
      expect(await store.trace(annas.run_id)).toBeUndefined();
      expect(await store.remove(annas.conversation_id)).toBe(false);
    }
    const kept = await (await duet.store(anna)).load(annas.conversation_id);
    expect(kept?.turns).toEqual([
      { question: "The secret is abracadabra?", answer: "Anna's answer.", note: expect.stringMatching(/^Today is /) },
    ]);
    // 122 random bits.
    expect(annas.conversation_id).toMatch(/^conv-[0-9a-f]{32}$/);
  });

  test("97: a plan that waits is carried out for its owner alone", async () => {
    const wipe = countedTool("wipe");
    const plan = written({ tool: "wipe", parameters: { text: "all" } });
    const model = scriptedModel([plan, "Nothing waits here.", "It is done."]);
    const settings = { agent: { plan: { unattended: "stop" } } };
    const duet = await duetWith({ models: { functionCall: model, alone: true }, tools: [wipe] }, settings);
    const { outcome } = await askAs(duet, anna, "Wipe it all", { mode: "plan" });
    expect(outcome.status).toBe("needs_confirmation");
    await askAs(duet, ben, "yes", { conversationId: outcome.conversation_id });
    expect(wipe.calls).toEqual([]);
    await askAs(duet, anna, "yes", { conversationId: outcome.conversation_id });
    expect(wipe.calls).toEqual(["all"]);
  });

  test("97: what one agreed to for a conversation is agreed to by nobody else", async () => {
    const wipe = countedTool("wipe", { annotations: { destructive: true } });
    const turns = () => [[{ id: "1", name: "wipe", input: { text: "it" } }], "Done."];
    const model = scriptedModel([...turns(), ...turns()]);
    const duet = await duetWith({ models: { functionCall: model, alone: true }, tools: [wipe] });
    const asked: string[] = [];
    const approveCall = async () => {
      asked.push("asked");
      return asked.length === 1 ? ("conversation" as const) : ("no" as const);
    };
    const { outcome } = await askAs(duet, anna, "Wipe it", { user: toUser({ approveCall }) });
    await askAs(duet, ben, "Wipe it", { user: toUser({ approveCall }), conversationId: outcome.conversation_id });
    expect([asked.length, wipe.calls.length]).toEqual([2, 1]);
  });
});

describe("98: what is one caller's is in no other one's cache", () => {
  test("98: lists of tools are each caller's own, however they alternate", async () => {
    const tools = ["alpha", "beta", "gamma"].map((name) => countedTool(name));
    const duet = await duetWith({ tools });
    const gateways = {
      alpha: duet.gateway({ ...anna, tools: ["alpha"] }),
      beta: duet.gateway({ ...ben, tools: ["beta"] }),
    };
    for (let round = 0; round < 3; round += 1)
      for (const [name, gateway] of Object.entries(gateways)) {
        expect((await gateway.tools()).map((tool) => tool.name)).toEqual([name]);
        expect((await gateway.findTools("the tool alpha beta gamma", 10)).map((tool) => tool.name)).toEqual([name]);
      }
    expect((await duet.gateway().tools()).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["alpha", "beta", "gamma"]),
    );
  });

  test("98: what one has searched for is searched for anew for another", async () => {
    const search = await startFakeSearch({
      topic: [{ title: "A page", url: "https://a.example/", content: "About it." }],
    });
    onTestFinished(() => search.close());
    const turns = () => [[{ id: "1", name: "web_search", input: { query: "topic" } }], "Found [1]."];
    const model = scriptedModel([...turns(), ...turns()]);
    const duet = await duetWith(
      { models: { functionCall: model, alone: true } },
      { search: { searxng: { url: search.url } } },
    );
    const { outcome } = await askAs(duet, anna, "Search it");
    const again = await askAs(duet, ben, "Search it", { conversationId: outcome.conversation_id });
    expect(again.outcome.tool_calls.map(({ cached }) => cached)).toEqual([false]);
    expect(search.journal).toHaveLength(2);
  });
});

describe("99: what a caller may not use is not used for it", () => {
  const limited: Caller = { ...anna, tools: ["safe"] };

  test.each(["agent", "plan"] as const)(
    "99: not through the agent (%s), which does not even hear of it",
    async (mode) => {
      const [safe, secret] = [countedTool("safe"), countedTool("secret_tool")];
      const plan = written({ tool: "secret_tool", parameters: { text: "x" } });
      const calls: ScriptedCall[] = [
        { id: "1", name: "secret_tool", input: {} },
        { id: "2", name: "safe", input: { text: "x" } },
      ];
      const turns = mode === "plan" ? [plan, plan, plan, plan, plan] : [calls, "Done.", "Done."];
      const model = scriptedModel(turns);
      const duet = await duetWith({ models: { functionCall: model, alone: true }, tools: [safe, secret] });
      const { outcome } = await askAs(duet, limited, "Use the tool", { mode, tools: ["*"] });
      expect(secret.calls).toEqual([]);
      expect(outcome.tool_calls.filter(({ tool, ok }) => tool === "secret_tool" && ok)).toEqual([]);
      const [first] = model.requests;
      expect(first?.tools.map(({ name }) => name)).toEqual(mode === "agent" ? ["safe"] : []);
      expect(JSON.stringify(first)).toContain("The tool safe");
      expect(JSON.stringify(first)).not.toContain("The tool secret_tool");
      if (mode === "agent") expect(safe.calls).toEqual(["x"]);
    },
  );

  test("99: not by itself, listed, found or named", async () => {
    const duet = await duetWith({ tools: [countedTool("safe"), countedTool("secret_tool")] });
    const gateway = duet.gateway(limited);
    expect((await gateway.tools()).map(({ name }) => name)).toEqual(["safe"]);
    expect(await gateway.tool("secret_tool")).toBeUndefined();
    expect((await gateway.findTools("safe or secret tool", 10)).map(({ name }) => name)).toEqual(["safe"]);
  });

  test("99: not with other arguments than it may, and by no pattern of its question", async () => {
    const safe = countedTool("safe");
    const duet = await duetWith({ tools: [safe] });
    const tool = await duet.gateway({ ...anna, tools: ["safe(ok*)"] }).tool("safe");
    const context = { signal: new AbortController().signal, locale: "en" as const, progress() {}, notice() {} };
    expect((await tool?.run({ text: "ok then" }, context))?.ok).toBe(true);
    expect(await tool?.run({ text: "no" }, context)).toMatchObject({ ok: false, permission: { rule: "caller.allow" } });
    expect(safe.calls).toEqual(["ok then"]);
  });

  test("99: who may use none has none, in every mode", async () => {
    const tool = countedTool("safe");
    const model = scriptedModel([[{ id: "1", name: "safe", input: {} }], "Nothing.", "Nothing."]);
    const duet = await duetWith({ models: { functionCall: model, alone: true }, tools: [tool] });
    const none: Caller = { ...ben, tools: [] };
    const { outcome } = await askAs(duet, none, "Use it");
    expect(model.requests[0]?.tools).toEqual([]);
    expect([outcome.status === "failed", tool.calls]).toEqual([false, []]);
    expect(await duet.gateway(none).tools()).toEqual([]);
  });
});
