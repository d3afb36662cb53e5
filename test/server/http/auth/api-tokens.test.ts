import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createToken, endToken, listTokens, type NewToken } from "../../../../src/cli/tokens/tokens-command.ts";
import { hashSecret } from "../../../../src/core/store/credentials.ts";
import { createApiTokenCheck } from "../../../../src/server/http/auth/check-api-token.ts";
import { StoreError } from "../../../../src/store/errors/store-error.ts";
import { createMemoryCredentials } from "../../../../src/store/memory/credentials.ts";
import { createSqliteStore } from "../../../../src/store/sqlite/sqlite-store.ts";
import { startHttpDuet } from "../../../fakes/http-duet.ts";
import { temporaryFolder } from "../../../fakes/program.ts";

const wanted = { scope: "ask", tools: undefined, owner: undefined, days: 30 } as const;
const question = { message: "Say it." };

/** A server whose store another process, which the commands stand for, has open, too. */
async function start(http: Record<string, unknown> = { requireToken: true }) {
  const home = await temporaryFolder();
  const duet = await startHttpDuet({
    turns: [{ text: "Said." }, { text: "Said." }, { text: "Said." }, { text: "Said." }],
    settings: { conversations: { store: "disk" }, serve: { http } },
    environment: { HOME: home, DUET_HOME: home },
  });
  const store = await createSqliteStore(join(home, "duet.db"));
  onTestFinished(() => store.close());
  const written: string[] = [];
  const options = {
    tokens: store.credentials.tokens,
    isKept: true,
    locale: "en",
    output: "json",
    write: (text: string) => void written.push(text),
    writeLine() {},
  } as const;
  const run = async (work: Promise<number>) => {
    await work;
    return JSON.parse(written.splice(0).join("") || "{}");
  };
  async function create(token: Partial<NewToken> & { name: string }): Promise<string> {
    return (await run(createToken(options, { ...wanted, ...token }))).token;
  }
  async function send(method: string, path: string, headers: Record<string, string>, body?: unknown) {
    const json: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(duet.origin + path, { method, headers: { ...json, ...headers }, ...sent });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const list = async () => (await run(listTokens(options))).tokens;
  const revoke = (name: string) => endToken(options, name);
  return { duet, home, store, create, send, list, revoke };
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

test("a token that is made while the server runs is accepted by every interface, and refused as soon as it is revoked", async () => {
  const { home, create, send, list, revoke, store } = await start();
  const token = await create({ name: "ci" });
  expect(token).toMatch(/^duet_[\w-]{43}$/);
  const chat = { model: "duet-agent", messages: [{ role: "user", content: "Say it." }] };
  const initialize = {
    ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };
  const both = { accept: "application/json, text/event-stream" };
  const ask = async (headers: Record<string, string>) => [
    (await send("POST", "/agent/chat", headers, question)).status,
    (await send("POST", "/v1/chat/completions", headers, chat)).status,
    (await send("POST", "/mcp", { ...both, ...headers }, initialize)).status,
  ];
  expect(await ask({})).toEqual([401, 401, 401]);
  expect(await ask(bearer(token))).toEqual([200, 200, 200]);
  // Clients of Anthropic's API send it so; elsewhere that header means nothing.
  expect((await send("GET", "/v1/models", { "x-api-key": token })).status).toBe(200);
  expect((await send("GET", "/agent/runs", { "x-api-key": token })).status).toBe(401);

  expect(await list()).toMatchObject([{ name: "ci", hint: token.slice(0, 9), state: "active", owner: "token:ci" }]);
  await expect.poll(async () => (await list())[0].last_used_at).toMatch(/^\d{4}-/);
  const files = ["duet.db", "duet.db-wal"].map((name) => readFile(join(home, name), "latin1"));
  expect((await Promise.all(files)).join()).not.toContain(token.slice(9));

  await revoke("ci");
  expect(await ask(bearer(token))).toEqual([401, 401, 401]);
  const refused = await send("GET", "/agent/runs", bearer(token));
  expect(JSON.parse(refused.text).detail).toBe("the API token ci has been revoked");
  expect(refused.headers.get("www-authenticate")).toContain('error="invalid_token"');
  // What is stored lets nobody in.
  expect((await send("GET", "/agent/runs", bearer(`duet_${hashSecret(token)}`))).text).toContain("no such API token");
  expect((await store.credentials.tokens.list()).map(({ hash }) => hash)).toEqual([hashSecret(token)]);
});

test("each token has conversations of its own, unless they are given one owner, and only operate is the operator", async () => {
  const { create, send } = await start();
  const [a, b, c] = [
    await create({ name: "a" }),
    await create({ name: "b" }),
    await create({ name: "c", owner: "token:a" }),
  ];
  const boss = await create({ name: "boss", scope: "operate" });
  const listed = async (token: string) =>
    JSON.parse((await send("GET", "/agent/conversations", bearer(token))).text).conversations.length;
  expect((await send("POST", "/agent/chat", bearer(a), question)).status).toBe(200);
  expect([await listed(a), await listed(b), await listed(c), await listed(boss)]).toEqual([1, 0, 1, 0]);
  const refused = await send("GET", "/metrics", bearer(a));
  expect([refused.status, JSON.parse(refused.text).detail]).toEqual([
    403,
    "/metrics is for the operator of this server (with DUET_HTTP_TOKEN, or an API token of the scope operate)",
  ]);
  expect((await send("GET", "/metrics", bearer(boss))).status).toBe(200);
});

test("a token that only reads begins and ends nothing", async () => {
  const { create, send } = await start();
  const token = await create({ name: "looker", scope: "read" });
  expect((await send("GET", "/agent/conversations", bearer(token))).status).toBe(200);
  const refused = await send("POST", "/agent/chat", bearer(token), question);
  expect([refused.status, JSON.parse(refused.text).detail]).toEqual([
    403,
    "the API token looker has the scope read, which only reads (needed: ask)",
  ]);
  expect((await send("DELETE", "/agent/conversations/conv-x", bearer(token))).status).toBe(403);
  const counted = { model: "duet-chat", messages: [{ role: "user", content: "Hello" }] };
  expect((await send("POST", "/v1/messages/count_tokens", bearer(token), counted)).status).toBe(200);
  expect((await send("POST", "/v1/messages", bearer(token), { ...counted, max_tokens: 9 })).status).toBe(403);
  expect((await send("POST", "/mcp", bearer(token), { jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(403);
});

test("where nobody has to bring a token, one that is brought still counts", async () => {
  const { create, send, revoke } = await start({});
  const token = await create({ name: "ci" });
  expect((await send("GET", "/metrics", {})).status).toBe(200);
  expect((await send("GET", "/metrics", bearer(token))).status).toBe(403);
  await revoke("ci");
  expect((await send("GET", "/agent/runs", bearer(token))).status).toBe(401);
});

describe("a token", () => {
  const start = Date.parse("2026-11-26T00:00:00Z");
  const token = "duet_secret-of-a-test";
  function check() {
    const credentials = createMemoryCredentials();
    let now = start;
    const admit = createApiTokenCheck({ credentials: async () => credentials, now: () => now });
    const ask = () => admit(token, new Request("http://duet/agent/runs"));
    const pass = (ms: number) => {
      now += ms;
    };
    return { credentials, ask, pass };
  }
  const stored = {
    hash: hashSecret(token),
    name: "t",
    hint: "duet_secr",
    scope: "ask",
    owner: "token:t",
    tools: ["calculator"],
    createdAt: new Date(start).toISOString(),
    expiresAt: new Date(start + 1000).toISOString(),
  } as const;

  test("expires at its time, and its name is free again", async () => {
    const { credentials, ask, pass } = check();
    await credentials.tokens.add(stored);
    pass(999);
    expect(await ask()).toEqual({ caller: { owner: "token:t", tools: ["calculator"] }, key: "t" });
    expect(await credentials.tokens.add({ ...stored, hash: "other" })).toBe(false);
    pass(1);
    expect(await ask()).toMatchObject({
      status: 401,
      text: { en: "the API token t expired at 2026-11-26T00:00:01.000Z" },
    });
    const later = new Date(start + 1000).toISOString();
    expect(await credentials.tokens.add({ ...stored, hash: "other", createdAt: later })).toBe(true);
  });

  test("lets nobody in while the store cannot be read", async () => {
    const broken = new StoreError(new Error("the disk is gone"), "duet.db");
    const admit = createApiTokenCheck({ credentials: () => Promise.reject(broken), now: () => start });
    expect(await admit(token, new Request("http://duet/mcp"))).toMatchObject({ status: 503 });
  });
});
