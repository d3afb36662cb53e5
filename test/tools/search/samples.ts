import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

/** A sample set is a folder with a folder for each search service, and what is to be read from its files. */
export interface SampleSet {
  folder: string;
  /** The sources in a file, in order; a field may be a matcher. */
  sources: Record<string, { title: unknown; url: unknown; snippet: unknown }[]>;
  /** How long the limits in `tavily/keyless_limit_429.json` and `brave/response_headers.txt` last. */
  waits: { tavily: number; brave: number };
}

export function readSample({ folder }: SampleSet, name: string): string {
  return readFileSync(join(folder, name), "utf8");
}

/** Marks of HTML, which no source may hold. */
const marked = /<\/?strong|&quot;/;
const starts = (text: string) => expect.stringMatching(new RegExp(`^${text.replace(/[^\w ]/gu, "\\$&")}`));

const knots = (title: string, snippet: string) => [{ title, url: "https://boats.example/knots.html", snippet }];
const kitesInAutumn = { title: "Kites in autumn", url: "https://kites.example/1" };

/** Our own, with our own contents in the form of each service; `README.md` in the folder says what each file is there for. */
export const ownSamples: SampleSet = {
  folder: join(import.meta.dirname, "../../fixtures/search"),
  waits: { tavily: 5_400_000, brave: 3000 },
  sources: {
    "tavily/vcr_basic_search.json": [
      {
        title: "Keeping rye bread",
        url: "https://bread.example/rye/keeping",
        snippet:
          "## Keeping. # Rye keeps for a week.. **Cool and dry**, in a cloth.... from bread import loaf loaf.keep(days=7)",
      },
      { title: "黑麦面包怎么保存", url: "https://bread.example/zh/rye", snippet: "黑麦面包常温可放七天，切面朝下。" },
      { title: "mill.example", url: "https://mill.example/", snippet: "" },
      {
        title: "A loaf a day | Mill Street",
        url: "https://mill.example/loaf?a=1&b=2",
        snippet: "A loaf of rye is at its best on the second day.",
      },
      {
        title: "Rye : r/breadpages",
        url: "https://forum.example/r/rye/",
        snippet: "I freeze mine, sliced, and it is fine for months.",
      },
    ],
    "tavily/vcr_include_domains.json": [
      {
        title: "Fresnel lenses, old and new",
        url: "https://light.example/lens",
        snippet: "A lens of rings is thin and throws the light far.",
      },
      { title: "灯塔的透镜", url: "https://light.example/zh/lens", snippet: "菲涅耳透镜由一圈圈棱镜组成。" },
      {
        title: "Lamps before 1900",
        url: "https://light.example/lamps",
        snippet: "Oil lamps with up to five wicks stood in the lens.",
      },
      {
        title: "A list of lights",
        url: "https://light.example/list",
        snippet: "Each light has a number, a colour and a rhythm.",
      },
      {
        title: "Rings and prisms (PDF)",
        url: "https://light.example/rings.pdf",
        snippet: "$n \\sin a$ decides where a prism bends the light.",
      },
    ],
    "searxng/debian_searx_1.1.0_ok.json": knots("Knots | Boat Pages", "A bowline holds and is easily undone."),
    "searxng/debian_searx_unresponsive.json": knots("Knots | Boat Pages", "A bowline holds and is easily undone."),
    "searxng/searxng_2026_shape.json": knots("Knots | Boat Pages", "系缆绳的结"),
    "exa/search_ok.json": [{ ...kitesInAutumn, snippet: "2026-09-30 · A kite needs a steady wind. … 风筝要迎风放" }],
    "exa/mcp_tools_call_result_text.txt": [
      { ...kitesInAutumn, snippet: "2026-09-30 · A kite needs a steady wind. 风筝要迎风放" },
      { title: "kites.example", url: "https://kites.example/2", snippet: "Title: is also a word in a text." },
    ],
    "parallel/mcp_structured_content_shape.json": [
      { ...kitesInAutumn, snippet: "A kite needs a steady wind. … 线要放长。" },
    ],
    "brave/web_results_from_serp_page.json": [
      { title: "Tea, from leaf to cup", url: "https://tea.example/", snippet: "A guide — water, leaves and time." },
      {
        title: "Tea (drink) - Tea Pages",
        url: "https://pages.example/wiki/Tea_(drink)",
        snippet: '2026-10-11 · Tea is a drink made from leaves. It is "black" or green & comes from one plant.',
      },
      { title: "喝茶的水温", url: "https://tea.example/zh/water", snippet: "绿茶 80 度，红茶 95 度。" },
      {
        title: "A café by the sea & its teas",
        url: "https://cafe.example/",
        snippet: "“The pot,” they say, is half the taste.",
      },
      { title: "Teapots", url: "https://pots.example/list?x=1&y=2", snippet: "Clay, iron, glass 'and' tin." },
    ],
    "serper/search_shape.json": [
      { title: "Tram Museum", url: "https://tram.example/", snippet: "Ride a tram from 1913 ..." },
      {
        title: "有轨电车博物馆 - Pages",
        url: "https://pages.example/tram",
        snippet: "Oct 9, 2026 · 馆内有四十辆电车 ...",
      },
    ],
    // The days are Beijing's although a Z stands behind them, so none moves to the next one; a wide space becomes a plain one.
    "bocha/web_search_ok.json": [
      {
        title: "海边灯塔 夜里的光",
        url: "https://light.example/zh/1",
        snippet: "2026-03-08 · 灯塔每十秒闪一次，雾天鸣笛...",
      },
      {
        title: "守塔人的一天",
        url: "https://light.example/zh/2#!a=1!!b=2",
        snippet: "2026-03-08 · 守塔人清晨擦玻璃，傍晚点灯。",
      },
      {
        title: "灯塔名录（第三版）",
        url: "http://list.example/lights.shtml",
        snippet: "2025-12-31 · 名录收有灯塔三百座。",
      },
    ],
    "zhipu/web_search_ok.json": [
      {
        title: "城南茶馆营业时间",
        url: "https://tea.example/zh/open",
        snippet: "2026-08-15 · 城南茶馆早上七点开门，周一休息。",
      },
    ],
    "duckduckgo/html_results_page1.html": [
      {
        title: "Kite pages: building a kite in an afternoon ...",
        url: "https://kites.example/build",
        snippet: "A kite takes two sticks, paper and a long line.",
      },
      {
        title: "风筝：入门 | Kites",
        url: "https://kites.example/zh/start/",
        snippet: '2026-04-05 · 风筝入门. 一线[\'xian] (又叫 "鸢") 要轻 & 结实。',
      },
      {
        title: "Kite - Pages",
        url: "https://pages.example/wiki/Kite?a=1&b=2",
        snippet: "A kite is heavier than air and flies all the same.",
      },
      { title: "Where to fly", url: "http://fields.example/map", snippet: "" },
    ],
    "duckduckgo/html_uddg_result.html": [
      {
        title: "Fly a kite",
        url: "https://kites.example/fly?wind=low&line=long",
        snippet: "Low wind & a long line",
      },
    ],
  },
};

