import { execFileSync } from "node:child_process";
import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { withoutDay } from "../../fakes/model.ts";
import { type Finished, runProgram, temporaryFolder } from "../../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";
import { startTerminal } from "../../fakes/terminal.ts";
import { runWarmProgram as runWarm } from "../../fakes/warm-program.ts";
import { mayMountDisks, requires } from "../../runner/requirements.ts";
import { edit } from "../../store/damage.ts";
import { finishedRun, page } from "../../store/runs.ts";
import { openStore } from "../../store/stores.ts";

interface Place {
  provider: FakeProvider;
  /** The file of the store. */
  file: string;
  env: Record<string, string>;
  run(...args: string[]): Promise<Finished>;
}

/** One model, and a home that lasts through several starts of the program. */
async function place(more: Record<string, string> = {}, start = runWarm): Promise<Place> {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const home = await temporaryFolder();
  const env = {
    DUET_HOME: home,
    AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", model: "only", base_url: provider.openaiUrl }),
    OPENAI_API_KEY: "sk-test",
    ...more,
  };
  return { provider, file: join(home, "duet.db"), env, run: (...args) => start(args, { env, cwd: home }) };
}

/** What the model was sent last: who said what, without the system prompt. */
function lastMessages(provider: FakeProvider): string[] {
  const { messages } = provider.journal.at(-1)?.body ?? {};
  const words = Array.isArray(messages)
    ? messages.map(({ role, content }) => `${role}: ${withoutDay(String(content))}`)
    : [];
  return words.filter((word) => !word.startsWith("system: "));
}

/** Each time by a process of its own. */
async function askedTwice(...args: string[]): Promise<Place & { second: Finished }> {
  const here = await place({}, runProgram);
  here.provider.script("only", { text: "Paris." }, { text: "Two million." });
  await here.run("ask", "What is the capital of France?", "--mode", "chat");
  const second = await here.run("ask", "And how many live there?", "--mode", "chat", ...args);
  return { ...here, second };
}

