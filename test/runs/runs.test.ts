import { InMemoryTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { eras, linkHost } from "../fakes/linked-hosts.ts";
import { openFace } from "./mcp-interface.ts";

const wipe = { id: "1", name: "wipe_disk", input: { disk: "a" } };

describe.each(eras)("a host of %s", (era) => {
  test("is given a run that goes on when its window closes, and the whole answer by agent_result", async () => {
    const gate = Promise.withResolvers<void>();
    const { mcp, model } = await openFace({ turns: ["Forty-two."], gate: gate.promise });
    const host = await linkHost(mcp, { era });
    const first = await host.ask("What is it?", { wait_s: 0 });
    expect(first.isError).toBe(false);
    expect(first.outcome).toMatchObject({ status: "running", stop_reason: "running", response: first.text });
    const { run_id } = first.outcome;
    expect(first.text).toContain(`agent_result {"run_id":"${run_id}"}`);
    gate.resolve();
    const rest = await host.call("agent_result", { run_id });
    expect(rest.outcome).toMatchObject({ status: "complete", response: "Forty-two.", run_id });
    expect(rest.text).toBe("Forty-two.");
    expect(rest.content).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
  });

  test("that asks the same again while it goes on is given the same run", async () => {
    const gate = Promise.withResolvers<void>();
    const { mcp, model } = await openFace({ turns: ["Forty-two."], gate: gate.promise });
    const host = await linkHost(mcp, { era });
    const first = await host.ask("What is it?", { wait_s: 0 });
    const again = host.ask("What is it?");
    const other = host.ask("What is it?", { conversation_id: first.outcome.conversation_id });
    gate.resolve();
    expect((await again).outcome).toMatchObject({ status: "complete", run_id: first.outcome.run_id });
    expect((await other).outcome.run_id).toBe(first.outcome.run_id);
    expect(model.requests).toHaveLength(1);
  });

  test("that asks what another session asks has a run and a conversation of its own", async () => {
    const gate = Promise.withResolvers<void>();
    const { mcp, model } = await openFace({ turns: ["Here.", "There."], gate: gate.promise });
    const [one, other] = [await linkHost(mcp, { era }), await linkHost(mcp, { era })];
    const began = Promise.withResolvers<void>();
    const first = one.ask("What is it?", {}, { onprogress: () => began.resolve() });
    await began.promise;
    const second = other.ask("What is it?");
    gate.resolve();
    const outcomes = [(await first).outcome, (await second).outcome];
    expect(new Set(outcomes.map(({ run_id }) => run_id)).size).toBe(2);
    expect(new Set(outcomes.map(({ conversation_id }) => conversation_id)).size).toBe(2);
    expect(model.requests).toHaveLength(2);
  });

  test("that asks the same with another schema of the answer is not given the run of the first schema", async () => {
    const { mcp } = await openFace({ turns: ["Never."], gate: new Promise(() => {}) });
    const host = await linkHost(mcp, { era });
    const askFor = async (field: string): Promise<string> => {
      const schema = { type: "object", properties: { [field]: { type: "string" } } };
      return (await host.ask("What is it?", { output_schema: schema, wait_s: 0 })).outcome.run_id;
    };
    const first = await askFor("city");
    expect(await askFor("country")).not.toBe(first);
    expect(await askFor("city")).toBe(first);
  });

  test("that cancels its call ends the run", async () => {
    const gate = Promise.withResolvers<void>();
    const { mcp } = await openFace({ turns: ["Never."], gate: gate.promise });
    const host = await linkHost(mcp, { era });
    const cancel = new AbortController();
    const call = host.ask("What is it?", {}, { signal: cancel.signal, onprogress: () => cancel.abort("enough") });
    await expect(call).rejects.toThrow();
    const run = mcp.runs.findLatest("What is it?", {});
    await expect.poll(() => run?.outcome).toMatchObject({ status: "cancelled" });
  });

  test("whose call took too long for it finds the run again, by asking the same", async () => {
    const gate = Promise.withResolvers<void>();
    const { mcp, model } = await openFace({ turns: ["At last."], gate: gate.promise });
    const host = await linkHost(mcp, { era });
    await expect(host.ask("What is it?", {}, { timeout: 100 })).rejects.toThrow(/timed out/i);
    gate.resolve();
    // A host that gave up after a moment is answered in less: on a busy machine with word that the run still goes on.
    await expect.poll(async () => (await host.ask("What is it?")).text).toBe("At last.");
    expect(model.requests).toHaveLength(1);
  });

  test("that cancels and asks the same at once is not given the run that ends", async () => {
    const gate = Promise.withResolvers<void>();
    const { mcp, model } = await openFace({ turns: ["Anew."], gate: gate.promise });
    const host = await linkHost(mcp, { era });
    const cancel = new AbortController();
    const begun = Promise.withResolvers<void>();
    const onprogress = (): void => begun.resolve();
    const call = host.ask("What is it?", {}, { signal: cancel.signal, onprogress });
    await begun.promise;
    cancel.abort("enough");
    const again = host.ask("What is it?");
    await expect(call).rejects.toThrow();
    gate.resolve();
    expect((await again).outcome).toMatchObject({ status: "complete", response: "Anew." });
    expect(model.requests).toHaveLength(1);
  });

  test("that cancels leaves the run to its end where it is configured so", async () => {
    const gate = Promise.withResolvers<void>();
    const { mcp, model } = await openFace({
      turns: ["Kept."],
      gate: gate.promise,
      serve: { onDisconnect: "finish" },
    });
    const host = await linkHost(mcp, { era });
    const cancel = new AbortController();
    const call = host.ask("What is it?", {}, { signal: cancel.signal, onprogress: () => cancel.abort("enough") });
    await expect(call).rejects.toThrow();
    gate.resolve();
    expect((await host.ask("What is it?")).text).toBe("Kept.");
    expect(model.requests).toHaveLength(1);
  });

  test("that ends its session after each call gets the rest of its run in the next one", async () => {
    const gate = Promise.withResolvers<void>();
    const { mcp, model } = await openFace({ turns: ["Kept."], gate: gate.promise });
    const first = await linkHost(mcp, { era });
    const { run_id } = (await first.ask("What is it?", { wait_s: 0 })).outcome;
    await first.close();
    const second = await linkHost(mcp, { era });
    const rest = second.call("agent_result", { run_id });
    gate.resolve();
    expect((await rest).outcome).toMatchObject({ status: "complete", response: "Kept." });
    expect(model.requests).toHaveLength(1);
  });

  test("that ends its session while its call is open is joined to its run by the same question", async () => {
    const gate = Promise.withResolvers<void>();
    const { mcp } = await openFace({ turns: ["Kept."], gate: gate.promise });
    const first = await linkHost(mcp, { era });
    const begun = Promise.withResolvers<void>();
    // A run is joined with a line about it once something of it has happened.
    const onprogress = ({ message = "" }) => message.includes("🧭") && begun.resolve();
    const lost = first.ask("What is it?", {}, { onprogress });
    lost.catch(() => {});
    await begun.promise;
    await first.close();
    await expect(lost).rejects.toThrow();
    const joined = Promise.withResolvers<void>();
    const second = await linkHost(mcp, { era });
    const again = second.ask(
      "What is it?",
      {},
      { onprogress: ({ message }) => message?.includes("↻") && joined.resolve() },
    );
    await joined.promise;
    gate.resolve();
    expect((await again).outcome).toMatchObject({ status: "complete", response: "Kept." });
  });

  test("can stop a run by its id", async () => {
    const gate = Promise.withResolvers<void>();
    const { mcp } = await openFace({ turns: ["Never."], gate: gate.promise });
    const host = await linkHost(mcp, { era });
    const { run_id } = (await host.ask("What is it?", { wait_s: 0 })).outcome;
    const stopped = await host.call("agent_cancel", { run_id });
    expect(stopped.outcome).toMatchObject({ status: "cancelled", run_id });
  });

  test("that can ask its user is asked about a call that needs consent", async () => {
    for (const [action, calls] of [
      ["accept", 1],
      ["decline", 0],
      ["cancel", 0],
    ] as const) {
      const { mcp, wiped } = await openFace({ turns: [[wipe], "Done."] });
      const asked: Record<string, unknown>[] = [];
      const onQuestion = (params: Record<string, unknown>) => {
        asked.push(params);
        return action === "accept" ? { action, content: { scope: "once" } } : { action };
      };
      const host = await linkHost(mcp, { era, onQuestion });
      const { outcome } = await host.ask("Wipe disk a.");
      expect(outcome.status).toBe("complete");
      expect(asked).toHaveLength(1);
      expect(String(asked[0]?.message)).toContain('"disk": "a"');
      expect(wiped).toHaveLength(calls);
    }
  });

  test("that cannot ask is given a token, which its user's word turns into the call", async () => {
    const { mcp, wiped } = await openFace({ turns: [[wipe], "Done."] });
    const host = await linkHost(mcp, { era });
    const first = await host.ask("Wipe disk a.");
    expect(first.isError).toBe(false);
    expect(first.outcome).toMatchObject({
      status: "needs_confirmation",
      stop_reason: "confirmation",
      confirmation: { kind: "call", tool: "wipe_disk" },
      response: first.text,
    });
    expect(first.text).toContain('"disk": "a"');
    expect(wiped).toEqual([]);
    const { run_id, confirmation } = first.outcome;
    const waits = await host.call("agent_result", { run_id });
    expect(waits.outcome.status).toBe("needs_confirmation");
    const done = await host.ask("yes", { confirmation: confirmation?.token });
    expect(done.outcome).toMatchObject({ status: "complete", response: "Done.", run_id });
    expect(wiped).toEqual([{ disk: "a" }]);
  });
});

test("progress begins at once, rises, and tells of a run that is joined", async () => {
  const gate = Promise.withResolvers<void>();
  const { mcp } = await openFace({ turns: ["Forty-two."], gate: gate.promise });
  const host = await linkHost(mcp);
  const begun = Promise.withResolvers<void>();
  const before = host.ask(
    "What is it?",
    {},
    { onprogress: ({ message }) => /deciding/.test(message ?? "") && begun.resolve() },
  );
  await begun.promise;
  const heard: { progress: number; message?: string }[] = [];
  const first = Promise.withResolvers<void>();
  const onprogress = (one: { progress: number; message?: string }): void => {
    heard.push(one);
    first.resolve();
  };
  const again = host.ask("What is it?", {}, { onprogress });
  await first.promise;
  gate.resolve();
  await Promise.all([before, again]);
  expect(heard[0]?.message).toContain("received");
  expect(heard.map(({ message }) => message).join("\n")).toMatch(/↻ run-[0-9a-f]{32} has been running/);
  expect(heard.map(({ progress }) => progress)).toEqual(heard.map((_, index) => index + 1));
});

test("who drops a run that others count on does not end it: another connection, a task", async () => {
  const gate = Promise.withResolvers<void>();
  const { mcp } = await openFace({ turns: ["Forty-two."], gate: gate.promise });
  const first = await linkHost(mcp);
  const second = await linkHost(mcp);
  const { run_id } = (await first.ask("What is it?", { wait_s: 0 })).outcome;
  const cancel = new AbortController();
  const poll = second.call("agent_result", { run_id }, { signal: cancel.signal, onprogress: () => cancel.abort("no") });
  await expect(poll).rejects.toThrow();
  gate.resolve();
  expect((await first.call("agent_result", { run_id })).outcome.status).toBe("complete");
});

test("a connection over stdio that ends takes the runs along that nobody else counts on", async () => {
  const { mcp } = await openFace({ turns: ["Never."], gate: new Promise(() => {}) });
  const host = await linkHost(mcp, { inputEnded: new AbortController().signal });
  const { run_id } = (await host.ask("What is it?", { wait_s: 0 })).outcome;
  await host.close();
  await expect.poll(() => mcp.runs.find(run_id, {})?.outcome?.status).toBe("cancelled");
});

test("rights to fewer tools do not reach a run of the same owner that has more", async () => {
  const { mcp, wiped } = await openFace({ turns: [[wipe], "Done.", "I cannot."] });
  const wide = await linkHost(mcp, { caller: { owner: "anna", tools: ["*"] } });
  const narrow = await linkHost(mcp, { caller: { owner: "anna", tools: ["calculator"] } });
  const { confirmation, run_id } = (await wide.ask("Wipe disk a.")).outcome;
  expect((await narrow.ask("yes", { confirmation: confirmation?.token })).isError).toBe(true);
  expect((await narrow.call("agent_result", { run_id })).text).toContain("There is no run");
  expect(wiped).toEqual([]);
});

test("a call whose time is over while its user is asked says so, and the next one asks again", async () => {
  const { mcp, wiped } = await openFace({ turns: [[wipe], "Done."] });
  let asked = 0;
  const onQuestion = () => {
    asked += 1;
    return asked === 1 ? new Promise<object>(() => {}) : { action: "accept", content: {} };
  };
  const host = await linkHost(mcp, { onQuestion });
  const first = await host.ask("Wipe disk a.", { wait_s: 1 });
  expect(first.outcome.status).toBe("running");
  expect(first.text).toContain("It is waiting for the user's reply (wipe_disk): agent_result asks again.");
  const { outcome } = await host.call("agent_result", { run_id: first.outcome.run_id });
  expect(outcome).toMatchObject({ status: "complete", response: "Done." });
  expect(wiped).toEqual([{ disk: "a" }]);
});

test.each([
  ["2025-03-26", []],
  ["2025-06-18", [{ type: "resource_link" }]],
])("a link to the trace comes where it is wanted, and where MCP %s knows links", async (protocolVersion, links) => {
  const { mcp } = await openFace({ turns: ["Forty-two."], serve: { traceLink: true } });
  const [above, below] = InMemoryTransport.createLinkedPair();
  const server = await mcp.createServer();
  await server.connect(below);
  onTestFinished(() => server.close());
  const answers: unknown[] = [];
  above.onmessage = (message) => void answers.push(message);
  await above.start();
  const clientInfo = { name: "old", version: "1" };
  const params = { protocolVersion, capabilities: {}, clientInfo };
  await above.send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  await expect.poll(() => answers).toHaveLength(1);
  await above.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const call = { name: "agent_ask", arguments: { question: "What is it?" } };
  await above.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call });
  await expect.poll(() => answers).toHaveLength(2);
  const content = [{ type: "text", text: "Forty-two." }, ...links];
  expect(answers[1]).toMatchObject({ id: 2, result: { content } });
});
