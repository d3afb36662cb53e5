import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { images } from "../../fakes/images.ts";
import { isGivenBack, openChatTerminal } from "./open-chat.ts";

const asked = `export default {
  name: "asked", description: "Needs consent.", inputSchema: { type: "object" }, async run() { return "was run"; },
};`;

test("several lines are one message, by Shift+Enter of either protocol, Ctrl-J, a backslash and a paste", async () => {
  const chatTerminal = await openChatTerminal();
  chatTerminal.provider.script("only", { text: "Fine." });
  const terminal = await chatTerminal.open();
  terminal.type("one");
  terminal.press("shift-enter");
  terminal.type("two\u001b[27;2;13~three");
  terminal.press("ctrl-j");
  terminal.type("four\\\rfive ");
  terminal.paste("pasted\nin lines\n");
  await terminal.stands("in lines");
  terminal.press("backspace", "enter");
  await terminal.stands("Fine.");
  expect(chatTerminal.lastQuestion()).toContain("one\ntwo\nthree\nfour\nfive pasted\nin lines");
  expect(chatTerminal.provider.journal).toHaveLength(1);
  terminal.press("ctrl-d");
  expect(await terminal.ended()).toBe(0);
  isGivenBack(terminal);
});

test("@file attaches what it holds, Tab completes its path and a command; what cannot be attached stops the question", async () => {
  const chatTerminal = await openChatTerminal();
  await writeFile(join(chatTerminal.cwd, "recipe with eggs.md"), "Take three eggs.");
  await writeFile(join(chatTerminal.cwd, "large.txt"), "x".repeat(200_001));
  await writeFile(join(chatTerminal.cwd, "photo.heic"), "\0\0\0\u0018ftypheic");
  const dropped = join(chatTerminal.cwd, "my picture.png");
  await writeFile(dropped, images.png);
  await symlink(join(chatTerminal.home, "duet.config.json"), join(chatTerminal.cwd, "ours.txt"));
  chatTerminal.provider.script("only", { text: "An omelette." });
  const terminal = await chatTerminal.open();
  terminal.type("What is @rec");
  await terminal.stands("❯ @recipe\\ with\\ eggs.md");
  terminal.press("tab");
  await terminal.stands("What is @recipe\\ with\\ eggs.md");
  terminal.type("beside ");
  // As terminals send a file that is dropped on them. The second label is taken away as one piece.
  terminal.paste(`'${dropped}' `);
  terminal.paste(`'${dropped}' `);
  await terminal.stands("beside [image 1] [image 2]");
  terminal.press("backspace");
  await terminal.hides("[image 2]");
  terminal.type("@large.txt @photo.heic @none.txt @ours.txt");
  terminal.press("enter");
  await terminal.showsWords(
    "✗ Not attached: @large.txt is too large (at most 200000 bytes); Not attached: @photo.heic is image/heic (allowed: PNG, JPEG, GIF, WebP); Not attached: @none.txt does not exist; Not attached: @ours.txt is protected (Duet's configuration or data, or a file of keys). The question was not sent; your text is back in the input.",
  );
  expect(chatTerminal.provider.journal).toHaveLength(0);
  await terminal.stands("beside [image 1] @large.txt");
  for (let word = 0; word < 4; word++) terminal.press("ctrl-w");
  terminal.press("enter");
  await terminal.stands("An omelette.");
  await terminal.stands("📎 recipe with eggs.md (16 characters)");
  await terminal.stands(`my picture.png (${images.png.length} B)`);
  expect(chatTerminal.lastQuestion()).toContain("Take three eggs.");
  expect(chatTerminal.lastQuestion()).toContain(`data:image/png;base64,${images.png.toString("base64").slice(0, 60)}`);
  expect(chatTerminal.lastQuestion()).not.toContain("functionCall");
  terminal.type("/conv");
  await terminal.stands("/conversations");
  terminal.press("tab");
  await terminal.stands("> /conversations");
  terminal.press("ctrl-c");
  await terminal.hides("> /conversations");
  terminal.press("ctrl-c");
  await terminal.stands("Press Ctrl-C again to exit.");
  terminal.press("ctrl-c");
  expect(await terminal.ended()).toBe(0);
  isGivenBack(terminal);
});

