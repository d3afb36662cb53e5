import { Readability } from "@mozilla/readability";
import { DuetError } from "../../../kit/errors.ts";
import { cleanLine, type PageResult, toPublicAddress } from "../page.ts";
import {
  countProse,
  isBoilerplate,
  type NextLinks,
  type PageDocument,
  type PageElement,
  removeBoilerplate,
} from "./dom.ts";
import type { Strictness } from "./hidden-elements.ts";
import { toMarkdown } from "./markdown.ts";
import { findRawEnd, rawText, repairNesting } from "./nesting.ts";
import { parsePage } from "./parse-page.ts";

/** Below this length, in characters, the text of a page with scripts is "Loading…" or the like. */
const fewCharacters = 60;

/** On pages shorter than this, in characters, the surroundings may be the actual content. */
const shortPage = 300;

/**
 * Returns the main content of an HTML page as Markdown, or why there is none. Throws a `DuetError` when the page is too complex
 * or hidden behind a captcha.
 */
export function readHtml(html: string, { url, truncated }: { url: string; truncated: boolean }): PageResult {
  const mended = repairNesting(html);
  if (isTooComplex(mended)) throw tooComplexError();
  const { text: content, onward, ...about } = readBest(mended, url);
  const hasScripts = /<script\b/i.test(html);
  const elsewhere = content.length < shortPage ? refreshOf(html, url) : undefined;
  if (elsewhere !== undefined) return { problem: "elsewhere", url: elsewhere };
  if (content.length < 500 && /<input\b[^>]{0,300}type\s*=\s*["']?password/i.test(html))
    return { problem: "needs-login" };
  if (isHumanChallenge({ title: about.title, text: content })) throw humanChallengeError();
  const isPoor = measureText(content) < fewCharacters && onward.frames.length === 0;
  if (hasScripts && isPoor) return { problem: "needs-script" };
  const text = [content, ...listLinks(onward)].filter((part) => part !== "").join("\n\n");
  if (text === "") return { problem: "empty" };
  return { page: { ...about, text, truncated } };
}

type Read = Omit<Article, "content"> & { text: string };

/** Adds the contact details to a short page, and reads the page again less strictly when almost nothing was left. */
function readBest(html: string, url: string): Read {
  const careful = readWith(html, url, "careful");
  if (measureText(careful.text) >= shortPage) return careful;
  const contact = findContact(html, url);
  const withContact = { ...careful, text: joinContact(careful.text, contact) };
  if (measureText(careful.text) >= fewCharacters) return withContact;
  const generous = readWith(html, url, "generous");
  const isBetter = careful.text === "" || measureText(generous.text) > 3 * measureText(careful.text) + fewCharacters;
  return isBetter ? { ...generous, text: joinContact(generous.text, contact) } : withContact;
}

function readWith(html: string, url: string, care: Strictness): Read {
  const { content, ...about } = findMain(html, url, care);
  return { ...about, text: toMarkdown(content) };
}

function joinContact(text: string, contact: string): string {
  if (contact === "" || text.includes(contact)) return text;
  return text === "" ? contact : `${text}\n\n${contact}`;
}

/** Marks the next part with an arrow, which readers of every language understand. */
function listLinks({ next, frames }: NextLinks): string[] {
  const shown = frames.map(({ url, title }) => {
    const text = cleanLine(title, 200).replace(/[[\]]/g, "");
    return text === "" ? `- ${url}` : `- [${text}](${url})`;
  });
  return [shown.join("\n"), next === undefined ? "" : `[→](${next})`];
}

/** Returns the address to which a page without content redirects its readers. */
function refreshOf(html: string, url: string): string | undefined {
  const target =
    /<meta\b[^>]{0,200}?http-equiv\s*=\s*["']?refresh["']?[^>]{0,200}?url\s*=\s*["']?([^"'>\s]{1,1000})/i.exec(
      html,
    )?.[1];
  const there = target === undefined ? null : URL.parse(target.replaceAll("&amp;", "&"), url);
  return there === null || there.href === url ? undefined : toPublicAddress(there);
}

/** A Chinese character counts as two letters. */
function measureText(text: string): number {
  return text.length + (text.match(/\p{Script=Han}/gu)?.length ?? 0);
}

/** A longer page, in characters, describes such challenges and is not one. */
const longest = 800;

/** Returns true when a page only asks its reader to prove to be human. */
export function isHumanChallenge({ title, text }: { title: string; text: string }): boolean {
  if (text.length > longest) return false;
  return titles.test(title.trim()) || questions.test(text);
}

const titles =
  /^(?:just a moment|attention required|security check|verifying you are human|are you a robot|access denied|百度安全验证|安全验证|人机验证|访问验证|验证码)/i;
const questions =
  /verify(?:ing)? (?:that )?you(?: are|['’]re) (?:a )?human|confirm (?:that )?you are (?:a )?human|(?:are|you['’]re) (?:you )?(?:not )?a robot|checking your browser|enable javascript and cookies to continue|complete the (?:captcha|security check)|unusual traffic from your|完成(?:下方|以下|下列)?(?:安全)?验证|人机验证|安全验证|滑动(?:滑块|验证)|拖动滑块|您的访问(?:过于频繁|出现异常)/i;

/** Returns the contact details in the footer of a page, or an empty string when it has none. */
export function findContact(html: string, url: string): string {
  if (!/<footer\b|contentinfo|class\s*=\s*["'][^"']{0,100}footer/i.test(html)) return "";
  const { body } = parsePage(html, url, "generous").document;
  const foot = body.querySelector("footer, [role=contentinfo], .footer, #footer");
  return foot !== null && hasContact(foot) ? toMarkdown(foot) : "";
}

function hasContact(foot: PageElement): boolean {
  const text = foot.textContent.replace(/\s+/g, " ");
  if (text.length > 1500) return false;
  return foot.querySelector("address") !== null || contact.test(text);
}

const contact =
  /[\w.+-]+@[\w-]+\.\w|(?:\+|\b0|\()\d[\d\s()./-]{6,}\d|\b\d{3,4}[-\s]\d{3,4}[-\s]?\d{3,4}\b|地址|电话|邮箱/;

export function tooComplexError(): DuetError {
  return new DuetError({
    code: "tool",
    text: { zh: "网页太复杂，无法读取", en: "The page is too complex to be read." },
  });
}

export function humanChallengeError(): DuetError {
  return new DuetError({
    code: "tool",
    text: {
      zh: "网站要求先通过人机验证（captcha），没有给出内容",
      en: "The site asks for a captcha before it shows any content.",
    },
  });
}

/** Tags and entities, and attributes; real pages of several megabytes have a third of it, and each costs time and memory. */
const most = 300_000;

/** Returns true when a page has more markup than can be parsed in time. It makes one pass and keeps nothing. */
export function isTooComplex(html: string): boolean {
  const piece = /<!--[\s\S]*?(?:-->|$)|<([a-z][^\s/>]*)|[<&]/gi;
  let pieces = 0;
  let attributes = 0;
  for (let found = piece.exec(html); found !== null; found = piece.exec(html)) {
    const name = found[1]?.toLowerCase();
    if (name !== undefined) {
      const tag = countAttributes(html, piece.lastIndex);
      attributes += tag.count;
      piece.lastIndex = rawText.has(name) ? findRawEnd(html, name, tag.end) : tag.end;
    }
    if (++pieces > most || attributes > most) return true;
  }
  return false;
}

/** Counts the attributes of a tag, from behind its name. */
function countAttributes(html: string, from: number): { count: number; end: number } {
  const attribute = /[\s/]*[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"'][^\s>]*)?)?/y;
  let count = 0;
  let end = from;
  attribute.lastIndex = from;
  while (count <= most && attribute.test(html)) {
    count++;
    end = attribute.lastIndex;
  }
  return { count, end };
}

interface Article {
  title: string;
  byline: string;
  published: string;
  description: string;
  content: PageElement;
  onward: NextLinks;
}

/**
 * Below this share of a page's prose, the content found is only a part of it, such as one post of a thread or one section of a
 * manual.
 */
const leastShare = 0.4;

/** Finds the main content: by Readability, else all that does not surround such content. */
export function findMain(html: string, url: string, care: Strictness): Article {
  const { document, onward } = parsePage(html, url, care);
  const ownTitle = cleanLine(document.querySelector("title")?.textContent);
  const date = findPublished(document);
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

/** Returns the publication date that the page writes beside its title, or an empty string. */
function findPublished(document: PageDocument): string {
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

const mark = "data-telling";

/** Marks the tables that are content, by which Readability leaves them alone where they stand in what it finds. */
export function markDataTables(body: PageElement): void {
  for (const table of [...body.querySelectorAll("table")].filter(isTelling)) {
    table.setAttribute(mark, "");
    table.setAttribute("summary", "data");
  }
}

function countDataTables(content: PageElement): number {
  return [...content.querySelectorAll(`table[${mark}]`)].length;
}

function isTelling(table: PageElement): boolean {
  if (table.querySelector("table") !== null || table.querySelector("tr + tr, thead + tbody") === null) return false;
  const { length } = table.textContent.replace(/\s+/g, " ").trim();
  const isGrid = table.querySelector("th + th, th + td, td + td, pre") !== null;
  if (!isGrid || length === 0 || isAside(table)) return false;
  return table.querySelector("th, pre") !== null || countProse(table) * 3 >= length;
}

/** Returns true when the table is inside an element that surrounds the content. */
function isAside(table: PageElement): boolean {
  for (let place = table.parentElement; place !== null; place = place.parentElement)
    if (isBoilerplate(place)) return true;
  return false;
}
