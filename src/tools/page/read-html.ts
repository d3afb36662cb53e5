import { findMain } from "./main-content.ts";
import { toMarkdown } from "./markdown.ts";
import type { Reading } from "./page.ts";

/** Characters; fewer beside scripts are "Loading…" or the like. */
const fewCharacters = 60;

/** The main content of an HTML page as Markdown, or why there is none. */
export function readHtml(html: string, { url, truncated }: { url: string; truncated: boolean }): Reading {
  const { content, ...about } = findMain(html, url);
  const text = toMarkdown(content);
  const hasScripts = /<script\b/i.test(html);
  const elsewhere = text.length < 300 ? refreshOf(html, url) : undefined;
  if (elsewhere !== undefined) return { problem: "elsewhere", url: elsewhere };
  if (text.length < 500 && /<input\b[^>]{0,300}type\s*=\s*["']?password/i.test(html)) return { problem: "needs-login" };
  if (hasScripts && lengthOf(text) < fewCharacters) return { problem: "needs-script" };
  if (text === "") return { problem: "empty" };
  return { page: { ...about, text, truncated } };
}

/** Where a page without content sends its readers on to. */
function refreshOf(html: string, url: string): string | undefined {
  const target =
    /<meta\b[^>]{0,200}?http-equiv\s*=\s*["']?refresh["']?[^>]{0,200}?url\s*=\s*["']?([^"'>\s]{1,1000})/i.exec(
      html,
    )?.[1];
  const there = target === undefined ? null : URL.parse(target.replaceAll("&amp;", "&"), url);
  return there === null || there.href === url ? undefined : there.href;
}

/** A Chinese character says as much as two letters. */
function lengthOf(text: string): number {
  return text.length + (text.match(/\p{Script=Han}/gu)?.length ?? 0);
}
