import { describe, expect, test } from "vitest";
import { pageOf, read, readSaved, savedPage } from "./saved.ts";

/** Whether the text has these lines, in this order. */
function expectLines(text: string, lines: string[]): void {
  expect(text.split("\n").filter((line) => lines.includes(line))).toEqual(lines);
}

const saved: { name: string; title: string; has: string[]; lacks: string[] }[] = [
  {
    name: "news-zh-gbk",
    title: "江城轻轨四号线开通试运营 首日客流超十二万_江城新闻网",
    has: ["全长31.6公里，设站22座", "由原来的七十分钟缩短到三十五分钟", "二期工程将于2028年动工"],
    lacks: ["热门新闻", "彩票", "京ICP备", "分享到", "首页", "统计代码", "　"],
  },
  {
    name: "article-en",
    title: "The quiet return of the cargo schooner",
    has: ["took on sixty tonnes of cider", "A three-masted schooner leaving harbour", "two schools that train them"],
    lacks: [
      "cookies",
      "842 partners",
      "newsletter",
      "Ten knots",
      "Terms of service",
      "Subscribe",
      ".jpg",
      "Accept all",
    ],
  },
  {
    name: "docs",
    title: "Timeouts — Courier 4.2 documentation",
    has: ["never waits for ever", "snake_case_names and 2 * 3 * 4 stay"],
    lacks: ["Connection pooling", "Read the Docs", "¶", "Installation"],
  },
  {
    name: "forum",
    title: "Heat pump trips breaker after defrost",
    has: ["breaker every morning", "Check the inrush current", "71 A for about 120 ms", "part number 4410-S", "solved"],
    lacks: ["OpenBoard", "Register", "Report", "Quote", "Delete cookies", "Next"],
  },
  {
    name: "product",
    title: "Kestrel 40 L rucksack",
    has: ["€149.00", "carries three days of kit at 980 grams", "never machine wash"],
    lacks: ["Free delivery", "Basket", "You may also like", "Join the club", "prices include VAT", "Add to basket"],
  },
  {
    name: "blog",
    title: "用 SQLite 做全文搜索的三个坑",
    has: ["查询平均 3 毫秒", "代价是索引变大到三倍左右", "bm25 函数返回的是负数"],
    lacks: ["爱猫", "近期文章", "云服务器", "WordPress", "沙发"],
  },
  {
    name: "encyclopedia",
    title: "Lake Orrin",
    has: ["**Lake Orrin** is a freshwater lake", "varved clay", "was described only in 1994"],
    lacks: ["Random article", "edit", "[1]", "Contents", "Lake Birk", "last edited", "From Openpedia"],
  },
  {
    name: "old-table-layout",
    title: "The Valve Radio Page",
    has: ["warm up for twenty minutes", "Repeat until nothing can be gained", "never with glue"],
    lacks: ["Guestbook", "visitor number"],
  },
  {
    name: "injected",
    title: "Sourdough for impatient people",
    has: ["nine hours from bowl to table", "add the salt and fold", "overnight.\n", "stays text"],
    lacks: ["INJECTION", "javascript:", "pixel.gif", "![x](", "\u200b"],
  },
];

describe("of a saved page", () => {
  test.each(saved)(
    "$name, the main content is found and what surrounds it is gone",
    async ({ name, title, has, lacks }) => {
      const page = await readSaved(name);
      expect(page.title).toContain(title);
      for (const phrase of has) expect(page.text).toContain(phrase);
      for (const phrase of lacks) expect(page.text).not.toContain(phrase);
    },
  );

  test("author and date are told beside the text", async () => {
    expect(await readSaved("article-en")).toMatchObject({
      byline: "Margaret Oyelaran",
      published: "2026-03-14T08:00:00Z",
      description: "Four shipyards are building sail-driven freighters again.",
    });
    expect(await readSaved("news-zh-gbk")).toMatchObject({ byline: "李明", published: "2026-11-08 09:15" });
    expect(await readSaved("blog")).toMatchObject({ published: "2026-05-02" });
  });

  test("code keeps its language, its lines and its characters", async () => {
    const { text } = await readSaved("docs");
    expect(text).toContain(
      "```python\nimport courier\n\nclient = courier.Client(timeout=(3, 30))\nif client:\n    print(a[0] < 3)\n```",
    );
    expect(text).toContain("```bash\ncourier get https://example.com --timeout 3,30 | tee out.txt\n```");
  });

  test("a table is a table, one row a line, its bars escaped", async () => {
    const { text } = await readSaved("docs");
    expectLines(text, [
      "All timeout options",
      "| Option | Default | Meaning |",
      "| --- | --- | --- |",
      "| `connect` | 3 | Seconds until the connection is open |",
      "| `read` | 30 | Seconds between two bytes: `a\\|b` is allowed |",
      "| `total` | none | Seconds for everything. Off unless set. |",
    ]);
    expectLines((await readSaved("encyclopedia")).text, [
      "| Surface area | 83.4 km^2 |",
      "| Form | Depth (m) | Catch (t) |",
      "| Svartrød | 90–180 | 0.3 |",
    ]);
  });

  test("a table that only lays out the page is none, one in it is", async () => {
    const { text } = await readSaved("old-table-layout");
    expectLines(text, [
      "## Aligning the IF stage",
      "| **Valve** | **Anode** | **Screen** |",
      "| EF89 | 240 V | 90 V |",
    ]);
  });

  test("lists keep their numbers and their levels", async () => {
    expectLines((await readSaved("docs")).text, [
      "3. Measure first.",
      "4. Then set `total`:",
      "   - for batch jobs, 600",
      "   - for people, 10",
    ]);
  });

  test("links are absolute", async () => {
    expect((await readSaved("docs")).text).toContain("[Backoff](https://site.example/dir/retries.html#backoff)");
    expect((await readSaved("encyclopedia")).text).toContain("[Sel](https://site.example/wiki/Sel_%28river%29)");
    const based = `<html><head><base href="/other/"></head><body><p>Go to <a href="x.html">the other page</a>.</p></body></html>`;
    expect(pageOf(await read(based)).text).toBe("Go to [the other page](https://site.example/other/x.html).");
  });
});

