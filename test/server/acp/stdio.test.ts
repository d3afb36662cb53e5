import { once } from "node:events";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { type McpServer, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import { allDead, fakePath, isAlive, processesIn, readJournal } from "../../client/servers.ts";
import { connectEditor, openEditor } from "../../fakes/editor.ts";
import { compileCache, configFile, startProgram, temporaryFolder } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";

const { session } = methods.agent;

function handed(journal: string, mode = "normal"): McpServer {
  const args = [fakePath, "--mode", mode, "--journal", journal];
  const env = Object.entries(compileCache()).map(([name, value]) => ({ name, value }));
  return { name: "From the editor", command: process.execPath, args, env };
}

test("a server that the editor hands over is used in its session alone, and ends with it", async () => {
  const { editor, model, folder } = await openEditor({
    turns: [
      [{ id: "1", name: "From-the-editor__echo", input: { text: "hello" } }],
      "It works.",
      "None here.",
      "None there.",
    ],
  });
  const journal = join(await temporaryFolder(), "journal");
  const sessionId = await editor.start(folder, [handed(journal, "with-grandchild")]);
  await editor.ask(sessionId, "Say hello.");
  expect(editor.all("tool_call_update").at(-1)).toMatchObject({
    status: "completed",
    content: [{ content: { text: expect.stringContaining("hello") } }],
  });
  await editor.ask(await editor.start(folder), "And here?");
  await editor.ask(await editor.start(await temporaryFolder()), "And there?");
  const offered = model.requests.map(({ tools }) => tools.some(({ name }) => name.endsWith("__echo")));
  expect(offered).toEqual([true, expect.anything(), false, false]);

  const processes = await processesIn(journal, 1);
  await editor.agent.request(session.close, { sessionId });
  await allDead(processes);
});

test("the built program speaks nothing but the protocol, survives what a hostile editor sends, and ends with its children", async () => {
  const provider = await startFakeProvider();
  onTestFinished(provider.close);
  provider.script("one", { text: "Hello.", hang: "after-text" });
  const [home, folder] = [await temporaryFolder(), await temporaryFolder()];
  const config = await configFile({
    models: { functionCall: { provider: "openai", model: "one", baseUrl: provider.openaiUrl, wire: "openai-chat" } },
    locale: "en",
  });
  const env = { DUET_HOME: home, OPENAI_API_KEY: "sk-test-openai-0001" };
  const child = await startProgram(["acp", "--config", config], { env });
  const ended = once(child, "close");
  const written: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => void written.push(piece));
  child.stderr.resume();
  const out = Readable.toWeb(child.stdout.pipe(new PassThrough()));
  const editor = await connectEditor(ndJsonStream(Writable.toWeb(child.stdin), out));
  const journal = join(folder, "journal");
  const sessionId = await editor.start(folder, [handed(journal, "with-grandchild")]);

  await expect(editor.ask("conv-unknown", "Hello?")).rejects.toMatchObject({ code: -32002 });
  const wrong = [{ cwd: 7, mcpServers: "all" }, {}, null];
  for (const params of wrong)
    await expect(editor.agent.request(session.new, params as never)).rejects.toMatchObject({ code: -32602 });
  child.stdin.write('{"jsonrpc":"2.0",\n[]\n42\n{"jsonrpc":"2.0","method":"session/unheard"}\n');
  await expect(
    editor.agent.request(session.setMode, { sessionId, modeId: "x".repeat(1_000_000) }),
  ).rejects.toMatchObject({
    code: -32602,
  });
  const answering = editor.ask(sessionId, "Hello?").catch(() => {});
  await expect.poll(() => provider.requests("one").length).toBe(1);
  const processes = await processesIn(journal, 1);
  expect(processes.every(isAlive)).toBe(true);
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
  const stdout = Buffer.concat(written).toString("utf8");
  expect(readJournal(journal).length).toBeGreaterThan(0);
  for (const line of stdout.split("\n").filter((each) => each !== "")) expect(JSON.parse(line).jsonrpc).toBe("2.0");
  await allDead(processes);
  await answering;
});
