import { describe, expect, test } from "vitest";
import { openEditor } from "./open-editor.ts";

describe("typing", () => {
  test("Enter submits what was typed and begins anew", () => {
    const { editor, type, history } = openEditor();
    expect(type("你好 world\r").at(-1)).toEqual({ result: "submit", text: "你好 world" });
    expect(editor.text).toBe("");
    expect(history.entries).toEqual(["你好 world"]);
  });

  test.each([
    ["Shift+Enter", "\u001b[13;2u"],
    ["Alt+Enter", "\u001b\r"],
    ["Ctrl-J", "\n"],
    ["a trailing backslash before Enter", "\\\r"],
  ])("%s makes a new line", (_, bytes) => {
    const { type } = openEditor();
    expect(type(`one${bytes}two\r`).at(-1)).toEqual({ result: "submit", text: "one\ntwo" });
  });

  test("a paste is put in whole and never submits", () => {
    const { editor, type, shows } = openEditor();
    expect(type("a\u001b[200~one\r\ntwo\u001b[2Jthree\r\u001b[201~b")).not.toContainEqual(
      expect.objectContaining({ result: "submit" }),
    );
    expect(editor.text).toBe("aone\ntwo\u001b[2Jthree\nb");
    expect(shows()).toEqual(["> aone", "  two\\u{1b}[2Jthree", "  b|"]);
  });

  test("a paste that makes more than 1,000,000 characters is refused, what stands there stays, and a line says so", () => {
    const { editor, type, shows } = openEditor();
    type("kept");
    type(`\u001b[200~${"x".repeat(999_997)}\u001b[201~`);
    expect(editor.text).toBe("kept");
    expect(shows(80)).toEqual([
      "> kept|",
      "Too long, not inserted: 999997 characters (allowed: at most 1000000 in total)",
    ]);
    type("!");
    expect(shows(80)).toEqual(["> kept!|"]);
  });

  test.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-L", "\f"],
    ["Ctrl-O", "\u000f"],
    ["Esc without a menu", "\u001b"],
    ["Ctrl-D on an empty text", "\u0004"],
    ["an unknown key", "\u001b[15~"],
  ])("%s is left to the face", (_, bytes) => {
    expect(openEditor().type(bytes)).toEqual([{ result: "unused" }]);
  });

  test("what the face sets stands there with the cursor behind it, and undo brings back what stood there", () => {
    const { editor, type, shows } = openEditor();
    type("typed");
    editor.set("set\r\nhere");
    expect(shows()).toEqual(["> set", "  here|"]);
    type("\u001f");
    expect(editor.text).toBe("typed");
  });
});

describe("the keys of Emacs", () => {
  test.each([
    ["Ctrl-A and Ctrl-E", "bc\u0001a\u0005d", "abcd|"],
    ["Ctrl-B and Ctrl-F", "ac\u0002b\u0006d", "abcd|"],
    ["Ctrl-D deletes where there is something", "abc\u0001\u0004", "|bc"],
    ["Backspace takes a whole character away", "a👨‍👩‍👧é\u007f\u007f", "a|"],
    ["Left goes over a whole character", "a👍🏽\u001b[D", "a|👍🏽"],
    ["Ctrl-Left and Alt-F go over words", "one two three\u001b[1;5D\u001b[1;5D\u001bf", "one two| three"],
    ["Alt-B goes over Chinese words", "看看北京天气\u001bb\u001bb", "看看|北京天气"],
    ["Alt-Backspace takes a word", "src/cli/chat\u001b\u007f", "src/cli/|"],
    ["Ctrl-W takes what stands up to a space", "see src/cli/chat \u0017", "see |"],
    ["Alt-D takes the next word", "one two\u0001\u001bd", "| two"],
    ["Ctrl-K takes the rest, Ctrl-Y puts it in", "one two\u0001\u001bf\u000b\u0001\u0019 ", " two |one"],
    ["Ctrl-U takes what stands before", "one two\u0015\u0019\u0019", "one twoone two|"],
    ["kills in a row are put in together", "a b c\u0017\u0017\u0017\u0019", "a b c|"],
    ["Ctrl-_ undoes a word at a time", "one two three\u001f", "one two |"],
    ["Ctrl-_ undoes a deletion", "one\u0015\u001f", "one|"],
  ])("%s", (_, bytes, shown) => {
    const { type, shows } = openEditor();
    type(bytes);
    expect(shows()[0]?.replace(/^> /, "")).toBe(shown);
  });
});

describe("up and down", () => {
  test("move within the rows of the text, and keep the column where they began", () => {
    const { type, shows } = openEditor();
    type("abcdef\n1\nABCDEF\u001b[D\u001b[D\u001b[A");
    expect(shows()).toEqual(["> abcdef", "  1|", "  ABCDEF"]);
    type("\u001b[A");
    expect(shows()[0]).toBe("> abcd|ef");
  });

  test("move by the rows that are seen where a line is wrapped", () => {
    const { type, shows } = openEditor();
    type("abcdefghij");
    expect(shows(8)).toEqual(["> abcde", "  fghij|"]);
    type("\u001b[A");
    expect(shows(8)[0]).toBe("> abcd|e");
  });

  test("go through what was typed before, and what was half typed comes back", () => {
    const { editor, type } = openEditor(undefined, ["first", "second"]);
    type("half\u001b[A");
    expect(editor.text).toBe("second");
    type("\u0010");
    expect(editor.text).toBe("first");
    type("\u001b[A\u001b[B!");
    expect(editor.text).toBe("second!");
    type("\u001b[B");
    expect(editor.text).toBe("half");
    type("\u001b[A\r");
    type("\u001b[A");
    expect(editor.text).toBe("second!");
  });
});

describe("the search of the history", () => {
  const entries = ["git status", "天气 北京", "Git log"];

  test("finds as it is typed, older ones by Ctrl-R, and Enter takes without submitting", () => {
    const { editor, type, shows } = openEditor(undefined, entries);
    type("half\u0012git");
    expect(shows()).toEqual(["> Git log", "history: git|"]);
    expect(type("\u0012\r")).not.toContainEqual(expect.objectContaining({ result: "submit" }));
    expect(editor.text).toBe("git status");
  });

  test("tells when nothing is found, and Esc leaves all as it was", () => {
    const { editor, type, shows } = openEditor(undefined, entries);
    type("half\u0012nothing");
    expect(shows()).toEqual(["> half", "not in the history: nothing|"]);
    expect(type("\u001b")).toEqual([{ result: "changed" }]);
    expect(editor.text).toBe("half");
  });
});
