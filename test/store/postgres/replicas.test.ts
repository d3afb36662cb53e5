import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createActiveRuns } from "../../../src/app/ask/active-runs.ts";
import { loadConversation } from "../../../src/app/conversations/sessions.ts";
import { createSharedApprovals } from "../../../src/app/conversations/shared-approvals.ts";
import { openDuet } from "../../../src/app/open-duet.ts";
import { createCredentialStore } from "../../../src/client/oauth/credential-store.ts";
import { createPinStore } from "../../../src/client/trust/pin-store.ts";
import { toServerOrigin } from "../../../src/client/trust/server-origin.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import type { FindRecords } from "../../../src/core/store/shared-records.ts";
import { createKeyedMutex } from "../../../src/kit/async/semaphore.ts";
import { openRunService } from "../../../src/runs/run-service.ts";
import { createPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { open as openServer, protectedBy, signIn, whoami } from "../../client/oauth/signing-in.ts";
import { startAuthorization } from "../../fakes/authorization-server.ts";
import { call, messagesOf, openSession, startHttpFace } from "../../fakes/http-interface.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { requires } from "../../runner/requirements.ts";
import { finishedRun } from "../runs.ts";

describe("two processes with one database", requires(postgres), () => {
  let server: SharedPostgres;
  let url: string;
  beforeAll(async () => {
    server = await sharePostgres();
    url = await server.createDatabase();
  });
  afterAll(() => server?.stop());

  async function openProcess() {
    const store = await createPostgresStore(url);
    onTestFinished(() => store.close());
    const { records } = store;
    if (records === undefined) throw new Error("the store shares no records");
    const find: FindRecords = async () => records;
    return { store, find };
  }
  const openTwo = () => Promise.all([openProcess(), openProcess()]);

  test("use a refresh token that is replaced with each use once, and both have what came of it", async () => {
    const stores = (await openTwo()).map(({ find }) => createCredentialStore(undefined, find));
    const [first] = stores;
    if (first === undefined) throw new Error("no store");
    const fake = await startAuthorization();
    const refreshes = () => fake.tokenRequests.filter((form) => form.get("grant_type") === "refresh_token").length;
    await signIn(protectedBy(fake.url), first);
    fake.accepted.clear();
    const opened = await Promise.all([...stores, ...stores].map((store) => openServer(protectedBy(fake.url), store)));
    expect(refreshes()).toBe(1);
    fake.accepted.clear();
    const answers = await Promise.all([...opened, ...opened].map(whoami));
    expect(answers).toEqual(
      answers.map(() => expect.objectContaining({ content: [expect.objectContaining({ text: "you" })] })),
    );
    expect(refreshes()).toBe(2);
    await Promise.all(opened.map(({ session }) => session.close()));
    expect(await first.forget("web")).toBe(true);
    expect(await stores[1]?.forget("web")).toBe(false);
  });

  test("approve the tools of a server for one another", async () => {
    const [here, there] = (await openTwo()).map(({ find }) => createPinStore(undefined, find));
    const settings = protectedBy("https://docs.example/mcp");
    expect(await there?.read(settings)).toEqual({ pins: undefined, problem: undefined });
    expect(await there?.hasChanged(settings)).toBe(false);
    const tool = { name: "read", description: "Reads.", inputSchema: { type: "object" }, annotations: {} };
    const pins = { origin: toServerOrigin(settings), tools: [tool], approved: ["read"] };
    await here?.write(settings, pins);
    expect([await here?.hasChanged(settings), await there?.hasChanged(settings)]).toEqual([false, true]);
    expect((await there?.read(settings))?.pins).toMatchObject({ tools: [{ name: "read" }], approved: ["read"] });
    expect(await there?.hasChanged(settings)).toBe(false);
    expect((await there?.read(protectedBy("https://evil.example/mcp")))?.pins).toBeUndefined();
  });

  test("remember what a person has agreed to for a conversation, until it is removed, and for its owner alone", async () => {
    const [here, there] = await openTwo();
    const anna = { owner: "anna" };
    const session = { approved: new Set(["a"]), refused: new Set(["b"]) };
    await createSharedApprovals(here.find, anna, "conv-1")?.save(session);
    const load = async (caller: { owner?: string }) => {
      const found = { approved: new Set<string>(), refused: new Set<string>() };
      await createSharedApprovals(there.find, caller, "conv-1")?.load(found);
      return found;
    };
    expect(await load(anna)).toEqual(session);
    expect(await load({})).toEqual({ approved: new Set(), refused: new Set() });
    await here.store.of("anna").append(finishedRun("conv-1", "One?", "Yes."));
    await here.store.of("anna").remove("conv-1");
    expect(await load(anna)).toEqual({ approved: new Set(), refused: new Set() });
  });

  test("confirm what the other one has shown, and a third process that knows nothing of it does, too", async () => {
    const services = await Promise.all(
      [1, 2, 3].map(async () => {
        const model = scriptedModel([]);
        const { store } = await openProcess();
        const config = await loadConfig({}, {}, "/nowhere", { name: "test", settings: {} });
        const duet = await openDuet(config, { store, models: { functionCall: model, answer: model } });
        onTestFinished(() => duet.close());
        return openRunService(duet, { settings: config.serve });
      }),
    );
    const what = { id: "run-1", kind: "call", owner: "anna", shown: { tool: "send" } } as const;
    const fits = () => {
      const token = services[0]?.confirmations.mint(what, Date.now() + 60_000) ?? "";
      return services.map(({ confirmations }) => confirmations.fits(token, what));
    };
    await expect.poll(fits).toEqual([true, true, true]);
    expect(await query(url, "SELECT count(*)::int AS n FROM shared_records WHERE kind = 'key'")).toEqual([{ n: 1 }]);
  });

  test("handle two replies to one plan one after the other, and the second one finds no plan any more", async () => {
    const anna = { owner: "anna" };
    const [here, there] = await openTwo();
    await here.store.of("anna").append({ ...finishedRun("conv-plan", "Plan it.", "So?"), pendingPlan: "1. Do it." });
    const reply = ({ store, find: findRecords }: typeof here) => {
      const going = createActiveRuns().begin();
      const options = {
        caller: anna,
        going,
        mutex: createKeyedMutex(),
        findRecords,
        branch: undefined,
        after: undefined,
      };
      return { going, loaded: loadConversation(store.of("anna"), "conv-plan", options) };
    };
    const first = reply(here);
    expect((await first.loaded).known?.pendingPlan).toBe("1. Do it.");
    const second = reply(there);
    // It waits for its turn, which is looked for again and again.
    await expect.poll(() => query(url, "SELECT kind FROM shared_records WHERE kind = 'plan turn'")).toHaveLength(1);
    await here.store.of("anna").append(finishedRun("conv-plan", "yes", "It is done."));
    first.going.end();
    expect((await second.loaded).known?.pendingPlan).toBeUndefined();
    second.going.end();
    await expect.poll(() => query(url, "SELECT kind FROM shared_records WHERE kind = 'plan turn'")).toEqual([]);
  });

  test("serve a session of MCP that the other one has begun, to its owner alone and until it is ended", async () => {
    const authenticate = async (request: Request) => ({
      caller: { owner: request.headers.get("authorization") ?? "" },
    });
    const faces = await Promise.all(
      (await openTwo()).map(({ find: findRecords }) => startHttpFace({ authenticate, findRecords })),
    );
    onTestFinished(async () => void (await Promise.all(faces.map((face) => face.close()))));
    const [here = "", there = ""] = faces.map((face) => face.url);
    const session = await openSession(here, { authorization: "anna" });
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const send = (to: string, id: number, authorization: string) =>
      fetch(to, {
        method: "POST",
        headers: { ...headers, authorization, "mcp-session-id": session.id, "mcp-protocol-version": "2025-11-25" },
        body: JSON.stringify(call(id, "who")),
      });
    expect((await send(there, 1, "ben")).status).toBe(404);
    const answers = await Promise.all([2, 3, 4].map((id) => send(there, id, "anna")));
    for (const [index, answer] of answers.entries())
      expect(messagesOf(await answer.text())).toMatchObject([{ id: index + 2, result: expect.anything() }]);
    expect(await (await send(here, 5, "anna")).text()).toContain("anna");
    const ended = await fetch(there, {
      method: "DELETE",
      headers: { authorization: "anna", "mcp-session-id": session.id },
    });
    expect(ended.status).toBe(200);
    expect((await send(there, 6, "anna")).status).toBe(404);
  });
});
