import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { countedTool } from "../../fakes/callers.ts";
import { openEditor } from "../../fakes/editor.ts";
import { images } from "../../fakes/images.ts";
import { temporaryFolder } from "../../fakes/program.ts";

const { session } = methods.agent;

test("a prompt is answered in steps, and a load tells them again as a person reads them", async () => {
  const lookup = countedTool("lookup", { annotations: { readOnly: true } });
  const { editor, model, folder } = await openEditor({
    turns: [
      {
        text: "I look it up.",
        reasoning: "Where is it?",
        calls: [{ id: "1", name: "lookup", input: { path: "/etc/a", text: "x" } }],
      },
      "It is there.",
      "You are welcome.",
    ],
    tools: [lookup],
  });
  const sessionId = await editor.start(folder);
  expect(await editor.ask(sessionId, "Where is it?")).toEqual({ stopReason: "end_turn" });
  expect(editor.text("agent_message_chunk")).toBe("It is there.");
  expect(editor.text("agent_thought_chunk")).toContain("Where is it?");
  const [begun] = editor.all("tool_call");
  expect(begun).toMatchObject({
    ...{ title: "lookup: /etc/a", kind: "read", status: "in_progress", locations: [{ path: "/etc/a" }] },
    rawInput: { path: "/etc/a", text: "x" },
  });
  const result = { type: "content", content: { type: "text", text: "lookup was given x, as it should be" } };
  const ended = { toolCallId: begun?.toolCallId, status: "completed", content: [result] };
  expect(editor.all("tool_call_update").at(-1)).toMatchObject(ended);
  expect(await editor.sees("session_info_update")).toMatchObject({ title: "Where is it?" });
  expect((await editor.sees("usage_update")).used).toBeGreaterThan(0);

  editor.updates.length = 0;
  await editor.agent.request(session.close, { sessionId });
  await expect(editor.ask(sessionId, "Still there?")).rejects.toMatchObject({ code: -32002 });
  const loaded = await editor.agent.request(session.load, { sessionId, cwd: folder, mcpServers: [] });
  expect(loaded?.modes?.currentModeId).toBe("agent");
  const told = editor.updates.filter(({ update }) => update.sessionUpdate !== "available_commands_update");
  expect(told.map(({ update }) => update)).toMatchObject([
    { sessionUpdate: "user_message_chunk", content: { text: "Where is it?" } },
    // Without the marks that fence it for models.
    { sessionUpdate: "tool_call", title: "lookup: /etc/a", status: "completed", content: [result] },
    { sessionUpdate: "agent_message_chunk", content: { text: "It is there." } },
  ]);

  editor.updates.length = 0;
  await editor.agent.request(session.resume, { sessionId, cwd: folder, mcpServers: [] });
  expect(editor.all("user_message_chunk")).toEqual([]);
  await editor.ask(sessionId, "Thank you.");
  expect(model.requests.at(-1)?.messages.map(({ content }) => content)).toContain("It is there.");
});

test("conversations are listed by folder and in pages, and one that is deleted is gone", async () => {
  const { editor, folder } = await openEditor({ turns: Array.from({ length: 52 }, (_, n) => `Answer ${n}.`) });
  const other = await temporaryFolder();
  const elsewhere = await editor.start(other);
  await editor.ask(elsewhere, "Elsewhere?");
  for (let n = 0; n < 51; n++) await editor.ask(await editor.start(folder), `Question ${n}?`);
  const first = await editor.agent.request(session.list, { cwd: folder });
  expect(first.sessions.slice(0, 2).map(({ title }) => title)).toEqual(["Question 50?", "Question 49?"]);
  expect([first.sessions.length, first.nextCursor]).toEqual([50, "50"]);
  const rest = await editor.agent.request(session.list, { cwd: folder, cursor: first.nextCursor });
  expect(rest.sessions.map(({ title, cwd }) => [title, cwd])).toEqual([["Question 0?", folder]]);
  expect(rest.nextCursor).toBeUndefined();
  await expect(editor.agent.request(session.list, { cursor: "soon" })).rejects.toMatchObject({ code: -32602 });
  await expect(editor.start("shop")).rejects.toMatchObject({ code: -32602, data: { cwd: "shop" } });

  await editor.agent.request(session.delete, { sessionId: elsewhere });
  expect((await editor.agent.request(session.list, { cwd: other })).sessions).toEqual([]);
  for (const gone of [elsewhere, "conv-unknown"]) {
    expect(await editor.agent.request(session.delete, { sessionId: gone })).toEqual({});
    const asked = { sessionId: gone, cwd: other, mcpServers: [] };
    await expect(editor.agent.request(session.load, asked)).rejects.toMatchObject({ code: -32002 });
  }
});

