import type { PageElement } from "../../page/html/dom.ts";
import type { SearchEntry, SearchWire } from "../wire.ts";

/**
 * Uses DuckDuckGo's page without scripts. The page is made for people: it may change, and after a few quick searches from one
 * address it shows a captcha.
 */
export const duckduckgo: SearchWire = {
  ask: (query) => ({
    headers: {
      accept: "text/html,application/xhtml+xml",
      "accept-language": "zh-CN,zh;q=0.9,en;q=0.8",
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
      referer: "https://html.duckduckgo.com/",
      "sec-fetch-dest": "document",
      "sec-fetch-mode": "navigate",
      "sec-fetch-site": "same-origin",
      "sec-fetch-user": "?1",
    },
    form: { q: query, b: "" },
  }),
  decode: readPage,
  entries: ({ results }) => (Array.isArray(results) ? results : undefined),
  refusal({ status, body }) {
    // A page that asks for a proof is no page without results; it comes as 202, and as 200.
    const asksForProof = status === 202 || status === 403 || isChallenge(body);
    return asksForProof ? { kind: "blocked", reason: challenged } : undefined;
  },
};

const challenged = {
  zh: "要求人机验证（请求太频繁，或该地址被限制）",
  en: "it asks for a captcha (too many searches, or a rate-limited address)",
};

type Document = Pick<PageElement, "querySelector" | "querySelectorAll">;
type Page = { results: SearchEntry[] } | { challenge: true } | undefined;

function isChallenge(body: unknown): boolean {
  return typeof body === "object" && body !== null && "challenge" in body;
}

/** The text of a challenge is not conclusive, because each page also contains the query. */
async function readPage(html: string): Promise<Page> {
  const { parseHTML } = await import("linkedom");
  const { document }: { document: Document } = parseHTML(html);
  if (document.querySelector('#challenge-form, form[action*="/anomaly.js"]')) return { challenge: true };
  // Either stands on every page that it makes for a search; a page with neither is another one.
  if (!document.querySelector("a.result__a, .no-results, .result--no-result")) return undefined;
  return { results: [...document.querySelectorAll(".result")].flatMap(readBlock) };
}

function readBlock(block: PageElement): SearchEntry[] {
  const link = block.querySelector("a.result__a");
  const url = link && !/\bresult--ad\b/.test(block.className) ? findTarget(link.getAttribute("href") ?? "") : undefined;
  if (url === undefined) return [];
  const date = /\d{4}-\d\d-\d\d/.exec(block.querySelector(".result__extras")?.textContent ?? "")?.[0];
  return [{ title: link?.textContent, url, text: block.querySelector(".result__snippet")?.textContent, date }];
}

/**
 * Returns the target of a link. Some go through DuckDuckGo; those that stay there are advertisements, and one page ends in a
 * Google search.
 */
function findTarget(href: string): string | undefined {
  const link = URL.parse(href, "https://html.duckduckgo.com/");
  const url = link && isTheirs(link) ? URL.parse(link.searchParams.get("uddg") ?? "") : link;
  if (url === null || isTheirs(url)) return undefined;
  return /(^|\.)google\.com$/.test(url.hostname) && url.pathname === "/search" ? undefined : url.href;
}

function isTheirs({ hostname }: URL): boolean {
  return /(^|\.)duckduckgo\.com$/.test(hostname);
}
