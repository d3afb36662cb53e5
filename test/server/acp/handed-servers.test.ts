import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { allDead, processesIn } from "../../client/servers.ts";
import { openEditor } from "../../fakes/editor.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { createHandedServer } from "./handed-server.ts";

const { session } = methods.agent;

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
  const sessionId = await editor.start(folder, [createHandedServer(journal, "with-grandchild")]);
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