test("what a prompt brings is read: links are named, texts and images go along", async () => {
  const { editor, model, folder } = await openEditor({ turns: ["A picture of a note."] });
  const sessionId = await editor.start(folder);
  await mkdir(join(folder, "a b"));
  await writeFile(join(folder, "a b/x.ts"), "let x;\n");
  const prompt = [
    { type: "text", text: "Explain " },
    { type: "resource_link", name: "x.ts", uri: `file://${folder}/a%20b/x.ts` },
    { type: "resource", resource: { uri: "file:///notes/note.md", text: "Buy milk.", mimeType: "text/markdown" } },
    { type: "image", data: images.png.toString("base64"), mimeType: "image/png" },
  ] as const;
  await editor.agent.request(session.prompt, { sessionId, prompt: [...prompt] });
  const sent = JSON.stringify(model.requests[0]?.messages);
  expect(sent).toContain(`Explain \`${folder}/a b/x.ts\` \`/notes/note.md\``);
  expect(sent).toContain("Buy milk.");
  expect(sent).toContain("note.md");
  expect(sent).toContain("image/png");
});

test("modes and models are chosen for a session, and what there is not is refused by name", async () => {
  const { editor, folder } = await openEditor({});
  const { sessionId, modes, configOptions } = await editor.agent.request(session.new, { cwd: folder, mcpServers: [] });
  expect(modes).toMatchObject({
    currentModeId: "agent",
    availableModes: [{ id: "chat" }, { id: "agent" }, { id: "plan" }],
  });
  expect(configOptions).toMatchObject([
    { id: "mode", category: "mode", currentValue: "agent" },
    { id: "answer", category: "model", currentValue: "fake/scripted" },
    { id: "functionCall", currentValue: "fake/scripted" },
  ]);
  await editor.agent.request(session.setMode, { sessionId, modeId: "plan" });
  expect(editor.all("current_mode_update")).toMatchObject([{ currentModeId: "plan" }]);
  const set = (configId: string, value: string) =>
    editor.agent.request(session.setConfigOption, { sessionId, configId, value });
  expect((await set("mode", "chat")).configOptions[0]).toMatchObject({ currentValue: "chat" });
  expect((await set("answer", "offline/rules")).configOptions[1]).toMatchObject({ currentValue: "offline/rules" });
  await expect(set("answer", "nobody/x")).rejects.toThrow("nobody");
  await expect(set("mode", "sleep")).rejects.toMatchObject({ code: -32602 });
  await expect(set("mood", "good")).rejects.toMatchObject({ code: -32602 });
  await expect(editor.agent.request(session.setMode, { sessionId, modeId: "sleep" })).rejects.toMatchObject({
    code: -32602,
  });
});

test("commands are offered and run without a question to a model", async () => {
  const { editor, model, folder } = await openEditor({ tools: [countedTool("lookup")] });
  const sessionId = await editor.start(folder);
  const { availableCommands } = await editor.sees("available_commands_update");
  expect(availableCommands.map(({ name }) => name)).toEqual(["compact", "context", "tools"]);
  await editor.ask(sessionId, "/tools");
  expect(editor.text("agent_message_chunk")).toContain("- `lookup`: The tool lookup.");
  expect(model.requests).toEqual([]);
});

