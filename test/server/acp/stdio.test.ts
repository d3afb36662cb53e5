import { once } from "node:events";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { expect, onTestFinished, test } from "vitest";
import { allDead, isAlive, processesIn, readJournal } from "../../client/servers.ts";
import { connectEditor } from "../../fakes/editor.ts";
import { configFile, startProgram, temporaryFolder } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";
import { createHandedServer } from "./handed-server.ts";

const { session } = methods.agent;

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
  const sessionId = await editor.start(folder, [createHandedServer(journal, "with-grandchild")]);

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
