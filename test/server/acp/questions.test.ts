import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { methods, type RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { countedTool } from "../../fakes/callers.ts";
import { choose, dismiss, openEditor } from "../../fakes/editor.ts";
import type { ScriptedTurn } from "../../fakes/model.ts";
import { temporaryFolder } from "../../fakes/program.ts";

const { session } = methods.agent;

const call = (text: string): ScriptedTurn => [{ id: text, name: "push", input: { text } }];

/** Asks twice to call the tool, with the same answer of the person each time that it is asked. */
async function askTwice(answer: RequestPermissionResponse) {
  const push = countedTool("push");
  const { editor, folder, home } = await openEditor({
    turns: [call("a"), "First.", call("a"), "Second."],
    tools: [push],
    settings: { tools: { ask: ["push"] } },
    permit: () => answer,
  });
  const sessionId = await editor.start(folder);
  await editor.ask(sessionId, "Push a.");
  await editor.ask(sessionId, "Once more.");
  return { editor, folder, home, runs: push.calls.length, questions: editor.asked.length };
}

test.each<[answer: RequestPermissionResponse, runs: number, questions: number]>([
  [choose("once"), 2, 2],
  [choose("conversation"), 2, 1],
  [choose("save"), 2, 1],
  [choose("no"), 0, 2],
  [choose("never"), 0, 1],
  [dismiss, 0, 2],
  // No editor has been offered these.
  [choose("yes"), 0, 2],
  [choose("dismissed"), 0, 2],
  [choose(""), 0, 2],
])("an answer of %j lets the call run %i times, and is asked for %i times", async (answer, runs, questions) => {
  const asked = await askTwice(answer);
  expect([asked.runs, asked.questions]).toEqual([runs, questions]);
  const [first] = asked.editor.asked;
  expect(first?.toolCall).toMatchObject({ title: "push: a", rawInput: { text: "a" } });
  expect(asked.editor.all("tool_call").map(({ toolCallId }) => toolCallId)).toContain(first?.toolCall.toolCallId);
  expect(first?.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
    ["once", "allow_once"],
    ["conversation", "allow_always"],
    ["save", "allow_always"],
    ["no", "reject_once"],
    ["never", "reject_always"],
  ]);
  expect(JSON.stringify(first?.toolCall.content)).toContain("tools.ask: push");
});

test("a rule that was saved is kept for the folder", async () => {
  const { editor, folder, home } = await askTwice(choose("save"));
  const { rules } = JSON.parse(await readFile(join(home, "permissions.json"), "utf8"));
  expect(rules).toMatchObject([{ tool: "push", folder, arguments: { text: "a" } }]);
  expect(editor.asked).toHaveLength(1);
});

test("a change is shown as a diff of the file, and everything else as text", async () => {
  const place = await temporaryFolder();
  const file = join(place, "a.ts");
  await writeFile(file, "let a = 1;\nlet b = 2;\n");
  const input = { path: file, old_string: "a = 1", new_string: "a = 3", note: "two\nlines" };
  const { editor } = await openEditor({
    turns: [[{ id: "1", name: "edit_file", input }], "Done."],
    tools: [countedTool("edit_file")],
    settings: { tools: { ask: ["edit_file"] } },
    permit: () => choose("once"),
  });
  await editor.ask(await editor.start(place), "Change it.");
  const [question] = editor.asked;
  expect(question?.toolCall.locations).toEqual([{ path: file }]);
  expect(question?.toolCall.content?.[0]).toEqual({
    ...{ type: "diff", path: file },
    oldText: "let a = 1;\nlet b = 2;\n",
    newText: "let a = 3;\nlet b = 2;\n",
  });
  expect(JSON.stringify(question?.toolCall.content?.[1])).toMatch(/two.*lines/);
});

test("a cancel withdraws the question, and the prompt ends at once", async () => {
  const push = countedTool("push");
  const { editor, folder } = await openEditor({
    turns: [call("a"), "Never said."],
    tools: [push],
    settings: { tools: { ask: ["push"] } },
    // The person never answers.
    permit: () => new Promise(() => {}),
  });
  const sessionId = await editor.start(folder);
  const answer = editor.ask(sessionId, "Push a.");
  await expect.poll(() => editor.asked.length).toBe(1);
  await editor.agent.notify(session.cancel, { sessionId });
  expect(await answer).toEqual({ stopReason: "cancelled" });
  expect(push.calls).toEqual([]);
});

test("a second prompt meanwhile is refused in words, and the first one is cancelled while its model is silent", async () => {
  const { editor, model, folder } = await openEditor({ turns: [{ hang: true }, "Now."] });
  const sessionId = await editor.start(folder);
  const first = editor.ask(sessionId, "Tell me.");
  await expect.poll(() => model.requests.length).toBe(1);
  await expect(editor.ask(sessionId, "And?")).rejects.toThrow(
    "is still running (allowed: wait for its end, or cancel it)",
  );
  await editor.agent.notify(session.cancel, { sessionId });
  expect(await first).toEqual({ stopReason: "cancelled" });
  expect(await editor.ask(sessionId, "And?")).toEqual({ stopReason: "end_turn" });
});
