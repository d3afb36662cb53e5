import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { trustFiles } from "../../../src/config/trust/trusted-files.ts";
import { openEditor } from "../../fakes/editor.ts";
import { compileCache } from "../../fakes/program.ts";

async function write(file: string, text: string): Promise<void> {
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, text);
}

test("files are commands in an editor, those of a project once somebody has looked at them", async () => {
  const { editor, model, folder, home } = await openEditor({ turns: ["A loop is a loop.", "Done."] });
  const front = "---\ndescription: Explains a term\nargument-hint: TERM\nmode: chat\n---\n";
  await write(join(home, ".config/duet/commands/explain.md"), `${front}Explain $1 to a beginner.`);
  await write(join(home, ".config/duet/commands/tools.md"), "Never mind.");
  const fix = join(folder, ".duet/commands/git/fix.md");
  await write(fix, "Fix it.");
  const sessionId = await editor.start(folder);
  const { availableCommands } = await editor.sees("available_commands_update");
  expect(availableCommands.map(({ name }) => name)).toEqual(["compact", "context", "tools", "explain"]);
  expect(availableCommands.at(-1)).toMatchObject({ description: "Explains a term", input: { hint: "TERM" } });
  await editor.ask(sessionId, "/explain recursion");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Explain recursion to a beginner.");
  await expect(editor.ask(sessionId, "/git:fix now")).rejects.toThrow(`/git:fix was not run: ${fix} is not trusted`);
  await trustFiles([{ file: fix, text: "Fix it." }], home, "commands");
  await editor.ask(sessionId, "/git:fix now");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Fix it.\\n\\nnow");
  expect(model.requests).toHaveLength(2);
});

test("a server's prompt is a command in an editor, and its text is shown before it is asked", async () => {
  const offering = { command: process.execPath, args: [resolve("test/fakes/mcp-offering.ts")], env: compileCache() };
  const { editor, model, folder } = await openEditor({
    turns: ["Hello.", "It is a path."],
    settings: { mcpServers: { offering } },
  });
  const sessionId = await editor.start(folder);
  const offered = await editor.sees("available_commands_update", ({ availableCommands }) =>
    availableCommands.some(({ name }) => name === "offering__greet"),
  );
  expect(offered.availableCommands.map(({ name }) => name)).toContain("tools");
  await editor.ask(sessionId, "/offering__greet Ann");
  expect(editor.text("agent_thought_chunk")).toContain("Greet Ann");
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("Greet Ann");
  await expect(editor.ask(sessionId, "/offering__greet what=Ann")).rejects.toThrow('has no argument "what"');
  // What is no command is a question.
  await editor.ask(sessionId, "/usr/bin and /offering__nothing");
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("/usr/bin and /offering__nothing");
});
