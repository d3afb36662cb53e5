import { expect, test } from "vitest";
import { shortenChange } from "../../../src/client/acp/shorten-change.ts";

const file = Array.from({ length: 100 }, (_, n) => `line ${n}`).join("\n");

test.each([
  [
    "a line that is replaced",
    file.replace("line 50", "new"),
    [
      "line 47\nline 48\nline 49\nline 50\nline 51\nline 52\nline 53",
      "line 47\nline 48\nline 49\nnew\nline 51\nline 52\nline 53",
    ],
  ],
  ["a line that is added at the end", `${file}\nnew`, ["line 97\nline 98\nline 99", "line 97\nline 98\nline 99\nnew"]],
  ["the first line that is removed", file.slice(7), ["line 0\nline 1\nline 2\nline 3", "line 1\nline 2\nline 3"]],
  ["a text that is emptied", "", [file, ""]],
  ["nothing that changes", file, ["line 97\nline 98\nline 99", "line 97\nline 98\nline 99"]],
])("of a change in a long file, a person sees %s with three lines around it", (_, changed, [oldText, newText]) => {
  expect(shortenChange(file, changed)).toEqual({ oldText, newText });
});
