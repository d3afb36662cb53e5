import type { Citation } from "../../core/outcome.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { createElement } from "./dom.ts";
import { createLink, type OpenLink } from "./link.ts";
import { toSafeUrl } from "./safe-url.ts";

export interface CitationsOptions {
  readonly locale: Locale;
  /** Where the answer stands. */
  readonly words: HTMLElement;
  /** Where the sources stand, each in an entry with the `value` of its number. */
  readonly list: HTMLElement;
  readonly openLink: OpenLink | undefined;
}

/** The numbers of sources in an answer. They become links as soon as their sources are known. */
export interface Citations {
  /** What stands in the text for `[n]`. */
  place(n: number): HTMLElement;
  show(sources: readonly Citation[]): void;
}

export function createCitations({ locale, words, list, openLink }: CitationsOptions): Citations {
  let known: ReadonlyMap<number, Citation> = new Map();
  let before = "[]";

  function fill(n: number, place: HTMLElement): void {
    const source = known.get(n);
    place.replaceChildren(source === undefined || toSafeUrl(source.url) === undefined ? `[${n}]` : linkTo(source));
  }

  function linkTo({ n, title, url }: Citation): HTMLElement {
    const name = sanitizeLine(title);
    const label = say(locale, { zh: `来源 ${n}：${name}`, en: `Source ${n}: ${name}` });
    // A host opens links itself, and in its frame there may be nowhere to go.
    if (openLink !== undefined) return createLink(url, `[${n}]`, openLink, label);
    const entryOf = (): Element | null => list.querySelector(`:scope > li[value="${n}"]`);
    const link = createElement("a", { href: `#${entryOf()?.id ?? ""}`, "aria-label": label, title: label }, `[${n}]`);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const entry = entryOf();
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
