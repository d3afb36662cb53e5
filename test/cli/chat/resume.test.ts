import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startTerminal } from "../../fakes/terminal.ts";
import { isGivenBack, openChatTerminal } from "./open-chat.ts";

test("the chat says on leaving how to continue a conversation that is stored, and nothing where it cannot be", async () => {
  const chatTerminal = await openChatTerminal();
  chatTerminal.provider.script("only", { text: "Paris." }, { text: "Rome." });
  const stored = await chatTerminal.open();
  stored.type("The capital of France?\r");
  await stored.stands("Paris.");
  stored.type("/exit\r");
  expect(await stored.ended()).toBe(0);
  expect(stored.scrollback().join("\n")).toContain("To continue it: duet --conversation conv-");
  await rm(join(chatTerminal.home, "duet.db-gate"));
  await mkdir(join(chatTerminal.home, "duet.db-gate"));
  const other = await chatTerminal.open();
  other.press("up");
  await other.stands("> /exit");
  other.press("up");
  await other.stands("> The capital of France?");
  other.press("enter");
  await other.stands("Rome.");
  other.type("/exit\r");
  expect(await other.ended()).toBe(0);
  const shown = other.scrollback().join("\n");
  expect(shown).toContain("Conversations are kept only until this process ends");
  expect(shown).not.toContain("To continue it");
});

