import { isElement, type PageDocument, type PageElement, type PageNode, textNode } from "./dom.ts";
import { toBracketed } from "./notation.ts";

/** Writes formulas (MathML, https://www.w3.org/TR/mathml-core/) as a line of text; those that KaTeX wrote twice, once. */
export function writeMath(document: PageDocument): void {
  for (const math of [...document.getElementsByTagName("math")]) {
    const katex = math.closest(".katex");
    const formula = lineOf(math).trim();
    if (katex === null) math.replaceWith(formula);
    else if (katex.parentElement !== null) katex.replaceWith(formula);
  }
}

function lineOf(node: PageNode): string {
  if (node.nodeType === textNode) return node.textContent.replace(/\s+/g, " ").trim();
  if (!isElement(node) || unread.has(node.localName)) return "";
  const parts = partsOf(node);
  const [first = "", second = "", third = ""] = parts;
  switch (node.localName) {
    case "mfrac":
      return `${toBracketed(first)}/${toBracketed(second)}`;
    case "msup":
    case "mover":
      return `${toBracketed(first)}^${toBracketed(second)}`;
    case "msub":
    case "munder":
      return `${toBracketed(first)}_${toBracketed(second)}`;
    case "msubsup":
    case "munderover":
      return `${first}_${toBracketed(second)}^${toBracketed(third)}`;
    case "msqrt":
      return `√${toBracketed(joined(parts))}`;
    case "mroot":
      return `${toBracketed(first)}^(1/${toBracketed(second)})`;
    case "mfenced":
      return `(${parts.join(", ")})`;
    case "mtr":
      return parts.join(", ");
    case "mtable":
      return `[${parts.join("; ")}]`;
    case "mtext":
      return node.textContent.replace(/\s+/g, " ");
    default:
      return joined(parts);
  }
}

/** Of the formula's own elements, also those that say nothing have their place. */
function partsOf(element: PageElement): string[] {
  const nodes = [...element.childNodes];
  return (nodes.some(isElement) ? nodes.filter(isElement) : nodes).map(lineOf);
}

/** Two numbers side by side stay two. */
function joined(parts: readonly string[]): string {
  return parts.reduce((line, part) => `${line}${/\d$/.test(line) && /^\d/.test(part) ? " " : ""}${part}`, "");
}

// Nobody sees the source that a formula may carry with it.
const unread = new Set(["annotation", "annotation-xml", "mphantom", "script", "style"]);
