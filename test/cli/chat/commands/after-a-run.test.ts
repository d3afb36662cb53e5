import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scriptedModel } from "../../../fakes/model.ts";
import { temporaryFolder } from "../../../fakes/program.ts";
import { openTestChat, type TestChat } from "./test-chat.ts";

async function twoConversations(picks?: (string | undefined)[]): Promise<{ chat: TestChat; ids: string[] }> {
  const chat = await openTestChat({ picks });
  await chat.ask("calculate 1 + 2", "agent");
  const first = chat.conversation.id ?? "";
  chat.conversation.startAnew();
  await chat.ask("calculate 3 + 4", "agent");
  await chat.ask("calculate 5 + 6", "agent");
  return { chat, ids: [first, chat.conversation.id ?? ""] };
}

test("/resume offers the conversations by their first questions, the newest first, and goes on with the chosen one", async () => {
  const { chat, ids } = await twoConversations(["calculate 1 + 2"]);
  await chat.type("/resume");
  expect(chat.shown[0]).toMatchObject({ labels: ["calculate 3 + 4", "calculate 1 + 2"], chosen: ids[1] });
  expect(chat.shown[0]?.details[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d · 2 turns$/);
  expect(chat.conversation.id).toBe(ids[0]);
});

test("/resume takes the beginning of an id that only one has, and none that is too short", async () => {
  const { chat, ids } = await twoConversations();
  const [first = "", second = ""] = ids;
  expect(await chat.type(`/resume ${first.slice(0, 16)}`)).toEqual([]);
  expect(chat.conversation.id).toBe(first);
  expect((await chat.type(`/resume ${second.slice(0, 10)}`)).join()).toMatch(/^✗ no conversation conv-/);
  const listed = await chat.type("/resume");
  expect(listed).toEqual([
    expect.stringContaining(second),
    expect.stringContaining(first),
    "Usage: /resume [WORDS|ID|all]",
  ]);
  expect(chat.conversation.id).toBe(first);
});

test("/conversations lists them, the one that goes on marked", async () => {
  const { chat, ids } = await twoConversations();
  const lines = await chat.type("/conversations");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(new RegExp(`^❯ ${ids[1]}  .*  2 turns  calculate 3 \\+ 4$`));
  expect(lines[1]).toMatch(new RegExp(`^  ${ids[0]}  .*  1 turn  calculate 1 \\+ 2$`));
});

test("where nothing was asked yet there is nothing to resume, list, trace, expand or save", async () => {
  const chat = await openTestChat({ picks: [] });
  expect(await chat.type("/resume")).toEqual(["There is no conversation to continue yet."]);
  expect(await chat.type("/conversations")).toEqual([
    "No conversations in this folder. /conversations all lists every one.",
  ]);
  expect(await chat.type("/trace")).toEqual(["This conversation has no run yet."]);
  expect(await chat.type("/expand 1")).toEqual(['✗ There is no step "1". There are no steps yet.']);
  expect(await chat.type("/save")).toEqual(["There is no conversation to save yet."]);
  expect(await chat.type("/cost")).toHaveLength(1);
  expect((await chat.type("/plan"))[0]).toContain("/plan QUESTION");
});

test("/save writes questions, answers, models and times as Markdown, and never over a file", async () => {
  const chat = await openTestChat({
    parts: { models: { functionCall: scriptedModel(["**Duet** answers.", "Again.\u001b[2J"]), alone: true } },
  });
  await chat.ask("What is\nthis?", "agent");
  await chat.ask("And again?", "chat");
  const folder = await temporaryFolder();
  const file = join(folder, "a talk.md");
  expect(await chat.type(`/save "${file}"`)).toEqual([`Saved as ${file}`]);
  const text = await readFile(file, "utf8");
  expect(text.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "TIME")).toBe(
    [
      `# What is\n\n- Conversation: ${chat.conversation.id}\n- Saved: TIME\n- Models: fake/scripted`,
      "## 1 · TIME\n\n> What is\n> this?\n\n*fake/scripted · Agent mode*\n\n**Duet** answers.",
      "## 2 · TIME\n\n> And again?\n\n*fake/scripted · Chat mode*\n\nAgain.\\u{1b}[2J\n",
    ].join("\n\n"),
  );
  expect(await chat.type(`/save ${file}`)).toEqual([
    `✗ ${file} already exists and is not overwritten. Choose another file: /export FILE`,
  ]);
  expect(await readFile(file, "utf8")).toBe(text);
  expect((await chat.type(`/save ${folder}`))[0]).toMatch(/^Saved as .*duet-\d{8}-\d{6}\.md$/);
  expect(await readdir(folder)).toHaveLength(2);
  expect((await chat.type(`/save ${join(folder, "no", "x.md")}`))[0]).toContain("is in a folder that does not exist");
  await writeFile(join(folder, "plain"), "");
  expect((await chat.type(`/save ${join(folder, "plain", "x.md")}`))[0]).toContain("cannot be written (ENOTDIR)");
});

