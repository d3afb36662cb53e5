import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { chatCommands } from "../../../../src/cli/chat/command-list.ts";
import type { ChatCommand } from "../../../../src/cli/chat/commands/chat-command.ts";
import { createCompleteCommand } from "../../../../src/cli/chat/complete-commands.ts";
import { isCommandText, runCommand } from "../../../../src/cli/chat/run-command.ts";
import { modeHelp } from "../../../../src/render/mode-names.ts";
import { openTestChat } from "./test-chat.ts";

test("help lists every command, says what sets the modes apart and how to switch, in both languages", async () => {
  const chat = await openTestChat({ picks: [] });
  for (const locale of ["zh", "en"] as const) {
    chat.settings.locale = locale;
    const text = (await chat.type("/help")).join("\n");
    for (const { name } of chatCommands) expect(text).toMatch(new RegExp(`^  ${name}\\b.*  `, "m"));
    for (const { help } of chatCommands) expect(text).toContain(help[locale]);
    for (const help of Object.values(modeHelp)) expect(text).toContain(help[locale]);
    expect(text).toContain("/mode agent");
    expect(text).toContain("Shift+Enter");
  }
});

test("the chat has these commands and no others", () => {
  const wanted =
    "/help /mode /agent /model /answer-model /set /search /config /tools /skills /permissions /edit /plan /context /cost /trace /expand /fold /clear /keep /compact /resume /continue /conversations /status /rewind /fork /rename /export /lang /doctor /exit";
  expect(chatCommands.map(({ name }) => name).sort()).toEqual(wanted.split(" ").sort());
});

test("every command that a file of the folder exports is in a group", async () => {
  const folder = new URL("../../../../src/cli/chat/commands/", import.meta.url);
  const modules: object[] = await Promise.all(readdirSync(folder).map((name) => import(new URL(name, folder).href)));
  const exported = modules.flatMap((module) => Object.values(module)).filter(isCommand);
  expect(exported.length).toBeGreaterThan(15);
  for (const command of exported) expect(chatCommands).toContain(command);
});

function isCommand(value: unknown): value is ChatCommand {
  return typeof value === "object" && value !== null && "name" in value && "run" in value;
}

test("help of one command shows how it is typed", async () => {
  const chat = await openTestChat();
  expect(await chat.type("/help exit")).toEqual(["  /exit  exits (so does Ctrl-D)", "  also /quit"]);
  expect(await chat.type("/help /SEARCH")).toEqual([expect.stringContaining("/search [on|off]")]);
  expect(await chat.type("/help foo")).toEqual(['✗ Unknown command "foo". /help lists them.']);
});

test("the name of a command may be written in any case, and /quit ends the chat, too", async () => {
  const chat = await openTestChat();
  const { signal } = new AbortController();
  expect(await runCommand("/EXIT", chat, signal)).toBe("exit");
  expect(await runCommand(" /quit ", chat, signal)).toBe("exit");
  expect(await runCommand("/Clear", chat, signal)).toBeUndefined();
});

test.each([
  ["/moed", "Unknown command /moed. Did you mean /mode? /help lists the commands."],
  ["/conv", "Unknown command /conv. Did you mean /conversations? /help lists the commands."],
  ["/nonsense", "Unknown command /nonsense. /help lists the commands."],
  ["/", "Unknown command /. /help lists the commands."],
  ["/\u001b[2J", "Unknown command /\\u{1b}[2J. /help lists the commands."],
  ["/clear all", '/clear takes no argument (given: "all"). Usage: /clear'],
])("%j is refused in one line", async (line, told) => {
  const chat = await openTestChat();
  expect(await chat.type(line)).toEqual([told]);
});

test("what a command throws is one line, and what was stopped says so", async () => {
  const chat = await openTestChat({ mode: "agent" });
  chat.ask = () => Promise.reject(new Error("the wire broke"));
  expect(await chat.type("/plan go")).toEqual(["✗ the wire broke. This is a fault of the program: please report it."]);
  expect(await chat.type("/tools", AbortSignal.abort())).toEqual(["Cancelled."]);
});

test("names are completed with their help, then what the command can be given", async () => {
  const chat = await openTestChat();
  const complete = createCompleteCommand(chat);
  const texts = async (typed: string) => {
    const found = await complete(typed);
    return found && [found.from, ...found.completions.map(({ text }) => text)];
  };
  expect((await complete("/"))?.completions).toHaveLength(chatCommands.length);
  expect(await texts("/MOD")).toEqual([0, "/mode", "/model"]);
  expect((await complete("/mod"))?.completions[0]?.help).toBe("switches the mode (starts a new conversation)");
  expect(await texts("/mode ")).toEqual([6, "chat", "agent", "plan"]);
  expect(await texts("/mode a")).toEqual([6, "agent", "chat", "plan"]);
  expect(await texts("/help mo")).toEqual([6, "mode", "model", "answer-model"]);
  expect(await texts("/tools b")).toEqual([7, "builtin"]);
  expect(await texts("/search o")).toBeUndefined();
  chat.settings.mode = "chat";
  expect(await texts("/search o")).toEqual([8, "on", "off"]);
});

test("there is nothing to complete of what is no command, or is typed in full already", async () => {
  const complete = createCompleteCommand(await openTestChat());
  for (const typed of ["hello", " /mode", "/zzz", "/mode", "/mode agent", "/zzz a", "/clear x", "/plan a\nb"])
    expect(await complete(typed), typed).toBeUndefined();
});

test("a message that begins with a path is a message, and anything else behind a slash a command", () => {
  for (const text of [
    "/etc/hosts what is this",
    " /tmp what is in there?",
    "// why?",
    "/home/me/no such",
    "what /mode?",
  ])
    expect(isCommandText(text), text).toBe(false);
  for (const text of ["/mode agent", " /HELP", "/quit", "/moed", "/", "/nonsense why"])
    expect(isCommandText(text), text).toBe(true);
});