const citable = { title: expect.stringMatching(/./), url: starts("https:"), snippet: expect.stringMatching(/./) };
const plain = {
  title: expect.not.stringMatching(marked),
  url: starts("https:"),
  snippet: expect.not.stringMatching(marked),
};
const dated = {
  title: expect.stringMatching(/./),
  url: starts("http"),
  snippet: expect.stringMatching(/^2024-\d\d-\d\d · ./),
};
const found = { title: expect.stringMatching(/./), url: starts("http"), snippet: expect.any(String) };
const nodeSqlite = {
  title: starts("SQLite | Node.js"),
  url: "https://nodejs.org/api/sqlite.html",
  snippet: expect.any(String),
};

/** Answers that were recorded or documented by others; they are not part of the repository. */
export function toSharedSamples(folder: string): SampleSet {
  return {
    folder,
    waits: { tavily: 3_600_000, brave: 1000 },
    sources: {
      "tavily/vcr_basic_search.json": Array(5).fill(citable),
      "tavily/vcr_include_domains.json": Array(5).fill(citable),
      "searxng/debian_searx_1.1.0_ok.json": [nodeSqlite],
      "searxng/debian_searx_unresponsive.json": [nodeSqlite],
      "searxng/searxng_2026_shape.json": [nodeSqlite],
      "exa/search_ok.json": [
        {
          title: "Result One",
          url: "https://example.com/one",
          snippet: "2026-04-01 · First highlight … Second highlight",
        },
      ],
      "exa/mcp_tools_call_result_text.txt": [
        {
          title: "Result One",
          url: "https://example.com/one",
          snippet: "2026-04-01 · First highlight Second highlight",
        },
        { title: "example.com", url: "https://example.com/two", snippet: "..." },
      ],
      "parallel/mcp_structured_content_shape.json": [{ title: "One", url: "https://example.com/one", snippet: "..." }],
      "brave/web_results_from_serp_page.json": [
        plain,
        {
          title: "Rust (programming language) - Wikipedia",
          url: "https://en.wikipedia.org/wiki/Rust_(programming_language)",
          snippet: starts("2025-12-04 · Rust is a general-purpose programming language. It is noted"),
        },
        plain,
        plain,
        plain,
      ],
      "serper/search_shape.json": [
        { title: "Apple", url: "https://www.apple.com/", snippet: "Discover the innovative world of Apple ..." },
        {
          title: "Apple Inc. - Wikipedia",
          url: "https://en.wikipedia.org/wiki/Apple_Inc.",
          snippet: "Jan 2, 2026 · Apple Inc. is an American multinational ...",
        },
      ],
      "bocha/web_search_ok.json": [
        dated,
        dated,
        dated,
        {
          title: expect.stringContaining("阿里云数据中心清洁能源占比"),
          url: "http://tech.cnr.cn/techph/20240722/t20240722_526807992.shtml",
          // 17:54 o'clock with a Z behind it, which is still the same day where it was written.
          snippet: starts("2024-07-22 · "),
        },
        dated,
        dated,
        dated,
      ],
      "zhipu/web_search_ok.json": [
        {
          title: "2025年5月23日财经早资讯",
          url: "https://www.sohu.com/a/897879632_121123890",
          snippet: "2025-05-23 · 1-4月我国对外直接投资575.4亿美元。",
        },
      ],
      "duckduckgo/html_results_page1.html": [
        {
          title: "GitHub - cloudwego/eino: The ultimate LLM/AI application development ...",
          url: "https://github.com/cloudwego/eino",
          snippet: starts("Eino is a framework for building LLM applications in Golang"),
        },
        { ...found, snippet: starts("2025-06-23 · Eino: 概述 简介") },
        ...Array(8).fill(found),
      ],
      "duckduckgo/html_uddg_result.html": [
        { title: "Park page", url: "https://example.com/park?a=1&b=2", snippet: "Snippet one & more" },
      ],
    },
  };
}
