import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canRunAtOnce } from "../../../../src/cli/chat/run-command.ts";
import { compileCache, temporaryFolder } from "../../../fakes/program.ts";
import { openTestChat } from "./test-chat.ts";

const fake = join(import.meta.dirname, "../../../fakes/mcp-metadata.ts");

/** A chat with a server whose tools were trusted when it was first met. */
async function openWithServer(replies: string[] | undefined) {
  const file = join(await temporaryFolder(), "say.json");
  const tool = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: "object" } });
  await writeFile(file, JSON.stringify({ lists: [[tool("read"), tool("send")]] }));
  const mail = {
    command: process.execPath,
    args: [fake, "--say", file, "--journal", `${file}.journal`],
    env: compileCache(),
  };
  return openTestChat({ settings: { mcpServers: { mail } }, replies });
}

test("/tools approve shows the tools that are meant and approves those that get a yes", async () => {
  const replies = ["n", "what?", "y"];
  const chat = await openWithServer(replies);
  expect(await chat.type("/tools approve")).toEqual(["No tools are waiting for approval."]);
  const lines = await chat.type("/tools approve mail");
  const [read, send] = ["read", "send"].map(
    (name) => `🔐 mail__${name} · mail · trusted on first use, not approved yet`,
  );
  expect(lines.filter((line) => /^🔐|^Approved/.test(line))).toEqual([read, send, "Approved mail__send"]);
  expect(replies).toEqual([]);
  const again = await chat.type("/tools approve mail");
  expect(again).toContain(read);
  expect(again).not.toContain(send);
  expect((await chat.type("/tools approve male")).join()).toContain("there is no server or waiting tool named male");
});

test("/tools approve shows them where nobody can be asked, and approves none", async () => {
  const chat = await openWithServer(undefined);
  for (const _ of [1, 2]) {
    const lines = await chat.type("/tools approve mail__send");
    expect(lines[0]).toBe("🔐 mail__send · mail · trusted on first use, not approved yet");
    expect(lines.at(-1)).toBe("duet tools approve");
  }
});

test("/tools approve waits for the end of a run, and the list of tools does not", () => {
  expect(["/tools", "/tools mail", "/tools approve", "/tools APPROVE mail"].map(canRunAtOnce)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
