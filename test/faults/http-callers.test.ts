// Fault group H (docs/development/faults-network.md#h-identity-sessions-callers) over the agent API and OpenAI's wire: whose is
// what, and who may agree to what. The callers sign in with tokens of an authorization server.
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { isRecord } from "../../src/kit/json.ts";
import { countedTool } from "../fakes/callers.ts";
import { startHttpDuet } from "../fakes/http-duet.ts";
import { type FakeIssuer, startIssuer } from "../fakes/issuer.ts";
import { answer as answerBelow, sessionServer } from "../fakes/mcp-http.ts";
import type { ScriptedTurn } from "../fakes/model.ts";
import { startFakeProvider } from "../fakes/provider.ts";

let issuer: FakeIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
  return () => issuer.close();
});

interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Of an answer that is JSON. */
  json: Record<string, unknown>;
}

interface Sent {
  body?: object;
  headers?: Record<string, string>;
}

type Send = (method: string, path: string, sent?: Sent) => Promise<Answer>;

type Options = NonNullable<Parameters<typeof startHttpDuet>[0]>;

/** A Duet behind the sign-in, and what its callers send. */
async function openSignInServer(turns: ScriptedTurn[], more: Options = {}, auth: object = {}) {
  const http = { auth: { issuer: issuer.url, ...auth } };
  const settings = { search: { enabled: false }, serve: { http }, ...more.settings };
  const duet = await startHttpDuet({ turns, ...more, settings });
  const audience = `${duet.origin}/mcp`;
  async function as(sub: string, scope = ""): Promise<Send & { token: string }> {
    const token = await issuer.token(audience, { claims: { sub, scope } });
    const send: Send = async (method, path, { body, headers } = {}) => {
      const response = await fetch(duet.origin + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get("content-type")?.includes("json");
      const read: unknown = isJson ? JSON.parse(text) : undefined;
      return { status: response.status, headers: response.headers, text, json: isRecord(read) ? read : {} };
    };
    return Object.assign(send, { token });
  }
  const [anna, ben] = [await as("anna"), await as("ben")];
  return { duet, as, anna, ben };
}

const stream = { accept: "text/event-stream" };

describe("97: what is one caller's", () => {
  /** Every way to a run or a conversation. */
  const ways: [string, string, (id: string) => string, Sent?][] = [
    ["conversation_id", "GET", (id) => `/agent/conversations/${id}`],
    ["conversation_id", "DELETE", (id) => `/agent/conversations/${id}`],
    ["run_id", "GET", (id) => `/agent/runs/${id}`],
    ["run_id", "GET", (id) => `/agent/runs/${id}`, { headers: stream }],
    ["run_id", "GET", (id) => `/agent/runs/${id}`, { headers: { ...stream, "last-event-id": "1" } }],
    ["run_id", "DELETE", (id) => `/agent/runs/${id}`],
    ["run_id", "POST", (id) => `/agent/runs/${id}/reply`, { body: { question_id: "q", answer: "once" } }],
  ];

  /** That `who` gets the same for another's id as for one that never was. */
  async function expectUnknown(who: Send, ids: Record<string, unknown>): Promise<void> {
    for (const [name, method, path, sent] of ways) {
      const id = String(ids[name]);
      const never = id.replace(/[0-9a-f]{32}$/, "0".repeat(32));
      const [taken, unknown] = [await who(method, path(id), sent), await who(method, path(never), sent)];
      const way = `${method} ${path("ID")}`;
      expect([way, taken.status, taken.text.replaceAll(id, "ID")]).toEqual([
        way,
        404,
        unknown.text.replaceAll(never, "ID"),
      ]);
    }
  }

  test("is as unknown to another one as what never was, by every route, and stays as it was", async () => {
    const { anna, ben, duet } = await openSignInServer(["The word is swordfish.", "No idea.", "Swordfish."]);
    const { json: annas } = await anna("POST", "/agent/chat", { body: { message: "Say the word." } });
    expect(annas).toMatchObject({
      status: "complete",
      conversation_id: expect.stringMatching(/^conv-[0-9a-f]{32}$/),
      run_id: expect.stringMatching(/^run-[0-9a-f]{32}$/),
    });
    await expectUnknown(ben, annas);
    expect((await ben("GET", "/agent/runs")).json).toEqual({ runs: [], next_offset: null });
    expect((await ben("GET", "/agent/conversations")).json).toMatchObject({ conversations: [] });
    const { conversation_id } = annas;
    const { json: bens } = await ben("POST", "/agent/chat", { body: { message: "What was it?", conversation_id } });
    expect(bens.conversation_id).not.toBe(conversation_id);
    expect(JSON.stringify([bens, duet.model.requests[1]])).not.toContain("swordfish");
    const { json: kept } = await anna("GET", `/agent/conversations/${conversation_id}`);
    expect(JSON.stringify(kept)).toContain("swordfish");
    expect(JSON.stringify(kept)).not.toContain("What was it?");
    await anna("POST", "/agent/chat", { body: { message: "Again?", conversation_id } });
    expect(JSON.stringify(duet.model.requests[2])).toContain("swordfish");
  });

  test("is no less unknown while it goes on, and goes on", async () => {
    const gate = Promise.withResolvers<void>();
    const { anna, ben } = await openSignInServer(["At last."], { gate: gate.promise });
    const { json: going } = await anna("POST", "/agent/chat", { body: { message: "Take your time.", wait_s: 1 } });
    expect(going.status).toBe("running");
    await expectUnknown(ben, { ...going, conversation_id: going.conversation_id || `conv-${"1".repeat(32)}` });
    expect((await ben("GET", "/agent/runs")).json).toEqual({ runs: [], next_offset: null });
    gate.resolve();
    const { text } = await anna("GET", `/agent/runs/${going.run_id}`, { headers: stream });
    expect(text).toContain("At last.");
  });

  test("is not given out for an idempotency key that two of them use", async () => {
    const { anna, ben, duet } = await openSignInServer(["For Anna.", "For Ben."]);
    const sent: Sent = { body: { message: "For whom?" }, headers: { "idempotency-key": "k-1" } };
    const [first, again, other] = [
      await anna("POST", "/agent/chat", sent),
      await anna("POST", "/agent/chat", sent),
      await ben("POST", "/agent/chat", sent),
    ];
    expect([first, again, other].map(({ json }) => json.response)).toEqual(["For Anna.", "For Anna.", "For Ben."]);
    expect(again.json.run_id).toBe(first.json.run_id);
    expect(duet.model.requests).toHaveLength(2);
    const changed = await anna("POST", "/agent/chat", { ...sent, body: { message: "Something else?" } });
    expect([400, 409, 422]).toContain(changed.status);
    expect(duet.model.requests).toHaveLength(2);
  });
});

describe("100, 101: what was agreed to is what runs, once, and for who agreed", () => {
  const wiping = (text = "it"): ScriptedTurn[] => [[{ id: "1", name: "wipe", input: { text } }], "Done."];
  const wiper = () => countedTool("wipe", { annotations: { destructive: true } });

  function tokenOf({ json }: Answer): string {
    const { confirmation } = json;
    const token = isRecord(confirmation) ? confirmation.token : undefined;
    if (typeof token !== "string") throw new Error(`no token: ${JSON.stringify(json)}`);
    return token;
  }

  test("a token is nobody else's, cannot be changed, and counts once, however often it comes at once", async () => {
    const wipe = wiper();
    const { anna, ben } = await openSignInServer([...wiping(), ...wiping("another")], { tools: [wipe] });
    const waits = await anna("POST", "/agent/chat", { body: { message: "Wipe it." } });
    expect(waits.json.status).toBe("needs_confirmation");
    const token = tokenOf(waits);
    const yes = (who: Send, confirmation: string) =>
      who("POST", "/agent/chat", { body: { message: "yes", confirmation } });
    const changed = `${token.slice(0, -2)}${token.at(-2) === "A" ? "B" : "A"}${token.at(-1)}`;
    for (const answer of [await yes(ben, token), await yes(anna, changed), await yes(anna, "x")])
      expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
    expect(wipe.calls).toEqual([]);
    const raced = await Promise.all([yes(anna, token), yes(anna, token), yes(anna, token)]);
    expect(wipe.calls).toEqual(["it"]);
    expect(raced.filter(({ json }) => json.status === "complete").length).toBeGreaterThan(0);
    expect((await yes(anna, token)).status).toBe(400);
    // Nor does it stand for the next call.
    const next = await anna("POST", "/agent/chat", { body: { message: "Wipe another." } });
    expect(next.json.status).toBe("needs_confirmation");
    expect((await yes(anna, token)).status).toBe(400);
    expect(wipe.calls).toEqual(["it"]);
  });

  /** The first `event: question` of a run, as soon as it is there. */
  async function firstQuestion(url: string, init: RequestInit) {
    const over = new AbortController();
    onTestFinished(() => over.abort());
    const response = await fetch(url, { ...init, signal: over.signal });
    let text = "";
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      const data = /^event: question\ndata: ([^\n]+)\n/m.exec(text)?.[1];
      if (data === undefined) continue;
      const question: unknown = JSON.parse(data);
      if (!isRecord(question)) break;
      return { place: response.headers.get("location") ?? "", question };
    }
    throw new Error(`no question: ${text}`);
  }

  test("a question is answered by its own caller, by its own id, once", async () => {
    const wipe = wiper();
    const { anna, ben, duet } = await openSignInServer(wiping(), { tools: [wipe] });
    const { place, question } = await firstQuestion(`${duet.origin}/agent/chat`, {
      method: "POST",
      headers: { ...stream, authorization: `Bearer ${anna.token}`, "content-type": "application/json" },
      body: JSON.stringify({ message: "Wipe it.", asks: true }),
    });
    expect(question).toMatchObject({ kind: "call", tool: "wipe", arguments: { text: "it" } });
    const reply = (who: Send, question_id: unknown, answer: unknown = "once") =>
      who("POST", `${place}/reply`, { body: { question_id, answer } });
    expect((await reply(ben, question.question_id)).status).toBe(404);
    expect((await reply(anna, "0".repeat(32))).status).toBe(409);
    for (const odd of ["always", "__proto__", { reply: "yes" }, null, ["once"]])
      expect([odd, (await reply(anna, question.question_id, odd)).status]).toEqual([odd, 400]);
    expect(wipe.calls).toEqual([]);
    const raced = await Promise.all(Array.from({ length: 4 }, () => reply(anna, question.question_id)));
    expect(raced.map(({ status }) => status).toSorted()).toEqual([204, 409, 409, 409]);
    await expect.poll(() => wipe.calls).toEqual(["it"]);
    expect((await reply(anna, question.question_id)).status).toBe(409);
  });

  test("who does not say that he answers is not asked: the call does not run", async () => {
    const wipe = wiper();
    const { anna } = await openSignInServer(wiping(), { tools: [wipe] });
    const { text } = await anna("POST", "/agent/chat", { body: { message: "Wipe it." }, headers: stream });
    expect(text).toContain('"type":"run-end"');
    expect(text).not.toContain("event: question");
    expect(wipe.calls).toEqual([]);
  });
});

