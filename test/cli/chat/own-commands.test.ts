import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { fillArguments } from "../../../src/app/own-commands/command-file.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { compileCache, temporaryFolder } from "../../fakes/program.ts";
import { openTestChat, type TestChat, type TestChatOptions } from "./commands/test-chat.ts";

/** A chat whose user has these files in the folder of the configuration, and whose working folder has those. */
async function openChat(
  files: { users?: Record<string, string>; projects?: Record<string, string> },
  options: TestChatOptions = {},
): Promise<TestChat> {
  const models = { functionCall: scriptedModel(Array.from({ length: 9 }, () => "Answered.")), alone: true };
  const chat = await openTestChat({ parts: { models }, ...options });
  const places = { users: join(chat.folder, ".config/duet/commands"), projects: join(chat.folder, ".duet/commands") };
  for (const [kind, place] of Object.entries(places))
    for (const [name, text] of Object.entries(files[kind as keyof typeof places] ?? {})) {
      await mkdir(dirname(join(place, name)), { recursive: true });
      await writeFile(join(place, name), text);
    }
  return chat;
}

describe("a command that is a Markdown file", () => {
  test("asks its text with the arguments, in its mode, with its tools alone", async () => {
    const chat = await openChat({
      users: {
        "explain.md":
          "---\ndescription: Explains a term\nargument-hint: TERM\nmode: plan\ntools: files__read*, calculator\n---\nExplain $1.",
        "git/commit.md": "Write a message.",
      },
    });
    await chat.type('/explain "a linked list" now');
    await chat.type("/GIT:commit for $1 and $ARGUMENTS");
    expect(chat.asked).toEqual([
      { question: "Explain a linked list.", mode: "plan", tools: ["files__read*", "calculator"] },
      { question: "Write a message.\n\nfor $1 and $ARGUMENTS", mode: "agent" },
    ]);
    expect((await chat.type("/help")).join("\n")).toMatch(
      /Your own commands\n {2}\/explain TERM +Explains a term \(yours\)/,
    );
    expect(await chat.type("/help explain")).toEqual(["  /explain TERM  Explains a term (yours)"]);
    expect(await chat.type("/explan")).toEqual([
      "Unknown command /explan. Did you mean /explain? /help lists the commands.",
    ]);
  });

  test("of the working folder runs only as it was trusted, and is asked about again when it has changed", async () => {
    const ship = { "ship.md": "Ship it to $1." };
    const asks = await openChat(
      { projects: ship },
      { picks: [undefined, "Show it first", "Yes, and remember this content"] },
    );
    expect(await asks.type("/ship moon")).toEqual(["/ship was not run."]);
    expect(await asks.type("/ship moon")).toEqual(["Ship it to $1."]);
    await asks.type("/ship mars");
    expect(asks.asked.map(({ question }) => question)).toEqual(["Ship it to moon.", "Ship it to mars."]);
    await writeFile(join(asks.folder, ".duet/commands/ship.md"), "Delete $1.");
    expect(await asks.type("/ship moon")).toEqual(["/ship was not run."]);
    const piped = await openChat({ projects: ship });
    expect((await piped.type("/ship moon"))[0]).toMatch(
      /^✗ \/ship was not run: .*ship\.md is not trusted\. Start duet/,
    );
    expect([asks.asked.length, piped.asked.length]).toEqual([2, 0]);
  });

  test("that cannot be used is one line that says why, once", async () => {
    const chat = await openChat({
      users: { "help.md": "Mine.", "twice.md": "First.", "bad.md": "---\nmode: fast\n---\nx", "empty.md": "" },
      projects: { "twice.md": "Second." },
    });
    const outside = join(await temporaryFolder(), "outside.md");
    await writeFile(outside, "Of somebody else.");
    await symlink(outside, join(chat.folder, ".duet/commands/out.md"));
    await chat.ownCommands.reload(new AbortController().signal);
    const lines = chat.takeProblems();
    expect(lines.map((line) => line.replace(/^⚠ \S*\/(\w+\.md): not used as a command, /, "$1: "))).toEqual([
      'bad.md: mode: "fast" is not allowed (allowed: chat, agent, plan)',
      "empty.md: has no text",
      "out.md: is a link that leads out of the folder",
      "help.md: /help is a command of Duet's own",
      expect.stringMatching(/^twice\.md: \/twice is already defined by .*\.config\/duet\/commands\/twice\.md$/),
    ]);
    expect(chat.takeProblems()).toEqual([]);
    expect(await readFile(join(chat.folder, ".duet/commands/twice.md"), "utf8")).toBe("Second.");
  });
});

test("a prompt of a server is a command: its text is shown and asked, a missing argument is said", async () => {
  const offering = { command: process.execPath, args: [resolve("test/fakes/mcp-offering.ts")], env: compileCache() };
  const chat = await openChat({}, { settings: { mcpServers: { offering } }, picks: ["Show the rest first", "No"] });
  expect(await chat.type("/offering__greet")).toEqual([
    "✗ /offering__greet: the argument who is missing. Usage: /offering__greet who",
  ]);
  expect(await chat.type("/offering__greet who=Ada Lovelace")).toEqual(["  Greet Ada Lovelace"]);
  expect(chat.asked).toEqual([{ question: "Greet Ada Lovelace", mode: "agent", attachesFiles: false }]);
  expect(await chat.type('/offering__greet who="Ada  King"')).toEqual(["  Greet Ada  King"]);
  expect(await chat.type("/offering__greet Ada foo=3")).toEqual([
    '✗ /offering__greet has no argument "foo". Usage: /offering__greet who',
  ]);
  expect(await chat.type('/offering__greet "foo=3"')).toEqual(["  Greet foo=3"]);
  expect(chat.asked.map(({ question }) => question)).toEqual(["Greet Ada Lovelace", "Greet Ada  King", "Greet foo=3"]);
  expect(await chat.type("/offering__Long")).toEqual([
    ...rows.slice(0, 20),
    "  … 5 more lines",
    ...rows.slice(20),
    "/offering__Long was not run.",
  ]);
  expect(chat.asked).toHaveLength(3);
});

const rows = Array.from({ length: 25 }, (_, index) => `  Row ${index}`);

test("Esc before the question is asked cancels a command of one's own, and asks nothing", async () => {
  const chat = await openChat({ users: { "explain.md": "Explain." } });
  const stopped = AbortSignal.abort();
  expect(await chat.type("/explain", stopped)).toEqual(["Cancelled."]);
  expect(chat.asked).toEqual([]);
});

test("arguments are put in once: what is put in is not looked at again", () => {
  expect(fillArguments("$1, $2, $3 of $ARGUMENTS; $10 $HOME", "'a b' $1")).toBe("a b, $1,  of 'a b' $1; $10 $HOME");
  expect(fillArguments("Plain.", "")).toBe("Plain.");
});