describe("going on with a conversation after the program has ended", () => {
  test.each(["--continue", "-c"])("%s sends the model what was said before", async (flag) => {
    const { provider, second, run } = await askedTwice(flag);
    expect(second.stdout).toBe("Two million.\n");
    expect(lastMessages(provider)).toEqual([
      "user: What is the capital of France?",
      "assistant: Paris.",
      expect.stringContaining("And how many live there?"),
    ]);
    const { conversations } = JSON.parse((await run("conversations", "--output", "json")).stdout);
    expect(conversations).toMatchObject([{ title: "What is the capital of France?", turns: 2 }]);
  });

  test("without a flag it is a new one, and the model is sent nothing of the other", async () => {
    const { provider } = await askedTwice();
    expect(lastMessages(provider)).toHaveLength(1);
    expect(JSON.stringify(provider.journal.at(-1)?.body)).not.toContain("France");
  });

  test("--conversation goes on with that one, not with the last", async () => {
    const { provider, file, run } = await place();
    const store = await openStore(file);
    await store.append(finishedRun("older", "My name is Ada.", "Hello Ada."));
    await store.append(finishedRun("newer", "My name is Bob.", "Hello Bob."));
    provider.script("only", { text: "Ada." });
    const { code } = await run("ask", "Who am I?", "--mode", "chat", "--conversation", "older");
    expect(code).toBe(0);
    expect(lastMessages(provider)).toEqual([
      "user: My name is Ada.",
      "assistant: Hello Ada.",
      expect.stringContaining("Who am I?"),
    ]);
    expect((await store.load("older"))?.turns.map(({ question }) => question)).toEqual([
      "My name is Ada.",
      "Who am I?",
    ]);
    expect((await store.load("newer"))?.turns).toHaveLength(1);
  });

  test("--conversation takes the beginning of an ID that one alone has, and of several it lists at most ten", async () => {
    const { provider, file, run } = await place();
    const store = await openStore(file);
    const ids = Array.from({ length: 12 }, (_, n) => `conv-abcdef${n.toString(16)}${"0".repeat(25)}`);
    for (const id of ids) await store.append(finishedRun(id, `My number is ${id}.`, "Hello."));
    const chosen = ["conv-12", "conv-12ab345", "team-12"];
    for (const id of chosen) await store.append(finishedRun(id, "We are twelve.", "Hello."));
    provider.script("only", { text: "Seven." }, ...Array.from({ length: 5 }, () => ({ text: "Nobody." })));
    expect((await run("ask", "Who am I?", "--mode", "chat", "--conversation", "conv-abcdef7")).code).toBe(0);
    expect(lastMessages(provider)[0]).toBe(`user: My number is ${ids[7]}.`);
    expect((await store.load(ids[7] ?? ""))?.turns).toHaveLength(2);
    const { code, stderr } = await run("ask", "x", "--conversation", "conv-abcdef");
    expect([code, stderr.match(/conv-[0-9a-f]{32}/g)?.length]).toEqual([2, 10]);
    expect(stderr).toMatch(/^duet: more than one conversation ID starts with conv-abcdef: conv-abcdef7.*, …\n$/);
    // The ID that a script has chosen is never taken for another one, and neither is a beginning that is as short as one.
    for (const id of ["conv-1", "conv-12ab34", "team-1", "conv-abcde", "conv-"]) {
      await run("ask", "Who are we?", "--mode", "chat", "--conversation", id);
      expect(lastMessages(provider)).toEqual([expect.stringContaining("Who are we?")]);
    }
  });

  test("the chat at a terminal says at once that nobody has the ID", async () => {
    const { env, provider } = await place();
    provider.script("only", { text: "Hello." });
    const terminal = await startTerminal(["--conversation", "mine"], { env, cwd: await temporaryFolder() });
    await terminal.shows("⚠ Conversation mine was not found; the first question starts a new one under that ID.");
    await terminal.shows("> ");
    // The welcome cannot know it yet.
    await terminal.shows("Chat mode · Web search: ");
    terminal.type("\u0004");
    expect(await terminal.ended()).toBe(0);
  });

  test("an ID that nobody has begins a new one under it, and that is said", async () => {
    const { provider, file, run } = await place();
    provider.script("only", { text: "Hello." });
    const { code, stderr } = await run("ask", "Hi", "--mode", "chat", "--conversation", "mine");
    expect(code).toBe(0);
    expect(stderr).toContain("⚠ Conversation mine was not found; a new one was started under that ID.");
    expect((await (await openStore(file)).load("mine"))?.turns).toMatchObject([{ question: "Hi", answer: "Hello." }]);
  });

  test("the terminal chat goes on with it too", async () => {
    const { provider, env, run } = await place();
    provider.script("only", { text: "Paris." }, { text: "Two million." });
    await run("ask", "What is the capital of France?", "--mode", "chat");
    const terminal = await startTerminal(["--continue", "--all", "--mode", "chat"], {
      env,
      cwd: await temporaryFolder(),
    });
    await terminal.shows("Continuing: What is the capital of France?");
    await terminal.shows("> ");
    terminal.type("And how many live there?\r");
    await terminal.shows("Two million.");
    terminal.type("\u0004");
    expect(await terminal.ended()).toBe(0);
    expect(lastMessages(provider).slice(0, 2)).toEqual(["user: What is the capital of France?", "assistant: Paris."]);
  });

  test.each([
    ["ask", ["ask", "Who am I?"], ""],
    ["a chat on a pipe", [], "Who am I?\n"],
  ])("--continue of %s passes over questions that came to nothing", async (face, args, stdin) => {
    const { provider, file, env } = await place();
    const store = await openStore(file);
    await store.append(finishedRun("answered", "My name is Ada.", "Hello Ada."));
    await store.append(finishedRun("failed", "My name is Bob."));
    provider.script("only", { text: "Ada." });
    const { stderr } = await runWarm([...args, "--mode", "chat", "--continue"], { env, stdin });
    expect(lastMessages(provider).slice(0, 2)).toEqual(["user: My name is Ada.", "assistant: Hello Ada."]);
    if (face !== "ask") expect(stderr).toContain("Continuing: My name is Ada.\n");
  });

  test.each([
    [["--continue"], "duet: --continue: there is no conversation to continue yet\n"],
    [["--all"], "duet: --all goes with --continue (allowed: -c --all, or duet resume --all)\n"],
    [["-c", "--conversation", "a"], "duet: --conversation and --continue cannot be combined (allowed: one of them)\n"],
    ...[" ", "a\nb"].map((id) => [
      ["--conversation", id],
      `duet: --conversation: ${JSON.stringify(id)} is not a conversation ID (allowed: 1 to 200 characters, not all blank and none a control character)\n`,
    ]),
  ])("%j is one line and exit code 2, and no model is asked", async (flags, line) => {
    const { provider, run } = await place();
    for (const command of [["ask", "x"], ["chat"]]) {
      const { code, stdout, stderr } = await run(...command, ...flags);
      expect([code, stdout, stderr]).toEqual([2, "", line]);
    }
    expect(provider.journal).toEqual([]);
  });
});

