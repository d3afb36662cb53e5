import { afterAll, describe, expect, test } from "vitest";
import type { Tool } from "../../../src/core/tools/tool.ts";
import { createToolFetch } from "../../../src/tools/outgoing/create-tool-fetch.ts";
import { createReadPage, longestPiece } from "../../../src/tools/page/read-page.ts";
import { createHeavyWork } from "../../../src/tools/workers/heavy-work.ts";
import { startCpuClock } from "../../fakes/cpu-time.ts";
import { testContext } from "../context.ts";
import { makePdf } from "./make-pdf.ts";
import { savedPage } from "./saved.ts";
import { body, servePages } from "./server.ts";

const work = createHeavyWork();
afterAll(() => work.close());

/** The tool of a new conversation; the work is done in one place. */
function open(locale: "zh" | "en" = "en"): Tool {
  return createReadPage(createToolFetch({ reach: ["127.0.0.1:*"], ports: [80, 443] }), locale, work);
}

const short = "<html><head><title>A short page</title></head><body><p>It says one thing.</p></body></html>";
const paragraphs = Array.from({ length: 800 }, (_, n) => `<p>Paragraph ${n} says that ${"word ".repeat(10)}ends.</p>`);
const long = `<title>Long</title><main>${paragraphs.join("")}</main>`;

describe("a page", () => {
  test("is its text, and the one source of it", async () => {
    const { url } = await servePages({ "/a": short });
    expect(await open().run({ url: `${url}/a` }, testContext())).toEqual({
      ok: true,
      kind: "page",
      cached: false,
      text: "It says one thing.",
      sources: [{ title: "A short page", url: `${url}/a`, snippet: "It says one thing." }],
    });
  });

  test("in GBK is read, with author and date above the text in the reader's language", async () => {
    const { url } = await servePages({ "/news": body("text/html", await savedPage("news-zh-gbk")) });
    const { text, sources } = await open("zh").run({ url: `${url}/news` }, testContext({ locale: "zh" }));
    expect(text).toMatch(/^作者：李明 · 发布：2026-11-08 09:15\n\n本报讯（记者 李明）/);
    expect(sources?.[0]?.snippet).toBe("11月8日，江城轻轨四号线开通试运营，全长31.6公里，设站22座。");
  });

  test("is asked for as a reader would, and says who asks", async () => {
    const { url, requests } = await servePages({ "/a": short });
    await open().run({ url: `${url}/a` }, testContext({ locale: "zh" }));
    expect(requests[0]?.headers).toMatchObject({ "accept-language": expect.stringMatching(/^zh-CN/) });
    expect(requests[0]?.headers["user-agent"]).toMatch(/duet-mcp\/\d/);
    expect(requests[0]?.headers.accept).toMatch(/^text\/html/);
  });

  test("that is redirected keeps the address asked for, and tells the other", async () => {
    const { url } = await servePages({
      "/old": (response) => void response.writeHead(301, { location: "/new" }).end(),
      "/new": short,
    });
    const tool = open();
    const first = await tool.run({ url: `${url}/old` }, testContext());
    expect(first).toMatchObject({
      text: `Redirected to ${url}/new\n\nIt says one thing.`,
      sources: [{ url: `${url}/old` }],
    });
    const second = await tool.run({ url: `${url}/new` }, testContext());
    expect(second).toMatchObject({ cached: true, text: "It says one thing.", sources: [{ url: `${url}/new` }] });
  });

  test("of another kind than HTML is read too", async () => {
    const { url } = await servePages({
      "/a.md": body("text/markdown; charset=utf-8", "# 标题\n\n内容。"),
      "/a.json": body("application/json", '{"a": 1}'),
      "/a.csv": body("text/csv", "a,b\n1,2\n"),
      "/feed": body("application/rss+xml", "<rss><title>T</title></rss>"),
      "/a.txt": body("text/plain", "plain"),
      "/a.py": body("text/x-python", "print(1)"),
      "/about": "<!doctype html><p>A PDF begins with %PDF- and a number.",
      "/none": (response) => void response.writeHead(200).end("<!doctype html><p>Without a type."),
      "/a.pdf": body("application/pdf", makePdf([["Of a PDF"]], { title: "Made" })),
      "/download": body("application/octet-stream", makePdf([["Of another PDF"]])),
    });
    const tool = open();
    const read = async (path: string) => (await tool.run({ url: url + path }, testContext())).text;
    expect(await read("/a.md")).toBe("# 标题\n\n内容。");
    expect(await read("/a.json")).toBe('{"a": 1}');
    expect(await read("/a.csv")).toBe("a,b\n1,2");
    expect(await read("/feed")).toBe("<rss><title>T</title></rss>");
    expect(await read("/a.txt")).toBe("plain");
    expect(await read("/a.py")).toBe("print(1)");
    expect(await read("/about")).toBe("A PDF begins with %PDF- and a number.");
    expect(await read("/none")).toBe("Without a type.");
    expect(await read("/a.pdf")).toBe("PDF, 1 page\n\nOf a PDF");
    expect(await read("/download")).toBe("PDF, 1 page\n\nOf another PDF");
  });
});