describe("95: the token of the caller stays with us", () => {
  test.each([
    ["/agent/chat", { message: "Ask below." }, {}],
    ["/agent/chat", { message: "Ask below." }, stream],
    ["/v1/chat/completions", { model: "duet-agent", messages: [{ role: "user", content: "Ask below." }] }, {}],
  ])(
    "95: neither a provider, a server below nor the operator's log sees what came with %s",
    async (path, body, accept) => {
      const below = await sessionServer((message, response) =>
        answerBelow(response, message, { content: [{ type: "text", text: "from below" }] }),
      );
      onTestFinished(() => below.close());
      const provider = await startFakeProvider();
      onTestFinished(() => provider.close());
      provider.script("gpt-x", { toolCalls: [{ id: "1", name: "down__ask", arguments: {} }] }, { text: "Asked." });
      const settings = {
        providers: { fake: { wire: "openai-chat", baseUrl: provider.openaiUrl, apiKeyEnv: "FAKE_KEY" } },
        models: { functionCall: { provider: "fake", model: "gpt-x" } },
        mcpServers: { down: { type: "http", url: below.url } },
        tools: { allow: ["down__*"] },
      };
      const { anna, duet } = await openSignInServer([], {
        settings,
        environment: { FAKE_KEY: "provider-key" },
        models: {},
      });
      const headers = {
        ...accept,
        cookie: `session=${anna.token}`,
        "x-api-key": anna.token,
        "openai-organization": anna.token,
      };
      const { text } = await anna("POST", path, { body, headers });
      expect(text).toContain("Asked.");
      expect(below.hits.filter(({ body }) => body.includes("tools/call"))).toHaveLength(1);
      const signature = anna.token.split(".")[2] ?? anna.token;
      expect(JSON.stringify([below.hits, provider.journal, duet.lines, text])).not.toContain(signature);
      expect(below.hits.flatMap(({ headers }) => Object.keys(headers))).not.toContain("authorization");
    },
  );
});

