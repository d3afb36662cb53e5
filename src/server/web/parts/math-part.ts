import temml, { type TreeNode } from "temml/dist/temml.mjs";
import type { MathPart } from "./part-shapes.ts";

/** Longer formulas, in characters, are shown as they are written. */
const longestFormula = 5000;

export const render: MathPart["render"] = (tex, isBlock) => {
  if (tex.length > longestFormula) return undefined;
  try {
    return toElement(temml.__renderToMathMLTree(tex, { displayMode: isBlock, throwOnError: true, maxExpand: 500 }));
  } catch {
    // A formula that is not well-formed is shown as it is written.
    return undefined;
  }
};

/** Builds the elements of a formula. Only those of MathML Core are built, and none of their attributes leads or loads anything. */
function toElement(node: TreeNode): Element {
  const name = node.type !== undefined && elements.has(node.type) ? node.type : "mrow";
  const made = document.createElementNS("http://www.w3.org/1998/Math/MathML", name);
  for (const [key, value] of Object.entries(node.attributes ?? {})) {
    // The policy of the page forbids the attribute, and not what it sets.
    if (key === "style") made.style.cssText = String(value);
    else if (attributes.has(key)) made.setAttribute(key, String(value));
  }
  if (node.classes !== undefined && node.classes.length > 0) made.setAttribute("class", node.classes.join(" "));
  for (const [key, value] of Object.entries(node.style ?? {})) made.style.setProperty(toCssName(key), String(value));
  for (const child of node.children ?? []) made.append(toContent(child));
  return made;
}

function toContent(node: TreeNode): Node {
  if (node.type !== undefined) return toElement(node);
  if (node.text !== undefined) return document.createTextNode(node.text);
  const fragment = document.createDocumentFragment();
  for (const child of node.children ?? []) fragment.append(toContent(child));
  return fragment;
}

function toCssName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const elements: ReadonlySet<string> = new Set(
  `math merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup
  msup mtable mtd mtext mtr munder munderover semantics menclose none`.split(/\s+/),
);

const attributes: ReadonlySet<string> = new Set(
  `accent accentunder columnalign columnlines columnspacing columnspan depth dir display displaystyle fence form height largeop
  linebreak linethickness lspace mathcolor mathvariant maxsize minsize movablelimits notation rowlines rowspacing rowspan rspace
  scriptlevel separator stretchy symmetric voffset width xmlns`.split(/\s+/),
);
