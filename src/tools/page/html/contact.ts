import type { PageElement } from "./dom.ts";
import { toMarkdown } from "./markdown.ts";
import { parsePage } from "./parse-page.ts";

/** What the foot of a page says of how to reach whom it is about; empty where it says nothing of that. */
export function findContact(html: string, url: string): string {
  if (!/<footer\b|contentinfo|class\s*=\s*["'][^"']{0,100}footer/i.test(html)) return "";
  const { body } = parsePage(html, url, "generous").document;
  const foot = body.querySelector("footer, [role=contentinfo], .footer, #footer");
  return foot !== null && tellsContact(foot) ? toMarkdown(foot) : "";
}

function tellsContact(foot: PageElement): boolean {
  const text = foot.textContent.replace(/\s+/g, " ");
  if (text.length > 1500) return false;
  return foot.querySelector("address") !== null || contact.test(text);
}

const contact =
  /[\w.+-]+@[\w-]+\.\w|(?:\+|\b0|\()\d[\d\s()./-]{6,}\d|\b\d{3,4}[-\s]\d{3,4}[-\s]?\d{3,4}\b|地址|电话|邮箱/;