describe("a store that is not as it should be", () => {
  test("damaged: the answer comes all the same, and where the file is now is said once", async () => {
    const { provider, file, env, run } = await place();
    await writeFile(file, "garbage ".repeat(1_000));
    provider.script("only", { text: "One." }, { text: "Two." });
    const first = await run("ask", "1", "--mode", "chat");
    expect([first.code, first.stdout]).toEqual([0, "One.\n"]);
    expect(first.stderr).toMatch(/⚠ The conversation store was damaged; its file is kept as .*duet\.db\.damaged-/);
    const second = await run("ask", "2", "--mode", "chat", "-c");
    expect(second.stderr).not.toContain("damaged");
    expect(lastMessages(provider)[0]).toBe("user: 1");
    expect((await readdir(env.DUET_HOME ?? "")).filter((name) => name.includes("damaged"))).toHaveLength(1);
  });

  test.each([
    [["ask", "-c", "hi"], 2],
    [["chat", "-c"], 2],
    [["conversations"], 0],
    [["trace"], 1],
  ])("damaged: %j says where the file is now", async (args, expected) => {
    const { file, run } = await place();
    await writeFile(file, "garbage ".repeat(1_000));
    const { code, stderr } = await run(...args);
    expect(code).toBe(expected);
    expect(stderr.match(/^duet: The conversation store was damaged; its file is kept as .*$/gm)).toHaveLength(1);
  });

  test("damaged, with --output json: the warning is on stderr, and stdout is JSON", async () => {
    const { provider, file, run } = await place();
    await writeFile(file, "garbage ".repeat(1_000));
    provider.script("only", { text: "One." });
    const { stdout, stderr } = await run("ask", "1", "--mode", "chat", "--output", "json");
    expect(JSON.parse(stdout)).toMatchObject({ response: "One." });
    expect(stderr).toMatch(/^⚠ The conversation store was damaged; .*\n$/);
  });

  test("not to be written: the answer comes all the same, and why it is not kept is said", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "duet.db"));
    const { provider, run } = await place({ DUET_HOME: folder });
    provider.script("only", { text: "One." });
    const asked = await run("ask", "1", "--mode", "chat");
    expect([asked.code, asked.stdout]).toEqual([0, "One.\n"]);
    expect(asked.stderr).toMatch(
      /⚠ Conversations are kept only until this process ends.*duet\.db cannot be used.*DUET_HOME/,
    );
    for (const args of [["conversations"], ["conversations", "show", "a"], ["ask", "x", "--continue"]]) {
      const { code, stdout, stderr } = await run(...args);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toMatch(/^duet: the conversation store .* cannot be used.*\n$/);
    }
  });
});