describe("a long page", () => {
  test("comes in pieces that end with a paragraph and tell how to read on", async () => {
    const { url, asked } = await servePages({ "/long": long });
    const tool = open();
    const pieces: string[] = [];
    for (let start: number | undefined = 0; start !== undefined; ) {
      const { ok, text, cached } = await tool.run({ url: `${url}/long`, start }, testContext());
      expect(ok).toBe(true);
      expect(cached).toBe(start > 0);
      expect(text.length).toBeLessThan(longestPiece + 100);
      const [pointer, from, to, all, next] =
        /\n\n… \(characters (\d+) to (\d+) of (\d+); continue with start=(\d+)\)$/.exec(text) ?? [];
      pieces.push(pointer === undefined ? text : text.slice(0, -pointer.length));
      if (pointer !== undefined) expect([Number(from), Number(all) > Number(to), to]).toEqual([start, true, next]);
      start = next === undefined ? undefined : Number(next);
    }
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.every((piece) => piece.endsWith("ends."))).toBe(true);
    expect(pieces.join("\n\n").split("\n\n")).toHaveLength(paragraphs.length);
    expect(asked).toEqual(["/long"]);
  });

  test("is pointed on in Chinese for a Chinese reader", async () => {
    const { url } = await servePages({ "/long": long });
    const { text } = await open("zh").run({ url: `${url}/long` }, testContext({ locale: "zh" }));
    expect(text).toMatch(/…（第 0 到 (\d+) 个字符，共 \d+ 个；用 start=\1 继续读）$/);
  });

  test("has no piece behind its end", async () => {
    const { url } = await servePages({ "/a": short });
    const result = await open().run({ url: `${url}/a`, start: 18 }, testContext());
    expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
    expect(result.text).toContain("must be less than the content's length, 18 (current value: 18)");
  });
});

describe("what was read before", () => {
  test("is not asked for again, whatever stands behind #", async () => {
    const { url, asked } = await servePages({ "/a": short });
    const tool = open();
    const all = await Promise.all(["", "#x", "#y"].map((hash) => tool.run({ url: `${url}/a${hash}` }, testContext())));
    expect(asked).toEqual(["/a"]);
    expect(all.map(({ cached }) => cached)).toEqual([false, true, true]);
  });

  test("is another conversation's own", async () => {
    const { url, asked } = await servePages({ "/a": short });
    await open().run({ url: `${url}/a` }, testContext());
    await open().run({ url: `${url}/a` }, testContext());
    expect(asked).toEqual(["/a", "/a"]);
  });

  test("is asked for again when it failed", async () => {
    let isDown = true;
    const { url } = await servePages({
      "/a": (response) => void response.writeHead(isDown ? 503 : 200, { "content-type": "text/html" }).end(short),
    });
    const tool = open();
    expect(await tool.run({ url: `${url}/a` }, testContext())).toMatchObject({ ok: false });
    isDown = false;
    expect(await tool.run({ url: `${url}/a` }, testContext())).toMatchObject({ ok: true, cached: false });
  });
});

