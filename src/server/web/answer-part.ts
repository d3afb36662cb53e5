import type { Citation } from "../../core/outcome.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { createCitations } from "./citations.ts";
import { createElement, createList, createSection, type Part, setShown } from "./dom.ts";
import { createLink, type OpenLink } from "./link.ts";
import { createMarkdown } from "./markdown/create-markdown.ts";
import type { RunView } from "./run/run-view.ts";
import { toSafeUrl } from "./safe-url.ts";
import { texts } from "./texts.ts";

/** The answer as it grows and, under it, its sources. It is read out when it is whole. */
export function createAnswer(
  locale: Locale,
  openLink: OpenLink | undefined,
): Part<Pick<RunView, "runId" | "answer" | "sources" | "status">> {
  const words = createElement("div", { class: "words", "aria-live": "polite", dir: "auto" });
  const answer = createSection("answer", say(locale, texts.answer), words);
  const list = createElement("ol");
  const sources = createSection("sources", say(locale, texts.sources), list);
  const citations = createCitations({ locale, words, list, openLink });
  const markdown = createMarkdown(words, { locale, openLink, citation: citations.place });
  const showSources = createList(list, () => createSource(openLink));
  return {
    element: createElement("div", {}, answer, sources),
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
  const item = createElement("li", { dir: "auto" });
  let before = "";
  return {
    element: item,
    show({ n, title, url, id }) {
      const now = `${n} ${title} ${url} ${id}`;
      if (now === before) return;
      before = now;
      item.setAttribute("value", String(n));
      item.setAttribute("id", id);
      const href = toSafeUrl(url);
      const host = href === undefined ? sanitizeLine(url) : new URL(href).host;
      const place = createElement("span", { class: "facts" }, host);
      item.replaceChildren(createLink(url, sanitizeLine(title || url), openLink), " ", place);
    },
  };
}