describe("a page without text for us is told by its reason", () => {
  test.each([
    ["nothing", "", { problem: "empty" }],
    ["no text", "<html><body><img src=x></body></html>", { problem: "empty" }],
    [
      "a refresh",
      `<meta http-equiv="refresh" content="0; url=/new?a=1&amp;b=2">`,
      { problem: "elsewhere", url: "https://site.example/new?a=1&b=2" },
    ],
    ["zeros", "abc\0\0\0def", { problem: "binary" }],
  ])("%s", async (_, html, problem) => {
    expect(await read(html)).toEqual(problem);
  });

  test("a program that would build the page", async () => {
    expect(await read(await savedPage("shell"))).toEqual({ problem: "needs-script" });
  });

  test("a login", async () => {
    expect(await read(await savedPage("login"))).toEqual({ problem: "needs-login" });
  });
});

test.each([
  ["<p>Just a line.</p>", "Just a line."],
  ["Only words, no element", "Only words, no element"],
  ["<title>T</title><p>One<p>Two", "One\n\nTwo"],
  ["<html><head><title>T</title></head><p>No body tag</html>", "No body tag"],
  ["<html><body><p>In the body</p></body></html><p>Behind the end</p>", "In the body\n\nBehind the end"],
  ["<constructor><p>Of an element that nobody knows</p></constructor>", "Of an element that nobody knows"],
  ["<h2>FAQ</h2><h3><button>Is it hot?</button></h3><p>Yes.</p>", "## FAQ\n\n### Is it hot?\n\nYes."],
])("a page as carelessly written as %j is read", async (html, text) => {
  expect(pageOf(await read(html)).text).toBe(text);
});

test("what stands deeper than any real page is left out, and what stands above it is read", async () => {
  const html = `<body><p>The way in.</p>${"<div><b>".repeat(500_000)}The monster.`;
  expect(pageOf(await read(html)).text).toBe("The way in.");
});

test("elements without end tags do not count as nested", async () => {
  const items = Array.from({ length: 3000 }, (_, n) => `<li>item ${n}<p>more of ${n}`).join("");
  const { text } = pageOf(await read(`<html><body><main><ul>${items}</ul></main></body></html>`));
  expect(text).toContain("item 0");
  expect(text).toContain("more of 2999");
});

test("a Markdown file is taken as it is, without its comments", async () => {
  const page = pageOf(await read("# Title\r\n\r\n<!-- hidden\norders -->Some *text*.\r\n", { kind: "markdown" }));
  expect(page).toMatchObject({ title: "Title", text: "# Title\n\nSome *text*." });
});

test("plain text is taken as it is", async () => {
  const { text } = pageOf(await read('{"a": [1,\n  2]}', { kind: "text" }));
  expect(text).toBe('{"a": [1,\n  2]}');
});

test("a long run of blanks is gone through once", async () => {
  const source = `a${" \t".repeat(100_000)}b`;
  expect(pageOf(await read(source, { kind: "text" })).text).toBe(source);
});

test("a page of hostile tables ends in time", async () => {
  const html = `<table>${`<tr><td colspan="999999999">x</td><td>y</td></tr>`.repeat(300)}</table>`;
  expect(pageOf(await read(html)).text.length).toBeLessThan(100_000);
});
