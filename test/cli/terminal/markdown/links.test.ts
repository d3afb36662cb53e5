import { expect, test } from "vitest";
import { shownText, styledText } from "./stream-of.ts";

const cited = [
  { n: 1, title: "A *b* c", url: "https://a.example/x_y_z" },
  { n: 2, title: "B", url: "https://b.example/" },
];

test.each([
  ["[docs](https://a.example/d)", "docs", "docs (https://a.example/d)"],
  ["<https://a.example>", "https://a.example", "https://a.example"],
  ["see https://a.example/d.", "see https://a.example/d.", "see https://a.example/d."],
  ["[a.example](https://a.example/)", "a.example", "a.example (https://a.example/)"],
  ["[www.a.example](https://a.example/d)", "www.a.example", "www.a.example (https://a.example/d)"],
  ["[bank.com](https://evil.example)", "bank.com (https://evil.example)", "bank.com (https://evil.example)"],
  ["[log in at **Bank.com**](https://evil.example)", "log in at Bank.com (https://evil.example)", undefined],
  ["[ｂａｎｋ．com](https://evil.example)", "ｂａｎｋ．com (https://evil.example)", undefined],
  ["[https://bank.com](https://bank.com.evil.example)", "https://bank.com (https://bank.com.evil.example)", undefined],
  ["[pay](https://bank.com@evil.example)", "pay (https://bank.com@evil.example)", undefined],
  ["[run](javascript:alert)", "run (javascript:alert)", undefined],
  ["[mail me](mailto:a@b.example)", "mail me (mailto:a@b.example)", undefined],
  ["<a@b.example>", "a@b.example", "a@b.example"],
  ['[a](https://a.example "the title")', 'a "the title"', 'a (https://a.example) "the title"'],
])(
  "%s tells its address where the text could mislead, and wherever the terminal shows no links",
  async (source, linked, plain = linked) => {
    expect(await shownText(source, { columns: () => 90 })).toBe(linked);
    expect(await shownText(source, { columns: () => 90, hyperlinks: false })).toBe(plain);
  },
);

test("a link leads to its address, also where it is bold or wrapped", async () => {
  expect(await styledText("[one **two**](https://a.example)", { columns: () => 10 })).toBe(
    "{link+https://a.example one }{link+strong+https://a.example two}",
  );
});

test("numbers of known citations are links outside of code", async () => {
  expect(await styledText("a [1][2] [3] `[1]` [1](https://c.example)\n\n```\n[1]\n```", {}, cited)).toBe(
    "a {link+https://a.example/x_y_z [1]}{link+https://b.example/ [2]} [3] {code [1]} {link+https://c.example [}{link+https://c.example 1}{link+https://c.example ]}\n\n  [1]",
  );
});

test("a citation that a later piece brings is a link from there on", async () => {
  expect(await styledText("**a [1]** b", {}, cited)).toBe("{strong a }{strong+link+https://a.example/x_y_z [1]} b");
});

test("the list of references stays as it is, its addresses links", async () => {
  const list = "References\n\n- [1] A *b* c https://a.example/x_y_z\n- [2] B https://b.example/";
  expect(await shownText(list, { hyperlinks: false }, cited)).toBe(list);
  expect(await styledText(list, {}, cited)).toContain(
    "{link+https://a.example/x_y_z [1]} A *b* c {link+https://a.example/x_y_z https://a.example/x_y_z}",
  );
});