describe("a store on a disk that can only be read", requires(mayMountDisks()), () => {
  async function readOnlyPlace(prepare: (file: string) => Promise<void>): Promise<Place> {
    const folder = await temporaryFolder();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "none", folder]);
    onTestFinished(() => void execFileSync("umount", ["-l", folder]));
    const here = await place({ DUET_HOME: folder });
    await prepare(join(folder, "duet.db"));
    execFileSync("mount", ["-o", "remount,ro", folder]);
    return here;
  }

  test("is listed, shown and traced; what would change it is refused in one line", async () => {
    const { run } = await readOnlyPlace(async (file) => {
      const store = await openStore(file);
      await store.append(finishedRun("first", "Which page?", "This one."));
      await store.close();
    });
    expect(await run("conversations")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^first .*Which page/) });
    const shown = await run("conversations", "show", "first");
    expect([shown.code, shown.stdout, shown.stderr]).toEqual([0, expect.stringContaining("This one."), ""]);
    expect(await run("trace")).toMatchObject({ code: 0, stdout: expect.stringContaining("Which page?"), stderr: "" });
    const { code, stdout, stderr } = await run("conversations", "delete", "first");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^duet: the conversation store .*duet\.db cannot be used: it is read-only\. .*\n$/);
  });

  test("with a log that SQLite would have to index is to be copied, which is said", async () => {
    const { run } = await readOnlyPlace(async (file) => {
      const original = join(await temporaryFolder(), "duet.db");
      const store = await openStore(original);
      await store.append(finishedRun("first", "Which page?", "This one."));
      for (const part of ["", "-wal"]) await copyFile(original + part, file + part);
    });
    const { code, stdout, stderr } = await run("conversations");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^duet: .* it is read-only\. Copy duet\.db, and duet\.db-wal .* DUET_HOME\.\n$/);
  });
});