test("a plan is shown with its steps, and runs after a yes", async () => {
  const steps = [{ step: 1, description: "Look it up", tool: "lookup" }];
  const { editor, folder } = await openEditor({
    turns: [JSON.stringify({ steps }), [{ id: "1", name: "lookup", input: { text: "x" } }], "Done.", "Done.", "Done."],
    tools: [countedTool("lookup", { annotations: { readOnly: true } })],
    permit: ({ options }) => ({ outcome: { outcome: "selected", optionId: options[0]?.optionId ?? "" } }),
  });
  const sessionId = await editor.start(folder);
  await editor.agent.request(session.setMode, { sessionId, modeId: "plan" });
  await editor.ask(sessionId, "Look it up.");
  expect(editor.asked[0]).toMatchObject({ options: [{ optionId: "yes" }, { optionId: "no" }] });
  expect(editor.all("plan").at(-1)?.entries).toMatchObject([{ content: "Look it up", status: "completed" }]);
});

test("nothing of a session that cannot be opened stays open, one of two that are loaded at once does, and a list ends before its agent", async () => {
  const left = new Set<object>();
  let broken: "store" | "models" | undefined;
  let meet = async (): Promise<void> => {};
  const { editor, folder } = await openEditor({
    turns: ["Hello."],
    change(opened) {
      left.add(opened);
      const { duet } = opened;
      const [openStore, findModels] = [duet.store.bind(duet), duet.models.open.bind(duet.models)];
      duet.store = async () => {
        if (broken === "store") throw new Error("no disk");
        const store = await openStore();
        const meetAfter = async <T>(work: Promise<T>): Promise<T> => work.finally(meet);
        return { ...store, load: (id) => meetAfter(store.load(id)), list: (asked) => meetAfter(store.list(asked)) };
      };
      duet.models.open = async (changes) => {
        if (broken === "models") throw new Error("no model");
        return findModels(changes);
      };
      const close = async (): Promise<void> => {
        left.delete(opened);
        await opened.close();
      };
      return { ...opened, close };
    },
  });
  const { agent } = editor;
  for (const each of ["store", "models"] as const) {
    broken = each;
    await expect(editor.start(folder)).rejects.toThrow();
    expect([each, left.size]).toEqual([each, 0]);
  }
  broken = undefined;
  const sessionId = await editor.start(folder);
  // Only what holds a question is kept.
  await editor.ask(sessionId, "Are you there?");
  for (const each of ["store", "models"] as const) {
    broken = each;
    const asked = { sessionId, cwd: await temporaryFolder(), mcpServers: [] };
    await expect(agent.request(session.load, asked)).rejects.toThrow();
    // What was open stays so where there is nothing to take its place.
    expect([each, left.size]).toEqual([each, each === "store" ? 1 : 0]);
  }
  broken = undefined;

  const both = Promise.withResolvers<void>();
  let count = 0;
  meet = async () => {
    count += 1;
    if (count === 2) both.resolve();
    await both.promise;
  };
  const folders = [await temporaryFolder(), await temporaryFolder()];
  await Promise.all(folders.map((cwd) => agent.request(session.load, { sessionId, cwd, mcpServers: [] })));
  expect(left.size).toBe(1);
  await agent.request(session.close, { sessionId });
  expect(left.size).toBe(0);

  const again = await editor.start(folder);
  const [listing, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  meet = async () => {
    listing.resolve();
    await closed.promise;
  };
  const list = agent.request(session.list, { cwd: folder });
  await listing.promise;
  await agent.request(session.close, { sessionId: again });
  expect(left.size).toBe(1);
  closed.resolve();
  await list;
  expect(left.size).toBe(0);
});
