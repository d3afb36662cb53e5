import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trace } from "../../../../src/cli/chat/commands/steps.ts";
import { attachFiles } from "../../../../src/cli/terminal/editor/files/attach-files.ts";
import { createSuccess, createTool } from "../../../../src/tools/create-tool.ts";
import { createFileGuard } from "../../../../src/tools/files/file-guard.ts";
import { type ScriptedTurn, scriptedModel } from "../../../fakes/model.ts";
import { temporaryFolder } from "../../../fakes/program.ts";
import { openTestChat, type TestChat, type TestChatOptions } from "./test-chat.ts";

const write = createTool({
  name: "write_file",
  description: "Writes a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" }, content: { type: "string" } } },
  source: "user",
  run: async () => createSuccess("<b>written</b> & done"),
});

const call = (path: string): ScriptedTurn => [{ id: `c-${path}`, name: "write_file", input: { path, content: "x" } }];

function openChat(turns: ScriptedTurn[], person: Pick<TestChatOptions, "picks" | "replies"> = {}): Promise<TestChat> {
  const model = scriptedModel(turns);
  return openTestChat({ parts: { models: { functionCall: model, alone: true }, tools: [write] }, ...person });
}

test("/rewind goes back before a question in its mode, tells the files written since, and /fork goes on with what was left", async () => {
  const chat = await openChat(["One.", call("notes.txt"), "Two.", "Three.", "Other."], {
    picks: ["2. Write <notes>", "this one · Other?", "And three?"],
  });
  expect(await chat.type("/rewind")).toEqual(["There is no question to go back to yet."]);
  await chat.ask("First?", "chat");
  await chat.ask("Write <notes>", "agent");
  await chat.ask("And three?", "chat");
  chat.settings.mode = "chat";
  const before = chat.conversation.id;
  const [said, mode, files, file] = await chat.type("/rewind");
  expect(said).toContain("Back before question 2, “Write <notes>”. The 2 turns from there on are kept");
  expect([mode, chat.settings.mode]).toEqual(["In the mode of this conversation: Agent mode", "agent"]);
  expect(files).toBe("Files are not restored. These calls may have written some since:");
  expect(file).toMatch(/^ {2}notes\.txt · write_file · step 1 of “Write <notes>” · \/trace run-\w{12}$/);
  expect(chat.prefilled).toEqual(["Write <notes>"]);
  await chat.ask("Other?", "chat");
  const store = await chat.duet.store();
  const questions = async (id = chat.conversation.id ?? "", branch = chat.conversation.branch) =>
    (await store.load(id, branch))?.turns.map(({ question }) => question);
  expect([chat.conversation.id, await questions()]).toEqual([before, ["First?", "Other?"]]);
  expect(await questions(before, 1)).toEqual(["First?", "Write <notes>", "And three?"]);
  expect((await trace.complete?.(chat, ""))?.map(({ help }) => help)).toEqual(["Other?", "First?"]);

  await chat.type("/fork");
  expect(chat.shown.at(-1)?.labels).toEqual(["this one · Other?", "And three?"]);
  expect([chat.conversation.id === before, await questions()]).toEqual([false, ["First?", "Other?"]]);
  await chat.conversation.resume(before ?? "", new AbortController().signal);
  await chat.type("/fork");
  expect(await questions()).toEqual(["First?", "Write <notes>", "And three?"]);
  expect(await chat.type("/rewind 9")).toEqual(['✗ There is no question "9". Allowed: 1 to 3.']);
  expect((await chat.type("/rewind 1"))[0]).toContain("Back before question 1, “First?”");
  expect(await questions()).toEqual([]);
});

test("where the choice is typed, /rewind takes the number by which it also names the question", async () => {
  const chat = await openChat(["One.", "Two.", "Three."], { replies: ["2"] });
  for (const question of ["First?", "Second?", "Third?"]) await chat.ask(question, "chat");
  expect((await chat.type("/rewind")).slice(0, 5)).toEqual([
    "⏪ Go back before which question",
    "   1  First?",
    "   2  Second?",
    "   3  Third?",
    expect.stringContaining("Back before question 2, “Second?”"),
  ]);
});

