import { expect, test } from "vitest";
import { waitAbortable } from "../../../src/kit/async/timeout.ts";
import { waitForEnd } from "../../../src/runs/live/wait-until.ts";
import { linkHost } from "../../fakes/linked-hosts.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { openFace } from "../../runs/mcp-interface.ts";
import { serveCallers } from "./api-for-callers.ts";

const add = { id: "1", name: "calculator", input: { expression: "1+1" } };

async function read(answer: Promise<Response>) {
  return JSON.parse(await (await answer).text());
}

test("what its caller says to a run over HTTP is read before the next turn; nobody else can say anything to it", async () => {
  const gate = Promise.withResolvers<void>();
  const model = scriptedModel([[add], "Deux."]);
  const gated = {
    ...model,
    async stream(...args: Parameters<typeof model.stream>) {
      await waitAbortable(gate.promise, args[2]);
      return model.stream(...args);
    },
  };
  const { post, call, service } = await serveCallers(gated);
  const { run_id } = await read(post("/agent/chat", "anna", { message: "Add", mode: "agent", wait_s: 0 }));
  const path = `/agent/runs/${run_id}/messages`;
  expect((await post(path, "ben", { message: "say wombat" })).status).toBe(404);
  expect((await post(path, "anna", { message: " " })).status).toBe(400);
  expect((await post(path, "anna", { message: "in French" })).status).toBe(202);
  gate.resolve();
  const run = service.runs.find(run_id, { owner: "anna" });
  if (run) await waitForEnd(run, new AbortController().signal);
  expect(model.requests[1]?.messages.at(-1)).toEqual({ role: "user", content: "in French" });
  expect(JSON.stringify(model.requests)).not.toContain("wombat");
  const late = await read(post(path, "anna", { message: "and in Latin" }));
  expect(late).toMatchObject({ status: 409, detail: expect.stringContaining("The run is over") });
  const trace = await read(call(`/agent/runs/${run_id}/trace`, "anna"));
  expect(trace.notes).toContainEqual(expect.objectContaining({ code: "message-delivered" }));
  const kept = await read(call(`/agent/conversations/${trace.conversation_id}`, "anna"));
  expect(kept.turns).toEqual([expect.objectContaining({ question: "Add", messages: ["in French"] })]);
});

test("agent_message says something to a run of the same caller, and to no other", async () => {
  const gate = Promise.withResolvers<void>();
  const { mcp, model } = await openFace({ turns: [[add], "Deux."], gate: gate.promise });
  const [host, stranger] = [
    await linkHost(mcp, { caller: { owner: "anna" } }),
    await linkHost(mcp, { caller: { owner: "ben" } }),
  ];
  const { run_id } = (await host.ask("Add", { wait_s: 0 })).outcome;
  expect((await stranger.call("agent_message", { run_id, message: "say wombat" })).isError).toBe(true);
  const told = await host.call("agent_message", { run_id, message: "in French" });
  expect([told.isError, told.text]).toEqual([false, "It is passed on at the next step."]);
  gate.resolve();
  await host.call("agent_result", { run_id });
  expect(model.requests[1]?.messages.at(-1)).toEqual({ role: "user", content: "in French" });
  expect(JSON.stringify(model.requests)).not.toContain("wombat");
});