describe("what cannot be read", () => {
  test.each([
    [
      "/403",
      403,
      "The page cannot be read: the site does not allow it (HTTP 403).",
      "无法读取网页：网站不允许读取（HTTP 403）",
    ],
    ["/404", 404, "The page cannot be read: there is no such page (HTTP 404).", "无法读取网页：网页不存在（HTTP 404）"],
    [
      "/500",
      500,
      "The page cannot be read: the site has an internal error (HTTP 500).",
      "无法读取网页：网站出错（HTTP 500）",
    ],
  ])("%s is told by its status", async (path, status, en, zh) => {
    const { url } = await servePages({
      [path]: body("text/html", "<p>A page of the error, long and friendly.", status),
    });
    expect((await open().run({ url: url + path }, testContext())).text).toBe(en);
    expect((await open().run({ url: url + path }, testContext({ locale: "zh" }))).text).toBe(zh);
  });

  test("is named by its type", async () => {
    const { url } = await servePages({ "/a.zip": body("application/zip", "PK"), "/a.png": body("image/png", "x") });
    const tool = open();
    expect(await tool.run({ url: `${url}/a.zip` }, testContext())).toMatchObject({
      ok: false,
      text: expect.stringMatching(/^Content of the type application\/zip cannot be read; HTML, .*PDF can\.$/),
    });
    expect((await tool.run({ url: `${url}/a.png` }, testContext({ locale: "zh" }))).text).toMatch(
      /无法读取 image\/png/,
    );
  });

  test("what only says that it is a PDF is told as a damaged one", async () => {
    const { url } = await servePages({ "/a": body("application/pdf", "not one") });
    const result = await open().run({ url: `${url}/a` }, testContext());
    expect(result).toMatchObject({ ok: false, text: "The PDF is damaged and cannot be read." });
  });

  test("a page that a program would build is told as that", async () => {
    const { url } = await servePages({ "/app": String(await savedPage("shell")) });
    const result = await open().run({ url: `${url}/app` }, testContext());
    expect(result).toMatchObject({ ok: false, text: "The page has no readable text without JavaScript." });
  });

  test("a private address is not asked", async () => {
    const { url, asked } = await servePages({ "/a": short });
    const guarded = createReadPage(createToolFetch({ reach: [], ports: [80, 443] }), "en");
    expect(await guarded.run({ url: `${url}/a` }, testContext())).toMatchObject({ ok: false });
    expect(asked).toEqual([]);
  });

  test.each([
    "ftp://example.com/x",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "mailto:a@example.com",
    "http://",
    " ",
  ])("%j is no address", async (url) => {
    const result = await open().run({ url }, testContext());
    expect(result).toMatchObject({ ok: false, error: { code: "invalid_arguments" } });
    expect(result.text).toContain("must be an http or https address");
  });

  test("a reader who gives up waits no longer", async () => {
    const arrived = Promise.withResolvers<void>();
    const { url } = await servePages({ "/hang": () => arrived.resolve() });
    const cancelled = new AbortController();
    const reading = open().run({ url: `${url}/hang` }, testContext({ signal: cancelled.signal }));
    await arrived.promise;
    cancelled.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
  });
});

test("a page of 1 MB leaves the process free while it is read", async () => {
  const sentence = "The quick brown fox, as ever, jumps over the lazy dog near the river bank. ";
  const block = `<div class="block"><p>${sentence.repeat(4)}<a href="/more">Read more</a></p><script>var x=${JSON.stringify("y".repeat(600))}</script></div>`;
  const page = `<title>Big</title><article>${block.repeat(Math.ceil(1_000_000 / block.length))}</article>`;
  const { url } = await servePages({ "/big": page });
  let sinceTurn = startCpuClock();
  let longestTurn = 0;
  const watch = setInterval(() => {
    longestTurn = Math.max(longestTurn, sinceTurn());
    sinceTurn = startCpuClock();
  }, 5);
  const { ok, text } = await open().run({ url: `${url}/big` }, testContext());
  clearInterval(watch);
  expect({ ok, begins: text.startsWith("The quick brown fox") }).toEqual({ ok: true, begins: true });
  // Of the processor's time; bench/pages.mjs measures the pause itself.
  expect(longestTurn).toBeLessThan(1000);
});
