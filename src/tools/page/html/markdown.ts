import Turndown from "turndown";
import { cleanLine, cleanText } from "../clean-text.ts";
import type { PageElement } from "./dom.ts";
import { writeNotation } from "./notation.ts";
import { target } from "./parse-page.ts";
import { fillSpans } from "./table-grid.ts";
import { createTableRules, type MarkdownRule } from "./tables.ts";

/** An element's content in Markdown, its links absolute already. The element is used up. */
export function toMarkdown(content: PageElement): string {
  const service = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-", hr: "---" });
  service.escape = escapeText;
  for (const [name, rule] of Object.entries({ ...rules, ...listRules(), ...createTableRules() }))
    service.addRule(name, rule);
  writeNotation(content);
  fillSpans(content);
  // Turndown would copy the element first.
  const whole = Object.assign(content, { cloneNode: () => content });
  return cleanText(service.turndown(whole));
}

/** Nobody renders this: only what would make a link, an image or a block of plain text is escaped. */
function escapeText(text: string): string {
  return text
    .replaceAll("![", "!\\[")
    .replaceAll("](", "]\\(")
    .replace(/^(#{1,6} |>|```|~~~)/, "\\$1");
}

/** Longer addresses are of no use to a reader and cost a model much. */
const longestLink = 500;

const rules: Record<string, MarkdownRule> = {
  link: {
    filter: ({ localName }) => localName === "a",
    replacement(content, element) {
      const text = cleanLine(content, Number.POSITIVE_INFINITY).replace(/^#+ /, "");
      // A mark beside a heading or a passage, for linking to it.
      if (/^(?:[#¶§🔗]|\\#|\[?\d{1,3}\]?|\[edit\]|\[编辑\])?$/u.test(text))
        return element.hasAttribute(target) ? text : "";
      const href = webAddress(element);
      return href === undefined || text === href ? text : `[${text}](${href})`;
    },
  },
  deleted: {
    filter: ({ localName }) => localName === "del" || localName === "s" || localName === "strike",
    replacement: (content) => (content.includes("\n") || content.trim() === "" ? content : `~~${content}~~`),
  },
  code: {
    filter: ({ localName }) => localName === "pre",
    replacement(_, element) {
      for (const lineBreak of [...element.getElementsByTagName("br")]) lineBreak.replaceWith("\n");
      const code = element.textContent.replace(/^\n+/, "").trimEnd();
      const longest = Math.max(2, ...Array.from(code.matchAll(/^`{3,}/gm), ([ticks]) => ticks.length));
      const fence = "`".repeat(longest + 1);
      return code === "" ? "" : `\n\n${fence}${languageOf(element)}\n${code}\n${fence}\n\n`;
    },
  },
};

function webAddress(element: PageElement): string | undefined {
  const href = element.getAttribute(target) ?? "";
  if (!/^https?:\/\//i.test(href) || href.length > longestLink) return undefined;
  return href.replace(/[\s()<>]/g, (character) =>
    encodeURIComponent(character).replace("(", "%28").replace(")", "%29"),
  );
}

/** The language that a code block, what it holds or what stands round it names. */
function languageOf(element: PageElement): string {
  const round = [element.firstElementChild, element, element.parentElement, element.parentElement?.parentElement];
  for (const place of round) {
    const named = place?.getAttribute("data-lang") ?? place?.getAttribute("data-language");
    const found =
      named ??
      /(?:^|\s)(?:language|lang|highlight-source|highlight|brush:)[-\s]([\w+#-]{1,20})/.exec(
        place?.className ?? "",
      )?.[1];
    if (found && /^[\w+#-]{1,20}$/.test(found)) return found;
  }
  return "";
}

/** Items close to their marks, numbered as the list is. */
function listRules(): Record<string, MarkdownRule> {
  const next = new WeakMap<PageElement, number>();
  const markOf = ({ parentElement: list }: PageElement): string => {
    if (list?.localName !== "ol") return "- ";
    const number = next.get(list) ?? (Number(list.getAttribute("start")) || 1);
    next.set(list, number + 1);
    return `${number}. `;
  };
  return {
    item: {
      filter: ({ localName }) => localName === "li",
      replacement(content, element) {
        const mark = markOf(element);
        return `${mark}${content.trim().replace(/\n/g, `\n${" ".repeat(mark.length)}`)}\n`;
      },
    },
  };
}
