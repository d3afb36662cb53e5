import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { bundleMarkdown, type OpenPage } from "./markdown-page.ts";

let open: OpenPage;
beforeAll(async () => {
  open = await bundleMarkdown();
});

test("the forms of GitHub's Markdown become elements", () => {
  const html = whole(sample);
  for (const part of [
    '<h3 data-depth="1">Title</h3>',
    "<strong>bold</strong>",
    "<em>leaning</em>",
    "<del>gone</del>",
    "<code>code()</code>",
    "<br>",
    "<hr>",
    "<blockquote><p>quoted</p></blockquote>",
    '<ol start="3"><li>three</li><li>four<ul><li>inner</li></ul></li></ol>',
    '<span aria-label="done" class="check" role="img">☑</span>',
    '<th data-align="right" scope="col">n</th>',
    '<td data-align="right">1</td>',
    "const a = 1;\n\nconst b = [2];\n",
    "<p>Sources <a>[1]</a><a>[2]</a>.</p>",
  ])
    expect(html).toContain(part);
});

test("Chinese is bold without spaces around it", () => {
  expect(whole("这是**“粗体”**文字")).toBe("<p>这是<strong>“粗体”</strong>文字</p>");
});

test("HTML is shown as the text it is, and a line break of HTML's breaks the line", () => {
  const evil = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
  const html = whole(`${evil}\n\nIn a line: ${evil} <b>x</b>, one<br>two.`);
  expect(html).not.toMatch(/<(?:img|script|b)\b/);
  expect(html).toContain("&lt;script&gt;");
  expect(html).toContain("one<br>two");
});

test("an image is not loaded: what it is called and where it would come from is said", () => {
  const page = shown("![a chart](https://evil.example/x.png?data=secret)");
  expect(page.element.innerHTML).not.toMatch(/<img|src=/);
  expect(page.element.textContent).toBe("🖼 Image (not loaded) a chart https://evil.example/x.png?data=secret");
});

test("links lead to pages and mail alone, and say where when their text says otherwise", () => {
  const link = (text: string): string => whole(text).replace(/ target="_blank"| rel="[^"]*"| title="[^"]*"/g, "");
  expect(link("[here](https://example.com/a)")).toBe('<p><a href="https://example.com/a">here</a></p>');
  expect(whole("[x](https://example.com)")).toContain('rel="noopener noreferrer nofollow"');
  expect(link("[mail](mailto:a@example.com)")).toContain('<span class="place">(a@example.com)</span>');
  expect(link("[www.bank.example](https://evil.example/)")).toContain('<span class="place">(evil.example)</span>');
  expect(link("[bank。example](https://evil.example/)")).toContain('<span class="place">(evil.example)</span>');
  expect(link("[example.com](https://www.example.com/)")).not.toContain("place");
  expect(link("https://a@evil.example/")).toContain('<span class="place">(evil.example)</span>');
  for (const address of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/agent/chat", "#x"]) {
    const html = whole(`[click](${address})`);
    expect(html).not.toContain("<a");
    expect(html).toContain(`(${address})`);
  }
});

test("a definition of an address is not out of sight, and changes no number of a source", () => {
  expect(whole("See [1].\n\n[1]: https://evil.example/")).toMatch(
    /<p>See <a>\[1\]<\/a>\.<\/p><p><a>\[1\]<\/a>: <a href/,
  );
});

test("invisible and turning characters are shown, those by number too", () => {
  const page = shown("safe\u202egpj.exe and &#8238;more `\u200b`");
  expect(page.element.textContent).toBe("safe\\u{202e}gpj.exe and \\u{202e}more \\u{200b}");
});

