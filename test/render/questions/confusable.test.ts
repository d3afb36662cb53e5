import { expect, test } from "vitest";
import { showLookAlikes } from "../../../src/render/questions/show-arguments.ts";

test.each([
  ["a Cyrillic letter in a Latin word", "rm \u0441url", "rm \u0441url(U+0441)"],
  ["a Greek one", "\u03bfpen", "\u03bfpen(U+03BF)"],
  ["each letter once", "p\u0430yp\u0430l\u0435", "p\u0430yp\u0430l\u0435(U+0430 U+0435)"],
  ["each part of a name by itself", "files__wr\u0456te", "files__wr\u0456te(U+0456)"],
  ["a letter with an accent of its own", "re\u0301sum\u0435", "re\u0301sum\u0435(U+0435)"],
])("%s is shown with its code point", (_, text, shown) => expect(showLookAlikes(text)).toBe(shown));

test.each([
  ["words of one script each", "hello \u043c\u0438\u0440 \u03ba\u03cc\u03c3\u03bc\u03b5"],
  ["Chinese in Latin", "GPT\u6a21\u578b"],
  ["the letter of an escape before a Cyrillic word", '{"text":"a\\n\u043c\u0438\u0440\\t\u0441"}'],
  ["what `printable` made visible", "\\u{202e}\u043c\u0438\u0440"],
])("%s stay as they are", (_, text) => expect(showLookAlikes(text)).toBe(text));
