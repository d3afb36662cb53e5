// Faults 97 and 98 of the matrix: what is one caller's is not there for another, over HTTP in both eras.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { Duet } from "../../src/app/duet.ts";
import { openDuet } from "../../src/app/open-duet.ts";
import type { Config } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Caller } from "../../src/core/caller.ts";
import { replaceStream } from "../../src/core/model/model.ts";
import { createMcpInterface } from "../../src/server/mcp/mcp-interface.ts";
import { makeTool } from "../fakes/events.ts";
import { type ServedFace, startHttpFace } from "../fakes/http-interface.ts";
import { scriptedModel } from "../fakes/model.ts";

const callers: Record<string, Caller> = {
  anna: { owner: "anna" },
  ben: { owner: "ben", tools: ["public_*"] },
};

/** What the model was sent for each question, by its last words. */
const sent: string[] = [];

/** Answers with what it was asked. */
const model = replaceStream(scriptedModel([]), (request, onEvent, signal) => {
  sent.push(JSON.stringify(request.messages));
  return scriptedModel(["It is as you say."]).stream(request, onEvent, signal);
});

let duet: Duet;
let face: ServedFace;

beforeAll(async () => {
  const settings = { conversations: { store: "memory" }, locale: "en", search: { enabled: false } };
  const config: Config = await loadConfig({}, {}, "/nowhere", { name: "test", settings });
  const tools = ["public_tool", "secret_tool"].map((name) => makeTool(name, () => ({ ok: true, text: "" })));
  duet = await openDuet(config, { models: { functionCall: model, answer: model }, tools });
  const { createServer } = createMcpInterface(duet, { settings: config.serve, asks: config.tools.ask, expose: "both" });
  face = await startHttpFace({
    createServer,
    async authenticate({ headers }) {
      const caller = callers[headers.get("authorization") ?? ""];
      return caller ? { caller } : { status: 401, text: { zh: "谁", en: "who" } };
    },
  });
});

afterAll(async () => {
  await face.close();
  await duet.close();
});

type Json = Record<string, unknown>;

describe.each(["legacy", "auto"] as const)("hosts of the %s era", (mode) => {
  async function connect(name: keyof typeof callers): Promise<Client> {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: name } };
    await client.connect(new StreamableHTTPClientTransport(new URL(face.url), { requestInit }));
    onTestFinished(() => client.close());
    return client;
  }

  async function call(client: Client, name: string, args: Json): Promise<Json> {
    const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: args });
    return { isError, structuredContent, content };
  }

  async function asked(client: Client, args: Json): Promise<Record<"conversation_id" | "run_id", string>> {
    const { structuredContent } = await call(client, "agent_ask", args);
    return JSON.parse(JSON.stringify(structuredContent));
  }

  /** An answer without what differs by the id that was asked for. */
  function without(id: string, answer: unknown): string {
    return JSON.stringify(answer).replaceAll(id, "ID");
  }

  async function failure(work: Promise<unknown>): Promise<unknown> {
    return work.then(
      () => expect.unreachable("it was given out"),
      ({ code, message, data }: { code: number; message: string; data: unknown }) => ({ code, message, data }),
    );
  }

  test("97: another's conversation, run and trace are as unknown as what was never there", async () => {
    const [anna, ben] = [await connect("anna"), await connect("ben")];
    const secret = `The word is swordfish-${mode}.`;
    const annas = await asked(anna, { question: secret });
    const never = { conversation_id: "conv-never", run_id: "run-never" };

    for (const tool of ["agent_result", "agent_cancel"]) {
      const [taken, unknown] = [
        await call(ben, tool, { run_id: annas.run_id }),
        await call(ben, tool, { run_id: never.run_id }),
      ];
      expect(taken).toMatchObject({ isError: true });
      expect(without(annas.run_id, taken)).toBe(without(never.run_id, unknown));
    }
    for (const [kind, id, other] of [
      ["runs", annas.run_id, never.run_id],
      ["conversations", annas.conversation_id, never.conversation_id],
    ] as const) {
      const taken = await failure(ben.readResource({ uri: `duet://${kind}/${id}` }));
      const unknown = await failure(ben.readResource({ uri: `duet://${kind}/${other}` }));
      expect(without(id, taken)).toBe(without(other, unknown));
    }

    const before = sent.length;
    const bens = await asked(ben, { question: "What is the word?", conversation_id: annas.conversation_id });
    expect(bens.conversation_id).not.toBe(annas.conversation_id);
    expect(sent.length).toBeGreaterThan(before);
    expect(sent.slice(before).join("\n")).not.toContain("swordfish");
    // Nothing of his is in her conversation, which goes on as it was.
    await asked(anna, { question: "Again?", conversation_id: annas.conversation_id });
    expect(sent.at(-1)).toContain(secret);
    expect(sent.at(-1)).not.toContain("What is the word?");
  });

  test("97: ids are not to be guessed", async () => {
    const { conversation_id, run_id } = await asked(await connect("anna"), { question: `Ids of ${mode}?` });
    for (const id of [conversation_id, run_id]) expect(id).toMatch(/^(conv|run)-[0-9a-f]{32}$/);
  });

  test("98: lists are of who asks, whoever has asked before", async () => {
    const asking = await connect("anna");
    const { run_id } = await asked(asking, { question: `A question of Anna's in ${mode}` });
    const listed = async (name: keyof typeof callers): Promise<string> => {
      const client = await connect(name);
      return JSON.stringify([await client.listTools(), await client.listResources()]);
    };
    const [anna, ben] = [await listed("anna"), await listed("ben")];
    expect([await listed("anna"), await listed("ben")]).toEqual([anna, ben]);
    expect(anna).toContain("secret_tool");
    expect(ben).not.toContain("secret_tool");
    expect(ben).toContain("public_tool");
    // Her runs are listed on the connection that they were asked on.
    expect(ben).not.toContain(run_id);
    if (mode === "legacy") expect(JSON.stringify(await asking.listResources())).toContain(`duet://runs/${run_id}`);
  });
});

test("98: no answer may be kept by what stands between", async () => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]) {
    const response = await fetch(face.url, {
      method: "POST",
      headers: {
        authorization: "anna",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { _meta: meta } }),
    });
    const text = await response.text();
    expect(response.headers.get("cache-control")).toMatch(/no-store/);
    expect(text).toContain('"cacheScope":"private"');
    expect(text).toContain('"ttlMs":0');
  }
});
