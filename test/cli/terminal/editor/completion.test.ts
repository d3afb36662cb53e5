import { describe, expect, test } from "vitest";
import type { Complete } from "../../../../src/cli/terminal/editor/editor.ts";
import { openEditor } from "./open-editor.ts";

const names = ["/mode", "/model", "/exit"];
const commands: Complete = async (textBefore) => {
  const argument = /^\/mode (\w*)$/.exec(textBefore);
  const words = argument ? ["agent", "chat"] : names;
  const typed = argument?.[1] ?? textBefore;
  return {
    from: textBefore.length - typed.length,
    completions: words.filter((word) => word.startsWith(typed)).map((text) => ({ text, help: `help of ${text}` })),
  };
};

describe("the menu", () => {
  test("opens by itself for a command, and shows what each means", async () => {
    const { type, completed, shows } = openEditor(commands);
    type("/mo");
    await completed();
    expect(shows()).toEqual(["> /mo|", "❯ /mode   help of /mode", "  /model  help of /model"]);
  });

  test("lets one be chosen by the arrow keys; Enter takes it and submits", async () => {
    const { type, completed, editor } = openEditor(commands);
    type("/mo");
    await completed();
    expect(type("\u001b[B\r").at(-1)).toEqual({ result: "submit", text: "/model" });
    expect(editor.text).toBe("");
  });

  test("does not stand in the way of Enter where a command is typed in full", async () => {
    const { type, completed } = openEditor(commands);
    type("/mode");
    await completed();
    expect(type("\r")).toEqual([{ result: "submit", text: "/mode" }]);
  });

  test("chooses nothing by itself where nothing of a word is typed", async () => {
    const { type, completed, editor, shows } = openEditor(commands);
    type("/mode ");
    await completed();
    expect(shows()).toEqual(["> /mode |", "  agent  help of agent", "  chat   help of chat"]);
    type("\t");
    expect(editor.text).toBe("/mode agent");
  });

  test("leaves what a command is given as it is typed, until one is chosen", async () => {
    const { type, completed, editor } = openEditor(commands);
    type("/mode a");
    await completed();
    expect(type("\r")).toEqual([{ result: "submit", text: "/mode a" }]);
    type("/mode a");
    await completed();
    expect(type("\u001b[B\r").at(-1)).toEqual({ result: "submit", text: "/mode agent" });
    type("/mode a");
    await completed();
    type("\t");
    expect(editor.text).toBe("/mode agent");
  });

  test("is closed by Esc, which is then the face's again", async () => {
    const { type, completed, shows } = openEditor(commands);
    type("/mo");
    await completed();
    expect(type("\u001b")).toEqual([{ result: "changed" }]);
    expect(shows()).toEqual(["> /mo|"]);
    expect(type("\u001b")).toEqual([{ result: "unused" }]);
  });

  test("does not come for what is recalled from the history, so that Up goes on through it", () => {
    const { type, editor } = openEditor(commands, ["first", "/mode"]);
    type("\u001b[A\u001b[A");
    expect(editor.text).toBe("first");
  });

  test("of many shows those round the chosen one, and how many more there are", async () => {
    const completions = Array.from({ length: 50 }, (_, index) => ({ text: `@file-${index}` }));
    const { type, completed, shows } = openEditor(async () => ({ from: 0, completions }));
    type("@f");
    await completed();
    for (let down = 0; down < 20; down++) type("\u001b[B");
    expect(shows(40, 12)).toEqual(["> @f|", "  @file-18", "  @file-19", "❯ @file-20", "  @file-21  +46"]);
  });
});

describe("Tab", () => {
  test("takes the only completion at once", async () => {
    const { type, completed, editor } = openEditor(commands);
    type("/e\t");
    await completed();
    expect(editor.text).toBe("/exit");
  });

  test("changes nothing where there are none", async () => {
    const { type, editor, completed } = openEditor();
    type("word\t");
    await completed();
    expect(editor.text).toBe("word");
  });
});

test("completions that come too late are forgotten", async () => {
  const late = Promise.withResolvers<Awaited<ReturnType<Complete>>>();
  const answers = [late.promise, Promise.resolve({ from: 0, completions: [{ text: "/mode" }] })];
  const { type, completed, shows } = openEditor(() => answers.shift() ?? Promise.resolve(undefined));
  type("/m");
  await completed();
  late.resolve({ from: 0, completions: [{ text: "/late" }] });
  await late.promise;
  expect(shows()).toEqual(["> /m|", "❯ /mode"]);
});

test("completions that fail are none", async () => {
  const { type, completed, shows } = openEditor(() => Promise.reject(new Error("disk")));
  type("/m");
  await completed();
  expect(shows()).toEqual(["> /m|"]);
});