test("what is submitted meanwhile is answered in its order; Esc stops the run and gives back what waits", async () => {
  const chatTerminal = await openChatTerminal();
  const first = Promise.withResolvers<void>();
  chatTerminal.provider.script(
    "only",
    { text: "First ", hang: "after-text", until: first.promise },
    { text: "Second" },
    { text: "Third" },
    { text: "Fourth", hang: "after-text" },
  );
  const terminal = await chatTerminal.open();
  terminal.type("1?\r");
  await terminal.stands("First");
  for (const question of ["2?", "3?", "4?"]) terminal.type(`${question}\r`);
  await terminal.stands("⏳ 4?");
  first.resolve();
  await terminal.stands("Fourth");
  const order = ["> 1?", "First", "> 2?", "Second", "> 3?", "Third", "> 4?", "Fourth"];
  const shown = terminal.scrollback().join("\n");
  expect(order.map((part) => shown.indexOf(part))).toEqual(
    order.map((part) => shown.indexOf(part)).toSorted((a, b) => a - b),
  );
  terminal.type("5?\r6?\rhalf");
  await terminal.stands("⏳ 6?");
  terminal.press("escape");
  await terminal.hides("⏳");
  await terminal.stands("> 5?");
  expect(terminal.rows().join("\n")).toMatch(/> 5\?\s+6\?\s+half/);
  // While the run ends, Ctrl-C is for the run.
  await terminal.stands("Cancelled.");
  terminal.press("ctrl-c");
  await terminal.hides("half");
  terminal.press("ctrl-d");
  expect(await terminal.ended()).toBe(0);
  expect(chatTerminal.provider.journal).toHaveLength(4);
});

test("a question that pops up is not answered by what was being typed, and history lasts through a restart", async () => {
  const chatTerminal = await openChatTerminal({ tools: { "asked.mjs": asked }, ask: ["asked"] });
  const turn = Promise.withResolvers<void>();
  chatTerminal.provider.script(
    "only",
    { reasoning: "Let me see.", thinkUntil: turn.promise, toolCalls: [{ name: "asked", arguments: {} }] },
    { text: "It was refused." },
  );
  const terminal = await chatTerminal.open(["--mode", "agent"]);
  terminal.type("Do it\r");
  await terminal.stands("Let me see.");
  terminal.type("yes plea");
  await terminal.stands("> yes plea");
  turn.resolve();
  await terminal.stands("Let asked run?");
  terminal.type("se\ry\r");
  await terminal.stands("✉ y");
  // The pause after which keys are an answer.
  for (let pause = 0; pause < 3; pause++) await terminal.reply("");
  await terminal.reply("n\rmore");
  await terminal.stands("Let asked run? No");
  await terminal.stands("It was refused.");
  const told = JSON.stringify(chatTerminal.provider.journal[1]?.body);
  expect(told).not.toContain("was run");
  // What was typed is no answer to the question; the model reads it.
  expect(told).toContain("yes please");
  // What came with the answer was none any more.
  await terminal.stands("> more");
  // The words stand there as a draft before the run has ended, and until then Ctrl-C is for the run.
  await terminal.stands("tok in total");
  terminal.press("ctrl-c");
  await terminal.hides("> more");
  terminal.type("/exit\r");
  expect(await terminal.ended()).toBe(0);
  isGivenBack(terminal);

  const later = await chatTerminal.open();
  later.press("up", "up", "up");
  await later.stands("> yes please");
  later.press("down");
  await later.hides("> yes please");
  await later.stands("> y");
  later.press("down", "ctrl-d");
  await later.stands("> /exit");
  later.press("ctrl-c", "ctrl-d");
  expect(await later.ended()).toBe(0);
});
