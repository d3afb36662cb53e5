import { describe, expect, test } from "vitest";
import { startCpuClock } from "../../fakes/cpu-time.ts";
import { pageOf, read } from "./saved.ts";

const prose = "<p>Some visible words of the page, quite a few of them, so that nobody takes it for an empty one.</p>";

async function textOf(html: string): Promise<string> {
  return pageOf(await read(html)).text;
}

describe("numbers keep their worth", () => {
  test.each([
    ["<p>About 10<sup>6</sup> of them", "About 10^6 of them"],
    ["<p>2<sup>10</sup> = 1024", "2^10 = 1024"],
    ["<p>x<sup>n+1</sup>", "x^(n+1)"],
    ["<p>1<sup>1</sup>/<sub>2</sub> cups", "1 1/2 cups"],
    ["<p>x<sub>1</sub>", "x_1"],
    ["<p>the 1<sup>st</sup> and a claim<sup>[2]</sup>", "the 1st and a claim[2]"],
    ['<p>A claim.<sup><a href="#n1">1</a></sup>', "A claim."],
    ["<p><del>$100</del> $80", "~~$100~~ $80"],
    ["<p>It is <math><mn>3</mn><mfrac><mn>1</mn><mn>2</mn></mfrac></math>.", "It is 3 1/2."],
    ["<p>It is <math><msup><mn>10</mn><mn>3</mn></msup></math>.", "It is 10^3."],
  ])("%s", async (html, text) => {
    expect(await textOf(html)).toBe(text);
  });

  test("a formula of KaTeX comes once, without the source that nobody sees", async () => {
    const mathml = `<math><semantics><msup><mi>x</mi><mn>2</mn></msup><annotation>ORDERS</annotation></semantics></math>`;
    const html = `<p>So <span class="katex"><span class="katex-mathml">${mathml}</span><span class="katex-html" aria-hidden="true">x2</span></span> holds.`;
    expect(await textOf(html)).toBe("So x^2 holds.");
  });
});

describe("a table", () => {
  test("has a cell that spans rows or columns in each place that it takes", async () => {
    const rows = `<tr><td rowspan="2">Paris<td>2020<td>1</tr><tr><td>2021<td>2</tr><tr><td colspan="2">Rome<td>9</tr>`;
    const html = `${prose}<table><tr><th>City<th>Year<th>N</tr>${rows}</table>`;
    expect(await textOf(html)).toContain("| Paris | 2020 | 1 |\n| Paris | 2021 | 2 |\n| Rome | Rome | 9 |");
  });

  test("of data is kept beside a table that lays the page out", async () => {
    const html = `<table><tr><td><a href="/">Home</a><td>${prose.repeat(6)}</tr></table><table><tr><td>Row<td>3</tr><tr><td>Line<td>4</tr></table>`;
    expect(await textOf(html)).toContain("| Row | 3 |\n| --- | --- |\n| Line | 4 |");
  });

  test("of programs gives all its texts", async () => {
    const row = (name: string) => `<tr><td><a href="/${name}">Call ${name}</a><td><pre>${name}()</pre></tr>`;
    const text = await textOf(`<h1>Calls</h1>${prose.repeat(5)}<table>${row("one")}${row("two")}</table>`);
    expect(text).toMatch(/Call one[\s\S]*one\(\)[\s\S]*Call two[\s\S]*two\(\)/);
  });
});

describe("a page that would take too long", () => {
  test.each([
    ["tags", "<b>x</b>".repeat(600_000)],
    ["angle brackets", "<".repeat(4_900_000)],
    ["entities", "&lt;".repeat(1_200_000)],
    ["attributes", `<p ${"a ".repeat(400_000)}>x`],
  ])("of %s is refused before it is parsed", async (_, html) => {
    const cpuTime = startCpuClock();
    await expect(read(html)).rejects.toThrow("too complex");
    expect(cpuTime()).toBeLessThan(20_000);
  });
});