describe("duet conversations", () => {
  async function twoConversations(): Promise<Place> {
    const here = await place();
    const store = await openStore(here.file);
    const { sources } = await store.create("first");
    await sources.number([page("https://a.example")]);
    await store.append(finishedRun("first", "Which page?\nAnd why?", "This one [1]."));
    await store.append(finishedRun("second", "\u001b]0;evil\u0007你好", "\u001b[2J\u202eevil"));
    await store.append(finishedRun("second", "再见", "再见！"));
    await store.close();
    return here;
  }

  test("lists them, the last asked first, and says so when there are none", async () => {
    const { run } = await twoConversations();
    const { code, stdout, stderr } = await run("conversations");
    expect([code, stderr]).toEqual([0, ""]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^second {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}2 turns {2}\\u\{1b\}\]0;evil\\u\{7\}你好$/);
    expect(lines[1]).toMatch(/^first {2}.* 1 turn {2}Which page\?$/);
    expect(lines).toHaveLength(2);
    const empty = await (await place()).run("conversations", "list", "--locale", "zh");
    expect(empty).toEqual({ code: 0, stdout: "", stderr: "没有对话。\n" });
  });

  test("lists them in pages", async () => {
    const { run } = await twoConversations();
    const first = await run("conversations", "--limit", "1");
    expect(first.stdout).toMatch(/^second .*\n$/);
    expect(first.stderr).toBe("There are more: --offset 1\n");
    const rest = await run("conversations", "--limit", "1", "--offset", "1");
    expect(rest.stdout).toMatch(/^first .*\n$/);
    expect(rest.stderr).toBe("");
    const beyond = await run("conversations", "--offset", "99");
    expect(beyond).toEqual({ code: 0, stdout: "", stderr: "No conversations beyond the first 99.\n" });
    expect(await run("conversations", "--limit", "0")).toEqual({
      code: 2,
      stdout: "",
      stderr: "duet: --limit: 0 is not allowed (allowed: an integer from 1 to 100000)\n",
    });
  });

  test("lists them as JSON", async () => {
    const { run } = await twoConversations();
    const { stdout } = await run("conversations", "list", "--output", "json");
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    const models = { function_call: "fake/scripted", answer: "fake/scripted" };
    const marks = { named_by_person: false, pinned: false, mode: "agent", models };
    expect(JSON.parse(stdout)).toEqual({
      conversations: [
        {
          conversation_id: "second",
          title: "\u001b]0;evil\u0007你好",
          ...marks,
          turns: 2,
          created_at: time,
          updated_at: time,
        },
        { conversation_id: "first", title: "Which page?", ...marks, turns: 1, created_at: time, updated_at: time },
      ],
    });
    expect(printableOnly(stdout)).toBe(true);
  });

  test("shows one with its sources; nothing in it can drive the terminal", async () => {
    const { run } = await twoConversations();
    const first = (await run("conversations", "show", "first")).stdout.split("Runs (duet trace ID):\n");
    expect(first[0]).toBe(
      "> Which page?\n> And why?\n\nThis one [1].\n\n[1] Title of https://a.example https://a.example\n",
    );
    expect(first[1]).toMatch(/^run-\w+ {2}2026-11-2\d \d\d:\d\d {2}complete {2}Which page\? And why\?\n$/);
    const { stdout } = await run("conversations", "show", "second");
    expect(stdout).toContain("\\u{1b}[2J\\u{202e}evil");
    expect(printableOnly(stdout)).toBe(true);
  });

  test("shows of one without turns that it has none, and its failed run", async () => {
    const { file, run } = await place();
    const store = await openStore(file);
    await store.append(finishedRun("failed", "Why?"));
    await store.close();
    const { code, stdout } = await run("conversations", "show", "failed");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^This conversation has no turns yet\.\nRuns \(duet trace ID\):\nrun-.* {2}Why\?\n$/);
  });

  test("shows one as JSON", async () => {
    const { run } = await twoConversations();
    const { stdout } = await run("conversations", "show", "first", "--output", "json");
    expect(JSON.parse(stdout)).toEqual({
      conversation_id: "first",
      title: "Which page?",
      turns: [{ question: "Which page?\nAnd why?", answer: "This one [1]." }],
      summary: null,
      sources: [{ n: 1, title: "Title of https://a.example", url: "https://a.example" }],
      runs: [
        {
          run_id: expect.stringMatching(/^run-/),
          question: "Which page?\nAnd why?",
          status: "complete",
          started_at: "2026-11-21T00:00:00.000Z",
        },
      ],
    });
  });

  test("pins and names them, and prunes the others alone, after it has listed them", async () => {
    const { run, file } = await twoConversations();
    expect(await run("conversations", "pin", "first", "nobody")).toMatchObject({
      code: 1,
      stdout: "Pinned first\n",
      stderr: "duet: there is no conversation nobody\n",
    });
    expect((await run("conversations", "name", "first", "天气 weather")).stdout).toBe("Named first\n");
    expect((await run("conversations")).stdout).toMatch(/^first .* {2}天气 weather {2}\(pinned\)$/m);
    expect(JSON.parse((await run("conversations", "show", "first", "--output", "json")).stdout).title).toBe(
      "天气 weather",
    );
    expect((await run("conversations", "unpin", "first")).stdout).toBe("Unpinned first\n");
    const wrong = await run("conversations", "name", "first", "two\nlines");
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("allowed: one line of at most 200 characters"),
    ]);

    edit(file, "UPDATE conversations SET updated_at = '2020-01-01T00:00:00.000Z'");
    const listed = await run("conversations", "prune", "--dry-run");
    expect(listed.stdout).toMatch(
      /^second .* store\.keepDays .*你好\n1 conversation would be removed; .*Nothing was changed\.\n$/,
    );
    const pruned = JSON.parse((await run("conversations", "prune", "--output", "json")).stdout);
    expect(pruned).toMatchObject({ dry_run: false, removed: 1, conversations: [{ conversation_id: "second" }] });
    expect((await run("conversations")).stdout).toMatch(/^first .*\n$/);
    await run("conversations", "name", "first", "");
    expect((await run("conversations")).stdout).toMatch(/Which page\?$/m);
    expect((await run("conversations", "prune")).stdout).toMatch(/^Removed 1 conversation; /);
  });

  test("deletes those that are named; one that is not there is one line and exit code 1", async () => {
    const { run } = await twoConversations();
    const { code, stdout, stderr } = await run("conversations", "delete", "first", "no\u001bbody", "second");
    expect(stdout).toBe("Deleted first\nDeleted second\n");
    expect(stderr).toBe("duet: there is no conversation no\\u{1b}body\n");
    expect(code).toBe(1);
    expect((await run("conversations", "list", "--output", "json")).stdout).toBe('{\n  "conversations": []\n}\n');
    const again = await run("conversations", "delete", "first", "--output", "json", "--locale", "zh");
    expect(JSON.parse(again.stdout)).toEqual({ deleted: [], unknown: ["first"] });
    expect([again.code, again.stderr]).toEqual([1, "duet: 没有对话 first\n"]);
  });

  test("take the beginning of an ID; where one of them means several, nothing is changed", async () => {
    const { file, run } = await place();
    const store = await openStore(file);
    const [a, b, c] = ["a1", "a2", "b1"].map((end) => `conv-abcde${end}${"0".repeat(25)}`) as [string, string, string];
    for (const id of [a, b, c]) await store.append(finishedRun(id, `Which is ${id}?`, "This one."));
    expect((await run("conversations", "show", "conv-abcdeb")).stdout).toContain(`> Which is ${c}?`);
    expect((await run("conversations", "pin", "conv-abcdea1", "conv-abcdeb")).stdout).toBe(
      `Pinned ${a}\nPinned ${c}\n`,
    );
    expect((await run("conversations", "name", "conv-abcdea2", "Second")).stdout).toBe(`Named ${b}\n`);
    expect(await run("conversations", "delete", "conv-abcdeb", "conv-abcdea", "--locale", "zh")).toEqual({
      code: 2,
      stdout: "",
      stderr: `duet: 不止一个对话的编号以 conv-abcdea 开头：${b}, ${a}\n`,
    });
    const deleted = await run("conversations", "delete", "conv-abcdeb", "--output", "json");
    expect(JSON.parse(deleted.stdout)).toEqual({ deleted: [c], unknown: [] });
    expect((await store.list({ limit: 9, offset: 0 })).map(({ id }) => id)).toEqual([b, a]);
  });

  test.each([
    ["show", ""],
    ["delete", "first", " "],
    ["pin", "first", ""],
    ["name", "\n", "Trip"],
  ])("%s refuses a blank ID in one line with exit code 2, and changes nothing", async (...words) => {
    const { file, run } = await place();
    const store = await openStore(file);
    await store.append(finishedRun("first", "Q.", "A."));
    const { code, stdout, stderr } = await run("conversations", ...words);
    const blank = JSON.stringify(words.find((word) => word.trim() === ""));
    expect([code, stdout, stderr]).toEqual([
      2,
      "",
      `duet: conversations: ${blank} is not a conversation ID (allowed: one that duet conversations lists, or the beginning of a generated one)\n`,
    ]);
    expect(await store.list({ limit: 9, offset: 0 })).toMatchObject([{ id: "first", isPinned: false }]);
  });

  test("showing one that is not there is one line and exit code 1", async () => {
    const { run } = await place();
    expect(await run("conversations", "show", "123")).toEqual({
      code: 1,
      stdout: "",
      stderr: "duet: there is no conversation 123\n",
    });
  });
});

function printableOnly(text: string): boolean {
  return !/[\p{Cc}\p{Cf}]/u.test(text.replaceAll("\n", ""));
}
