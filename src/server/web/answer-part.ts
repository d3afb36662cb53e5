import type { Citation } from "../../core/outcome.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { printableLine } from "../../kit/text/sanitize.ts";
import { citationsOf } from "./citations.ts";
import { element, listOf, type Part, section, setShown } from "./dom.ts";
import { createLink, type OpenLink } from "./link.ts";
import { createMarkdown } from "./markdown/create-markdown.ts";
import type { RunView } from "./run/run-view.ts";
import { safeUrl } from "./safe-url.ts";
import { texts } from "./texts.ts";

/** The answer as it grows and, under it, its sources. It is read out when it is whole. */
export function createAnswer(
  locale: Locale,
  openLink: OpenLink | undefined,
): Part<Pick<RunView, "runId" | "answer" | "sources" | "status">> {
  const words = element("div", { class: "words", "aria-live": "polite", dir: "auto" });
  const answer = section("answer", say(locale, texts.answer), words);
  const list = element("ol");
  const sources = section("sources", say(locale, texts.sources), list);
  const citations = citationsOf({ locale, words, list, openLink });
  const markdown = createMarkdown(words, { locale, openLink, citation: citations.place });
  const showSources = listOf(list, () => createSource(openLink));
  return {
    element: element("div", {}, answer, sources),
    show({ runId, answer: text, sources: cited, status }) {
      const isGoing = status === "running" || status === "waiting";
      words.setAttribute("aria-busy", String(isGoing));
      markdown.show(text, !isGoing);
      setShown(answer, text !== "");
      showSources(cited.map((source) => ({ ...source, id: `source-${runId ?? ""}-${source.n}` })));
      setShown(sources, cited.length > 0);
      citations.show(cited);
    },
  };
}

function createSource(openLink: OpenLink | undefined): Part<Citation & { id: string }> {
  const item = element("li", { dir: "auto" });
  let before = "";
  return {
    element: item,
    show({ n, title, url, id }) {
      const now = `${n} ${title} ${url} ${id}`;
      if (now === before) return;
      before = now;
      item.setAttribute("value", String(n));
      item.setAttribute("id", id);
      const href = safeUrl(url);
      const host = href === undefined ? printableLine(url) : new URL(href).host;
      const place = element("span", { class: "facts" }, host);
      item.replaceChildren(createLink(url, printableLine(title || url), openLink), " ", place);
    },
  };
}
