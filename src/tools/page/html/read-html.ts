import { cleanLine } from "../clean-text.ts";
import type { Reading } from "../page.ts";
import { toPublicAddress } from "../page-address.ts";
import { isHumanChallenge } from "./challenge.ts";
import { findContact } from "./contact.ts";
import type { Strictness } from "./hidden-elements.ts";
import { type Article, findMain } from "./main-content.ts";
import { toMarkdown } from "./markdown.ts";
import { repairNesting } from "./nesting.ts";
import type { NextLinks } from "./next-links.ts";
import { humanChallengeError, tooComplexError } from "./page-errors.ts";
import { isTooComplex } from "./page-weight.ts";

/** Characters; fewer beside scripts are "Loading…" or the like. */
const fewCharacters = 60;
/** Characters; what surrounds a page of fewer may be what it is there for. */
const shortPage = 300;

/** The main content of an HTML page as Markdown, or why there is none. Throws a `DuetError` where it is too complex or hidden behind a captcha. */
export function readHtml(html: string, { url, truncated }: { url: string; truncated: boolean }): Reading {
  const mended = repairNesting(html);
  if (isTooComplex(mended)) throw tooComplexError();
  const { text: content, onward, ...about } = readBest(mended, url);
  const hasScripts = /<script\b/i.test(html);
  const elsewhere = content.length < shortPage ? refreshOf(html, url) : undefined;
  if (elsewhere !== undefined) return { problem: "elsewhere", url: elsewhere };
  if (content.length < 500 && /<input\b[^>]{0,300}type\s*=\s*["']?password/i.test(html))
    return { problem: "needs-login" };
  if (isHumanChallenge({ title: about.title, text: content })) throw humanChallengeError();
  const isPoor = lengthOf(content) < fewCharacters && onward.frames.length === 0;
  if (hasScripts && isPoor) return { problem: "needs-script" };
  const text = [content, ...linksOf(onward)].filter((part) => part !== "").join("\n\n");
  if (text === "") return { problem: "empty" };
  return { page: { ...about, text, truncated } };
}

type Read = Omit<Article, "content"> & { text: string };

/** Read again with less care where nearly nothing was left, or where a short page says the most beside its content. */
function readBest(html: string, url: string): Read {
  const careful = readWith(html, url, "careful");
  if (lengthOf(careful.text) >= shortPage) return careful;
  const contact = findContact(html, url);
  const withContact = { ...careful, text: joined(careful.text, contact) };
  if (lengthOf(careful.text) >= fewCharacters) return withContact;
  const generous = readWith(html, url, "generous");
  const isBetter = careful.text === "" || lengthOf(generous.text) > 3 * lengthOf(careful.text) + fewCharacters;
  return isBetter ? { ...generous, text: joined(generous.text, contact) } : withContact;
}

function readWith(html: string, url: string, care: Strictness): Read {
  const { content, ...about } = findMain(html, url, care);
  return { ...about, text: toMarkdown(content) };
}

function joined(text: string, contact: string): string {
  if (contact === "" || text.includes(contact)) return text;
  return text === "" ? contact : `${text}\n\n${contact}`;
}

/** The next part behind an arrow, which readers of every language know. */
function linksOf({ next, frames }: NextLinks): string[] {
  const shown = frames.map(({ url, title }) => {
    const text = cleanLine(title, 200).replace(/[[\]]/g, "");
    return text === "" ? `- ${url}` : `- [${text}](${url})`;
  });
  return [shown.join("\n"), next === undefined ? "" : `[→](${next})`];
}

/** Where a page without content sends its readers on to. */
function refreshOf(html: string, url: string): string | undefined {
  const target =
    /<meta\b[^>]{0,200}?http-equiv\s*=\s*["']?refresh["']?[^>]{0,200}?url\s*=\s*["']?([^"'>\s]{1,1000})/i.exec(
      html,
    )?.[1];
  const there = target === undefined ? null : URL.parse(target.replaceAll("&amp;", "&"), url);
  return there === null || there.href === url ? undefined : toPublicAddress(there);
}

/** A Chinese character says as much as two letters. */
function lengthOf(text: string): number {
  return text.length + (text.match(/\p{Script=Han}/gu)?.length ?? 0);
}