describe("99: what a caller may not use is not used for it", () => {
  const scopes = { tools: { safe: ["safe"], none: [] } };
  const calls = [
    { id: "1", name: "secret_tool", input: { text: "x" } },
    { id: "2", name: "safe", input: { text: "x" } },
  ];
  const chat = { model: "duet-agent", messages: [{ role: "user", content: "Use the tools." }] };
  const wanted = { type: "function", function: { name: "secret_tool", parameters: { type: "object" } } };

  test.each([
    ["/agent/chat", { message: "Use the tools.", tools: ["*"] }],
    ["/agent/chat", { message: "Use the tools.", tools: ["secret_tool", "safe"] }],
    ["/v1/chat/completions", chat],
    ["/v1/chat/completions", { ...chat, tools: [wanted] }],
  ])("99: not by %s with %j", async (path, body) => {
    const [safe, secret] = [countedTool("safe"), countedTool("secret_tool")];
    const { as, duet } = await openSignInServer([calls, "Done.", "Done."], { tools: [safe, secret] }, scopes);
    const limited = await as("anna", "safe");
    const { status } = await limited("POST", path, { body });
    expect([status, secret.calls, safe.calls]).toEqual([200, [], ["x"]]);
    const [first] = duet.model.requests;
    // A tool that the client brings along is the client's, whatever its name.
    const brought = path.startsWith("/v1") && "tools" in body ? ["secret_tool"] : [];
    expect(first?.tools.map(({ name }) => name)).toEqual(["safe", ...brought]);
    expect(JSON.stringify(first)).not.toContain("The tool secret_tool");
  });

  test("99: one may not pick a model that the operator has not set up, nor learn of a tool by what is refused", async () => {
    const { anna, duet } = await openSignInServer(["Said."]);
    for (const name of ["http://evil.test/x", "fake/other", "../x/y", "__proto__/x", "openai/gpt-9"]) {
      const { status, json } = await anna("POST", "/agent/chat", {
        body: { message: "x", models: { function_call: name } },
      });
      expect([name, status, json.code]).toEqual([name, 400, "invalid_request"]);
    }
    expect(duet.model.requests).toEqual([]);
  });
});

