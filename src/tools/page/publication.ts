import { cleanLine } from "./clean-text.ts";
import type { PageDocument } from "./dom.ts";

/** When a page was published, as it writes it itself beside its title; empty where it does not. */
export function publishedIn(document: PageDocument): string {
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