describe("going on with a conversation in a terminal", () => {
  test("of two chats at once on one home, -c, --conversation and the arrow keys of /resume lead to each by its first question", async () => {
    const chatTerminal = await openChatTerminal();
    chatTerminal.provider.script("only", { text: "Paris." }, { text: "Four." }, { text: "Five." }, { text: "Rome." });
    const [one, other] = await Promise.all([chatTerminal.open(), chatTerminal.open()]);
    one.type("The capital of France?\r");
    await one.stands("Paris.");
    // The answer stands there before it is stored.
    one.press("ctrl-d");
    expect(await one.ended()).toBe(0);
    other.type("Two and two?\r");
    await other.stands("Four.");
    other.press("ctrl-d");
    expect(await other.ended()).toBe(0);

    const second = await chatTerminal.open(["-c"]);
    await second.stands("Continuing: Two and two? (1 turn)");
    await second.stands("Four.");
    second.type("And one more?\r");
    await second.stands("Five.");
    expect(JSON.stringify(chatTerminal.provider.journal.at(-1)?.body.messages)).toContain("Two and two?");
    second.type("/resume\r");
    await second.stands("❯ Two and two?");
    second.press("down");
    await second.stands("❯ The capital of France?");
    second.press("enter");
    await second.stands("Continuing: The capital of France? (1 turn)");
    second.type("And of Italy?\r");
    await second.stands("Rome.");
    expect(JSON.stringify(chatTerminal.provider.journal.at(-1)?.body.messages)).toContain("The capital of France?");
    second.type("/conversations\r");
    const listed = await second.follows("> /conversations", "Two and two?");
    second.press("ctrl-c");
    await second.stands("Press Ctrl-C again to exit.");
    second.press("ctrl-c");
    expect(await second.ended()).toBe(0);

    const id = /^\s*(\S+).*Two and two\?/m.exec(listed)?.[1] ?? "";
    const third = await chatTerminal.open(["--conversation", id]);
    await third.stands("Continuing: Two and two? (2 turns)");
    for (const typed of ["/conversations", "And of Italy?", "/resume", "And one more?"]) {
      third.press("up");
      await third.stands(`> ${typed}`);
    }
    third.press("up");
    await third.stands("> Two and two?");
    third.press("up");
    await third.stands("> The capital of France?");
    third.press("ctrl-c", "ctrl-d");
    expect(await third.ended()).toBe(0);
    isGivenBack(third);
  });

  test("of two terminals in one conversation one goes back and neither reads the other's turns; duet resume finds it by a question", async () => {
    const chatTerminal = await openChatTerminal();
    const texts = ["Paris.", "Two million.", "Rome.", "Three million.", "Madrid."];
    chatTerminal.provider.script("only", ...texts.map((text) => ({ text })));
    const one = await chatTerminal.open();
    one.type("The capital of France?\r");
    await one.stands("Paris.");
    one.type("How many live there?\r");
    await one.stands("Two million.");
    const other = await chatTerminal.open(["-c"]);
    await other.stands("Continuing: The capital of France? (2 turns)");
    one.type("/rewind 1\r");
    await one.stands("Chat mode > The capital of France?");
    await one.stands("Files are not restored");
    one.press("ctrl-c");
    one.type("The capital of Italy?\r");
    await one.stands("Rome.");
    other.type("And in its suburbs?\r");
    await other.stands("Three million.");
    const sent = (index: number): string => JSON.stringify(chatTerminal.provider.journal.at(index)?.body.messages);
    expect(sent(-1)).toContain("How many live there?");
    expect(sent(-1)).not.toContain("Italy");
    expect(sent(-2)).not.toContain("France");
    await one.resize(40, 24);
    await one.stands("openai/only");
    for (const row of one.rows()) expect(row.trimEnd().length).toBeLessThanOrEqual(40);
    for (const terminal of [one, other]) terminal.type("/exit\r");
    expect(await Promise.all([one.ended(), other.ended()])).toEqual([0, 0]);

    const { home, cwd, env } = chatTerminal;
    const third = await startTerminal(["resume", "--config", join(home, "duet.config.json")], { cwd, env });
    await third.stands("type to filter");
    await third.reply("suburbs");
    await third.stands("❯ The capital of France?");
    third.press("enter");
    await third.stands("Continuing: The capital of France? (3 turns)");
    third.type("/exit\r");
    expect(await third.ended()).toBe(0);
    isGivenBack(third);
  });

  test("after a crash -c goes on with the turns before it, and Up brings the lost question back", async () => {
    const chatTerminal = await openChatTerminal();
    chatTerminal.provider.script(
      "only",
      { text: "Paris." },
      { text: "Two mil", hang: "after-text" },
      { text: "Two million." },
    );
    const first = await chatTerminal.open();
    first.type("The capital of France?\r");
    await first.stands("Paris.");
    first.type("How many live there?\r");
    await first.stands("Two mil");
    await first.signal("SIGKILL");
    await first.ended();

    const second = await chatTerminal.open(["-c"]);
    await second.stands("Continuing: The capital of France?");
    await second.stands("Paris.");
    second.press("up");
    await second.stands("> How many live there?");
    second.press("enter");
    await second.stands("Two million.");
    expect(JSON.stringify(chatTerminal.provider.journal.at(-1)?.body.messages)).toContain("Paris.");
    second.type("/exit\r");
    expect(await second.ended()).toBe(0);
    isGivenBack(second);
  });

  test("after a crash in the first question -c opens the conversation in the mode of that question, and so does /continue", async () => {
    const chatTerminal = await openChatTerminal();
    const { provider, home, cwd, env } = chatTerminal;
    const crashed = { text: "Two mil", hang: "after-text" } as const;
    provider.script("only", crashed, { text: "Two million." }, { text: "Rome." }, crashed, { text: "Madrid." });
    const openWithoutMode = (args: string[]) =>
      startTerminal([...args, "--config", join(home, "duet.config.json")], { cwd, env });
    async function crash(): Promise<void> {
      const first = await chatTerminal.open(["--mode", "agent"]);
      first.type("How many live there?\r");
      await first.stands("Two mil");
      await first.signal("SIGKILL");
      await first.ended();
    }
    const getTools = () => provider.journal.at(-1)?.body.tools;

    await crash();
    const opened = await openWithoutMode(["-c"]);
    await opened.stands("In the mode of this conversation: Agent mode");
    await opened.stands("Agent mode >");
    expect(opened.scrollback().join("\n")).not.toContain("Chat mode");
    opened.type("/continue\r");
    await opened.stands("Two million.");
    opened.type("And in Rome?\r");
    await opened.stands("Rome.");
    expect(getTools()).toBeDefined();
    opened.type("/exit\r");
    expect(await opened.ended()).toBe(0);

    await crash();
    const other = await openWithoutMode([]);
    await other.stands("Chat mode >");
    other.type("/continue\r");
    await other.stands("Madrid.");
    await other.stands("Agent mode >");
    other.type("/exit\r");
    expect(await other.ended()).toBe(0);
  });
});