test("while an answer is written, no mark is seen that is gone a moment later", () => {
  const page = open();
  for (let length = 1; length <= sample.length; length += 1) {
    page.show(sample.slice(0, length), false);
    const prose = [...page.element.childNodes].filter((node) => node.getAttribute("class") !== "code");
    const text = prose.map(({ textContent }) => textContent).join("\n");
    expect(text, `after ${JSON.stringify(sample.slice(Math.max(0, length - 30), length))}`).not.toMatch(
      /\*|~~|`|\]\(|\||^#|^>|https?:/m,
    );
  }
});

test("what is finished stays as it is, and only the open end is written again", () => {
  const page = open();
  page.show("# One\n\nTwo is\n**here**", false);
  const [heading] = page.element.childNodes;
  page.show("# One\n\nTwo is\n**here** and\n\n- three", false);
  expect([...page.element.childNodes][0]).toBe(heading);
  page.show("# One\n\nTwo is\n**here** and\n\n- three", true);
  expect([...page.element.childNodes][0]).toBe(heading);
  expect(page.element.innerHTML).toBe(
    '<h3 data-depth="1">One</h3><p>Two is\n<strong>here</strong> and</p><ul><li>three</li></ul>',
  );
  page.show("Another.", true);
  expect(page.element.innerHTML).toBe("<p>Another.</p>");
});

test("however an answer came in pieces, it ends as if it had come at once", () => {
  const blocks = fc.array(fc.constantFrom(...sample.split("\n\n"), ...odd), { minLength: 1, maxLength: 8 });
  const separators = fc.constantFrom("\n\n", "\n", "\r\n\r\n", "");
  fc.assert(
    fc.property(blocks, separators, fc.array(fc.nat(60), { minLength: 1 }), (parts, separator, steps) => {
      const text = parts.join(separator);
      const page = open();
      let at = 0;
      for (const step of steps) {
        at += step;
        page.show(text.slice(0, at), false);
      }
      page.show(text, true);
      expect(page.element.innerHTML).toBe(shown(text).element.innerHTML);
    }),
    { numRuns: 60 },
  );
});

test("hostile text neither throws nor hides: what is nested too deep is plain", () => {
  for (const piece of [">", "[", "![", "**a ", "_a", "- a\n", "`a", "<", "| a ", "a\n", "- - x "]) {
    const text = piece.repeat(Math.ceil(5000 / piece.length));
    const page = open();
    page.show(text.slice(0, 4500), false);
    page.show(text, true);
    expect(page.element.textContent?.length, piece).toBeGreaterThan(text.length / 5);
  }
  expect(shown(`${">".repeat(5000)}x`).element.textContent).toMatch(/^>+x$/);
});

test("a table too long to be read at once goes on under its head again, and a list at an entry of its own", () => {
  const rows = Array.from({ length: 300 }, (_, row) => `| ${row} | cell |`);
  const html = whole(["| n | name |", "|---|---|", ...rows].join("\n"));
  expect(html.match(/<td>\d+<\/td>/g)).toHaveLength(300);
  expect(html.match(/<thead>/g)?.length).toBeGreaterThan(1);
  expect(html).not.toContain("|");
  const entries = Array.from({ length: 300 }, (_, entry) => `${entry + 1}. entry\n     - inner`);
  const list = whole(entries.join("\n"));
  expect(list.match(/<li>entry<ul><li>inner<\/li><\/ul><\/li>/g)).toHaveLength(300);
  expect(list).toMatch(/<ol start="\d+">/);
});

function shown(text: string): ReturnType<OpenPage> {
  const page = open();
  page.show(text, true);
  return page;
}

/** Attributes stand in the order of their names. */
function whole(text: string): string {
  return shown(text).element.innerHTML.replace(
    /<(\w+)((?: [\w-]+="[^"]*")+)>/g,
    (_, name, attributes) =>
      `<${name} ${attributes
        .match(/[\w-]+="[^"]*"/g)
        .toSorted()
        .join(" ")}>`,
  );
}

const sample = `# Title

Some **bold**, *leaning*, ~~gone~~ and \`code()\` text with [a link](https://example.com/path).

First line\\
second line with ***both*** and __more__ of _it_, snake_case_name too.

---

> quoted

3. three
4. four
   - inner

- [x] did **this**
- [ ] not that

| name | n |
| :--- | --: |
| **a** | 1 |
| \`b\` | 2 |

\`\`\`ts
const a = 1;

const b = [2];
\`\`\`

Sources [1][2].
`;

const odd = [
  "```",
  "~~~~\nx\n~~~",
  "  ```js\nin\n  ```",
  "- a\n\n  ```\n  b\n  ```",
  "| a |\n|---|",
  "Setext\n===",
  "    indented",
  "<div>\n**x**",
  "**never closed",
  "[half](http://x",
  "1",
  "\u{1f600}\u202e",
];