describe("what opens at a click is content", () => {
  test.each([
    ["a style", (n: number) => `<div><button>Q${n}?</button><div style="display:none">Answer ${n}.</div></div>`],
    ["an attribute", (n: number) => `<div><button>Q${n}?</button><div hidden>Answer ${n}.</div></div>`],
    [
      "a class",
      (n: number) =>
        `<style>.a{display:none}</style><h3><button>Q${n}?</button></h3><div class="a"><p>Answer ${n}.</p></div>`,
    ],
  ])("hidden by %s", async (_, item) => {
    const text = await textOf(`<h2>FAQ</h2>${[1, 2, 3, 4, 5].map(item).join("")}`);
    for (const n of [1, 2, 3, 4, 5]) expect(text).toMatch(new RegExp(`Q${n}\\?\n\nAnswer ${n}\\.`));
  });

  test("as a tab that is not chosen", async () => {
    const html = `<h1>Thing</h1><div role="tabpanel">First panel.</div><div role="tabpanel" hidden>Second panel.</div>`;
    expect(await textOf(html)).toContain("Second panel.");
  });

  test("but no menu is", async () => {
    const html = `${prose}<button>Share</button><div hidden><a href="/x">Somewhere</a> <a href="/y">Elsewhere</a></div>`;
    expect(await textOf(html)).not.toMatch(/Share|Somewhere/);
  });
});

test.each([
  ["a part that fades in", (page: string) => `<div style="opacity:0">${page}</div>`],
  ["what an open question covers", (page: string) => `<div aria-hidden="true">${page}</div>`],
  ["a dialog", (page: string) => `<div role="dialog"><h1>T</h1>${page}</div>`],
  ["a notice of privacy", (page: string) => `<main class="privacy-notice">${page}</main>`],
  ["what asks for consent", (page: string) => `<div class="cookie-consent-wrapper"><h1>T</h1>${page}</div>`],
])("a page that stands whole in %s is read", async (_, wrap) => {
  expect(await textOf(wrap(prose))).toContain("quite a few of them");
});

describe("text that no reader sees is left out, hidden by", () => {
  test.each([
    `<style>.hid{display:none}</style><p class="hid">ORDERS`,
    `<style>#x { display : none }</style><p id="x">ORDERS`,
    `<style>.sr-only{position:absolute;width:1px;height:1px;overflow:hidden}</style><span class="sr-only">ORDERS</span>`,
    `<p style="/*x*/display:none">ORDERS`,
    `<p style="d\\69splay:none">ORDERS`,
    `<p style="color:rgba(0,0,0,0)">ORDERS`,
    `<p style="filter:opacity(0)">ORDERS`,
    `<p style="content-visibility:hidden">ORDERS`,
    `<p style="transform:translateX(-9999px)">ORDERS`,
    `<p style="position:relative;left:-9999px">ORDERS`,
    `<p style="margin-left:-9999px">ORDERS`,
    `<p style="position:absolute;top:-99em">ORDERS`,
    `<p style="opacity:0">ORDERS`,
  ])("%s", async (html) => {
    expect(await textOf(prose + html)).not.toContain("ORDERS");
  });

  test.each([
    `<p style="color:rgb(0,0,0)">TEXT`,
    `<p style="color:rgba(0,0,0,0.8)">TEXT`,
    `<style>@media print{.x{display:none}}</style><p class="x">TEXT`,
    `<style>.x{display:none}.x.on{display:block}</style><p class="x on">TEXT`,
    `<style>.x{display:none}</style><p class="x" style="display:block">TEXT`,
    `<div style="position:absolute;left:50%;margin-left:-480px">TEXT</div>`,
  ])("but not %s", async (html) => {
    expect(await textOf(prose + html)).toContain("TEXT");
  });
});

describe("a page leads on", () => {
  test("to its next part", async () => {
    const html = `<article>${prose}</article><ul class="pagination"><li><a href="?p=2">Next</a></ul>`;
    expect(await textOf(html)).toMatch(/\n\n\[→\]\(https:\/\/site\.example\/dir\/page\.html\?p=2\)$/);
  });

  test("to its frames", async () => {
    const html = `<html><head><title>T</title></head><frameset><frame src="/a.html"><frame src="/b.html" title="B"></frameset></html>`;
    expect(await textOf(html)).toBe("- https://site.example/a.html\n- [B](https://site.example/b.html)");
  });

  test("without the name and the password in an address", async () => {
    expect(await textOf(`<p>See <a href="https://u:p@e.com/">this</a>`)).toBe("See [this](https://e.com/)");
  });
});

test("a short page keeps the address in its foot", async () => {
  const html = `<h1>Contact</h1><p>We are glad to hear of you.</p><footer><p>Tel +44 20 7946 0000</p></footer>`;
  expect(await textOf(html)).toMatch(/hear of you\.\n\nTel \+44 20 7946 0000$/);
});

test.each([
  `<title>Just a moment...</title><p>Please wait.</p>`,
  `<title>T</title><p>Verify you are human by completing the action below.</p>`,
  `<title>百度安全验证</title><p>请完成下方验证后继续操作</p>`,
])("a captcha is no page: %s", async (html) => {
  await expect(read(html)).rejects.toThrow("captcha");
});