test("a run without an answer is saved with its reason", async () => {
  const chat = await openTestChat({ parts: { models: { functionCall: scriptedModel([]), alone: true } } });
  chat.settings.locale = "zh";
  await chat.ask("为什么？", "agent");
  const file = join(await temporaryFolder(), "x.md");
  await chat.type(`/save ${file}`);
  expect(await readFile(file, "utf8")).toMatch(/> 为什么？\n\n.*\*⚠ 出现错误 · .*no turn is scripted.*\*\n$/s);
});

test("a change of the mode leaves the conversation behind; the mode that is in force already leaves it alone", async () => {
  const chat = await openTestChat();
  await chat.ask("calculate 1 + 2", "agent");
  const before = chat.conversation.id;
  expect(await chat.type("/mode AGENT")).toEqual(["Agent mode is already in use; nothing changed."]);
  expect(chat.conversation.id).toBe(before);
  expect(await chat.type("/mode plan")).toEqual([
    "Switched to Plan mode; the history is cleared.",
    "The search switch is disabled: In Plan mode the AI decides by itself when to search",
  ]);
  expect(chat.conversation.id).toBeUndefined();
});

test("/trace shows the last run, or one by the beginning of its id, and /expand its steps", async () => {
  const chat = await openTestChat();
  await chat.ask("calculate 1 + 2", "agent");
  const [head, question] = await chat.type("/trace");
  expect(head).toMatch(new RegExp(`^${chat.conversation.runId} · .* · agent$`));
  expect(question).toBe("Question: calculate 1 + 2");
  expect((await chat.type(`/trace ${chat.conversation.runId?.slice(0, 20)}`))[0]).toBe(head);
  expect(await chat.type("/trace run-x")).toEqual([
    "✗ There is no run whose ID starts with run-x. Omit the ID to show the last run: /trace",
  ]);
  const call = chat.steps.listRunSteps().find(({ kind }) => kind === "tool");
  const opened = await chat.type(`/expand #${call?.number}`);
  expect(opened.join("\n")).toMatch(/calculator[\s\S]*1 \+ 2[\s\S]*3/);
  expect((await chat.type("/expand")).join("\n")).toContain(opened.join("\n"));
  const numbers = chat.steps.listRunSteps().map(({ number }) => number);
  expect(await chat.type("/expand 99")).toEqual([`✗ There is no step "99". The last run has: ${numbers.join(", ")}.`]);
});

test("/cost tells what the chat has used", async () => {
  const model = scriptedModel([
    { text: "One.", tokens: 12 },
    { text: "Two.", tokens: 12 },
  ]);
  const chat = await openTestChat({ parts: { models: { functionCall: model, alone: true } } });
  await chat.ask("One?", "chat");
  await chat.ask("Two?", "chat");
  const text = (await chat.type("/cost")).join("\n");
  expect(text).toContain("fake/scripted ×2");
  expect(text).toContain("48 tok");
});

test("/plan asks once in plan mode and shows that plan from then on; the mode stays", async () => {
  const steps = [{ step: 1, description: "Look it up", tool: "echo", parameters: { text: "hello" } }];
  const model = scriptedModel([JSON.stringify({ steps }), "Done.", "Later."]);
  const chat = await openTestChat({ mode: "chat", parts: { models: { functionCall: model, alone: true } } });
  await chat.type("/plan Say  hello,\nthen stop");
  expect(chat.asked).toEqual([{ question: "Say  hello,\nthen stop", mode: "plan" }]);
  expect(chat.settings.mode).toBe("chat");
  await chat.ask("And then?", "chat");
  expect(await chat.type("/plan")).toEqual(["📋 Plan (1 step)", "  ☑ 1. Look it up · echo · done"]);
});