test("what stands behind a question for the models is no part of it: not for /rewind, nor in /export", async () => {
  const chat = await openChat(["One.", "Two."]);
  const folder = await temporaryFolder();
  await writeFile(join(folder, "a.txt"), "alpha\n\n\n<<<file 0 a\n");
  await writeFile(join(folder, "b.txt"), "");
  const typed = "Compare @a.txt and @b.txt\n\nin short";
  const options = {
    cwd: folder,
    home: folder,
    locale: "en",
    guard: createFileGuard({ files: [], folders: [] }),
    signal: new AbortController().signal,
  } as const;
  const { question } = await attachFiles(typed, options);
  const marker = "0123456789abcdef".repeat(2);
  const output = `Commands, with output:\n\n<<<command ${marker} "ls"\na.txt\n(exit code 0)\ncommand ${marker}>>>`;
  expect(question).toContain("alpha");
  await chat.ask(`${question}\n\n${output}`, "chat");
  await chat.ask(`How is this read?\n\n${output}\n\nThanks`, "chat");
  await chat.type(`/export ${join(folder, "x.md")}`);
  const markdown = await readFile(join(folder, "x.md"), "utf8");
  expect(markdown).toContain("> Compare @a.txt and @b.txt\n> \n> in short\n\n*");
  expect(markdown).toContain("> Thanks");
  await chat.type("/rewind 1");
  expect(chat.prefilled).toEqual([typed]);
});

test("/export writes the branch with its steps, escaped in HTML, and never over a file; /rename names it", async () => {
  const chat = await openChat([call("a</pre>.txt"), "Done <script>alert(1)</script> & `x`.", "Left."]);
  await chat.ask("Write <it>", "agent");
  await chat.ask("More?", "agent");
  await chat.type("/rewind 2");
  const folder = await temporaryFolder();
  const saved = async (form: string): Promise<string> => {
    expect(await chat.type(`/export ${form}`)).toHaveLength(1);
    return readFile(form.replace(/^json /, ""), "utf8");
  };
  expect(await chat.type("/rename  A <name>")).toEqual(["This conversation is now called “A <name>”."]);
  const [html, json, markdown] = [
    await saved(join(folder, "x.html")),
    JSON.parse(await saved(`json ${join(folder, "x.data")}`)),
    await saved(join(folder, "x.md")),
  ];
  expect(html).toContain("<h1>A &lt;name&gt;</h1>");
  expect(html).toContain("Done &lt;script&gt;alert(1)&lt;/script&gt; &amp; `x`.");
  expect(html).toContain("&quot;a&lt;/pre&gt;.txt&quot;");
  expect(
    html.replace(
      /<\/?(?:html|head|meta|title|style|body|h[12]|p|blockquote|details|summary|pre|div)\b[^>]*>|<!doctype html>/g,
      "",
    ),
  ).not.toMatch(/[<>]/);
  expect(json).toMatchObject({
    title: "A <name>",
    turns: [{ question: "Write <it>", steps: [{ tool: "write_file", result: "<b>written</b> & done" }, {}] }],
  });
  expect(markdown).toContain("### 1. ✓ write_file (");
  expect(markdown).not.toContain("More?");
  expect((await chat.type(`/export ${join(folder, "x.html")}`))[0]).toContain("already exists and is not overwritten");
  expect(await chat.type("/rename")).toEqual(["✗ no name was given. Usage: /rename NAME"]);
});

test("/expand shows a long result page by page, to its end, also what the models were not given", async () => {
  const long = createTool({
    name: "long",
    description: "Gives many lines.",
    inputSchema: { type: "object" },
    source: "user",
    run: async () => createSuccess(Array.from({ length: 30_000 }, (_, index) => `line ${index + 1}`).join("\n")),
  });
  const model = scriptedModel([[{ id: "c", name: "long", input: {} }], "Done."]);
  const chat = await openTestChat({ parts: { models: { functionCall: model, alone: true }, tools: [long] } });
  await chat.ask("Go", "agent");
  const number = chat.steps.listRunSteps().find(({ kind }) => kind === "tool")?.number;
  const first = await chat.type(`/expand ${number}`);
  expect(first.at(-1)).toBe(`  Page 1 of 501: /expand ${number} 2: the next one, /expand ${number} all: everything`);
  expect([first.length, chat.offered]).toEqual([61, [`/expand ${number} 2`]]);
  const last = await chat.type(`/expand ${number} 501`);
  expect(last.at(-2)).toBe("  line 30000");
  expect(await chat.type(`/expand ${number} 502`)).toEqual(['✗ There is no page "502". Allowed: 1 to 501, all.']);
  // Ctrl-O shows all steps, so each as far as one page.
  expect((await chat.type("/expand")).join("\n")).toContain(`more lines: /expand ${number} 2`);
});
