import type { Citation } from "../../core/run/outcome.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { createElement, createLink, createList, createSection, type OpenLink, type Part, setShown } from "./dom.ts";
import { createMarkdown } from "./markdown/create-markdown.ts";
import type { MarkdownParts } from "./markdown/inline.ts";
import type { RunView } from "./run/run-view.ts";
import { toSafeUrl } from "./safe-url.ts";
import { texts } from "./texts.ts";

/** Shows the answer as it grows, with its sources below. Screen readers announce it only when it is complete. */
export function createAnswerPart(
  locale: Locale,
  openLink: OpenLink | undefined,
  parts?: MarkdownParts | undefined,
): Part<Pick<RunView, "runId" | "answer" | "sources" | "status">> {
  const words = createElement("div", { class: "words", "aria-live": "polite", dir: "auto" });
  const answer = createSection("answer", say(locale, texts.answer), words);
  const list = createElement("ol");
  const sources = createSection("sources", say(locale, texts.sources), list);
  const citations = createCitations({ locale, words, list, openLink });
  const markdown = createMarkdown(words, { locale, openLink, parts, citation: citations.place });
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

export interface CitationsOptions {
  readonly locale: Locale;
  readonly words: HTMLElement;
  /** Holds one entry for each source, whose `value` is the source's number. */
  readonly list: HTMLElement;
  readonly openLink: OpenLink | undefined;
}

/** The source numbers in an answer become links as soon as their sources are known. */
export interface Citations {
  /** Returns the element that replaces `[n]` in the text. */
  place(n: number): HTMLElement;
  show(sources: readonly Citation[]): void;
}

export function createCitations({ locale, words, list, openLink }: CitationsOptions): Citations {
  let known: ReadonlyMap<number, Citation> = new Map();
  let before = "[]";

  function fill(n: number, place: HTMLElement): void {
    const source = known.get(n);
    place.replaceChildren(
      source === undefined || toSafeUrl(source.url) === undefined ? `[${n}]` : createSourceLink(source),
    );
  }

  function createSourceLink({ n, title, url }: Citation): HTMLElement {
    const name = sanitizeLine(title);
    const label = say(locale, { zh: `来源 ${n}：${name}`, en: `Source ${n}: ${name}` });
    // A host opens links itself, and in its frame there may be nowhere to go.
    if (openLink !== undefined) return createLink(url, `[${n}]`, openLink, label);
    const findEntry = (): Element | null => list.querySelector(`:scope > li[value="${n}"]`);
    const link = createElement("a", { href: `#${findEntry()?.id ?? ""}`, "aria-label": label, title: label }, `[${n}]`);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const entry = findEntry();
      entry?.scrollIntoView({ block: "nearest" });
      entry?.querySelector("a")?.focus();
    });
    return link;
  }

  return {
    place(n) {
      const place = createElement("span", { class: "cite", "data-n": String(n) });
      fill(n, place);
      return place;
    },
    show(sources) {
      const now = JSON.stringify(sources);
      if (now === before) return;
      before = now;
      known = new Map(sources.map((source) => [source.n, source]));
      for (const place of words.querySelectorAll<HTMLElement>(".cite")) fill(Number(place.dataset.n), place);
    },
  };
}
