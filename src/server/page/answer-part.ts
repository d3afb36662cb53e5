import { type Locale, say } from "../../core/locale.ts";
import type { Citation } from "../../core/outcome.ts";
import { printable, printableLine } from "../../core/printable.ts";
import { element, listOf, type Part, section, setShown } from "./dom.ts";
import { createLink, type OpenLink } from "./link.ts";
import { type Piece, paragraphsOf, piecesOf } from "./pieces.ts";
import type { RunView } from "./run-view.ts";
import { safeUrl } from "./safe-url.ts";
import { texts } from "./texts.ts";

interface Paragraph {
  readonly text: string;
  readonly sources: readonly Citation[];
}

/** The answer as it grows and, under it, its sources. It is read out when it is whole. */
export function createAnswer(
  locale: Locale,
  openLink: OpenLink | undefined,
): Part<Pick<RunView, "answer" | "sources" | "status">> {
  const words = element("div", { class: "words", "aria-live": "polite", dir: "auto" });
  const answer = section("answer", say(locale, texts.answer), words);
  const list = element("ol");
  const sources = section("sources", say(locale, texts.sources), list);
  const showWords = listOf(words, () => createParagraph(locale, openLink));
  const showSources = listOf(list, () => createSource(openLink));
  return {
    element: element("div", {}, answer, sources),
    show({ answer: text, sources: cited, status }) {
      words.setAttribute("aria-busy", String(status === "running" || status === "waiting"));
      showWords(paragraphsOf(printable(text)).map((paragraph) => ({ text: paragraph, sources: cited })));
      setShown(answer, text !== "");
      showSources(cited);
      setShown(sources, cited.length > 0);
    },
  };
}

function createParagraph(locale: Locale, openLink: OpenLink | undefined): Part<Paragraph> {
  const paragraph = element("p");
  let before = "";
  const nodeOf = (piece: Piece, sources: readonly Citation[]): Node | string => {
    if (piece.kind === "text") return piece.text;
    if (piece.kind !== "cite") return element(piece.kind, {}, piece.text);
    const source = sources.find(({ n }) => n === piece.n);
    const text = `[${piece.n}]`;
    if (source === undefined || safeUrl(source.url) === undefined) return text;
    const title = printableLine(source.title);
    const label = say(locale, { zh: `来源 ${piece.n}：${title}`, en: `Source ${piece.n}: ${title}` });
    return createLink(source.url, text, openLink, label);
  };
  return {
    element: paragraph,
    show(value) {
      const now = JSON.stringify(value);
      if (now === before) return;
      before = now;
      paragraph.replaceChildren(...piecesOf(value.text).map((piece) => nodeOf(piece, value.sources)));
    },
  };
}

function createSource(openLink: OpenLink | undefined): Part<Citation> {
  const item = element("li", { dir: "auto" });
  let before = "";
  return {
    element: item,
    show({ n, title, url }) {
      const now = `${n} ${title} ${url}`;
      if (now === before) return;
      before = now;
      item.setAttribute("value", String(n));
      const href = safeUrl(url);
      const host = href === undefined ? printableLine(url) : new URL(href).host;
      const place = element("span", { class: "facts" }, host);
      item.replaceChildren(createLink(url, printableLine(title || url), openLink), " ", place);
    },
  };
}
