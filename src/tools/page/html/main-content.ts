import { Readability } from "@mozilla/readability";
import { cleanLine } from "../clean-text.ts";
import { countProse, removeBoilerplate } from "./boilerplate.ts";
import { countDataTables, markDataTables } from "./data-tables.ts";
import type { PageDocument, PageElement } from "./dom.ts";
import type { Strictness } from "./hidden-elements.ts";
import type { NextLinks } from "./next-links.ts";
import { parsePage } from "./parse-page.ts";

/** What a page is about, and where in it that stands. */
export interface Article {
  title: string;
  byline: string;
  published: string;
  description: string;
  content: PageElement;
  onward: NextLinks;
}

/** Below this share of a page's prose, what was found is one piece of it: a post of a thread, a part of a manual. */
const leastShare = 0.4;

/** Finds the main content: by Readability, else all that does not surround such content. */
export function findMain(html: string, url: string, care: Strictness): Article {
  const { document, onward } = parsePage(html, url, care);
  const ownTitle = cleanLine(document.querySelector("title")?.textContent);
  const date = publishedIn(document);
  const prose = countProse(document.body);
  markDataTables(document.body);
  const tables = countDataTables(document.body);
  const found = new Readability<PageElement>(document, {
    // The elements as they are: to write and to parse them again would take half of the time.
    serializer: (element) => element,
    // Classes tell the language of code.
    keepClasses: true,
    charThreshold: 200,
  }).parse();
  const content = found?.content;
  const isAll = content != null && countProse(content) >= leastShare * prose && countDataTables(content) === tables;
  return {
    title: cleanLine(found?.title) || ownTitle,
    byline: cleanLine(found?.byline, 200).replace(/^(?:by|作者|文)\s*[:：]?\s+/i, ""),
    published: cleanLine(found?.publishedTime, 40) || date,
    description: cleanLine(found?.excerpt),
    onward,
    // Readability has used the first document up.
    content: isAll ? content : removeBoilerplate(parsePage(html, url, care).document.body),
  };
}

/** When a page was published, as it writes it itself beside its title; empty where it does not. */
function publishedIn(document: PageDocument): string {
  const named = document.querySelector(
    "meta[name=pubdate], meta[name=publishdate], meta[name=PubDate], meta[itemprop=datePublished]",
  );
  const given = named?.getAttribute("content") ?? document.querySelector("time[datetime]")?.getAttribute("datetime");
  if (given) return cleanLine(given, 40);
  for (const element of document.querySelectorAll(
    "[class*=time], [class*=date], [class*=Date], [id*=time], [id*=date]",
  )) {
    const text = cleanLine(element.textContent, 60);
    const [date] = /(?:19|20)\d\d(?:[-/.]\d{1,2}[-/.]|年\d{1,2}月)\d{1,2}日?(?: \d{1,2}:\d\d)?/.exec(text) ?? [];
    if (date !== undefined && text.length < 50) return date;
  }
  return "";
}
