import { expect, test } from "vitest";
import { createTheme } from "../../src/cli/terminal/screen/theme.ts";
import { createTerminalAnswer } from "../../src/cli/terminal-answer.ts";
import { createEmulatedOutput } from "./terminal/screen/emulated-output.ts";

const text = "# Title\n\nSome **bold** words that are wrapped.\n\n- one\n- two\n\n---\n\nFinal line.\n";

async function show(pieces: readonly string[]) {
  const output = createEmulatedOutput(30, 8);
  const look = { theme: createTheme("dark"), hyperlinks: false };
  const answer = createTerminalAnswer({ stdout: output.stdout, reflow: () => 0, look, locale: "en" });
  const halfway: string[][] = [];
  for (const piece of pieces) {
    answer.push(piece, undefined);
    // The screen draws a frame at the most each twentieth of a second.
    await expect.poll(async () => (await output.rows()).join("\n")).toContain(piece.trim().slice(-4));
    halfway.push(await output.rows());
  }
  answer.end();
  return { answer, halfway, rows: await output.rows(), bytes: output.takeBytes() };
}

test("an answer on a terminal is shown as it grows, its Markdown laid out, and each line stays once", async () => {
  const cut = text.indexOf("words") + 3;
  const last = text.indexOf(" line.");
  const { halfway, rows, bytes } = await show([text.slice(0, cut), text.slice(cut, last), text.slice(last)]);
  expect(halfway[0]).toEqual(["", "Title", "", "Some bold wor"]);
  expect(rows.slice(0, 8)).toEqual(["", "Title", "", "Some bold words that are", "wrapped.", "", "- one", "- two"]);
  expect(rows.slice(8)).toEqual(["", "─".repeat(30), "", "Final line."]);
  expect(bytes).toContain("\u001b[1;36mTitle\u001b[0m");
  // The cursor is shown again, below.
  expect(bytes.endsWith("\u001b[?25h")).toBe(true);
});

test("what stands beside the answer is wrapped between words, and cannot drive the terminal", async () => {
  const { answer } = await show(["Hi."]);
  expect(answer.wrap("  decide local/fc and answer local/ans \u001b[2J")).toBe(
    "  decide local/fc and answer\n  local/ans \\u{1b}[2J",
  );
});