describe("names that come in the address or in a header", () => {
  const odd = [
    "..",
    "%2e%2e",
    "%2e%2e%2f%2e%2e%2fetc",
    "%00",
    "%0d%0aset-cookie:%20a=b",
    "__proto__",
    "constructor",
    "%E0%A4%A",
    "%ff",
    "x".repeat(10_000),
    "%F0%9F%98%80",
    "run-0?x=1",
    "*",
  ];

  test("that are odd are not found, and reach no header", async () => {
    const { anna } = await openSignInServer([]);
    for (const id of odd)
      for (const [method, path] of [
        ["GET", `/agent/runs/${id}`],
        ["DELETE", `/agent/runs/${id}`],
        ["GET", `/agent/conversations/${id}`],
        ["DELETE", `/agent/conversations/${id}`],
      ] as const) {
        const { status, headers, text } = await anna(method, path);
        const shown = `${method} ${path.slice(0, 60)}`;
        expect([shown, status]).toEqual([
          shown,
          expect.toSatisfy((it) => [400, 404, 405].includes(Number(it)) || id === ".." || id === "%2e%2e"),
        ]);
        expect([shown, headers.get("set-cookie"), text.length]).toEqual([
          shown,
          null,
          expect.toSatisfy((it) => Number(it) < 2000),
        ]);
      }
  });

  test("a conversation's, an event's and a key that are odd are refused or not known, never a fault", async () => {
    const { anna, duet } = await openSignInServer(Array.from({ length: 20 }, () => "Said."));
    for (const id of ["../../etc/passwd", "__proto__", "a\r\nset-cookie: x=y", "\u0000", "x".repeat(10_000)]) {
      const { status, json, headers } = await anna("POST", "/agent/chat", {
        body: { message: "x", conversation_id: id },
      });
      expect([id, status < 500]).toEqual([id, true]);
      expect([id, json.conversation_id === id, headers.get("set-cookie")]).toEqual([id, false, null]);
    }
    const { json } = await anna("POST", "/agent/chat", { body: { message: "x" } });
    for (const id of ["-1", "0", "1e9", "NaN", "__proto__", "9".repeat(400), "1.5", "%0d%0a", "x".repeat(8000)]) {
      const { status, text } = await anna("GET", `/agent/runs/${json.run_id}`, {
        headers: { ...stream, "last-event-id": id },
      });
      expect([id, status < 500, text.length < 20_000]).toEqual([id, true, true]);
    }
    const before = duet.model.requests.length;
    for (const key of ["", "x".repeat(201), "a b", "é", "a\tb"]) {
      const { status, json: told } = await anna("POST", "/agent/chat", {
        body: { message: "x" },
        headers: { "idempotency-key": key },
      });
      expect([key, status, told.code]).toEqual([key, 400, "invalid_request"]);
    }
    expect(duet.model.requests).toHaveLength(before);
    const { status } = await anna("POST", "/agent/chat", {
      body: { message: "x" },
      headers: { "idempotency-key": "__proto__" },
    });
    expect(status).toBe(200);
  });
});
