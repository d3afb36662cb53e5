import type { PageDocument, PageElement } from "./dom.ts";
import { normalizeStyle } from "./hidden-style.ts";

/** Characters of the page's own styles, and rules in them; more are not looked at. */
const longest = 500_000;
const mostRules = 5000;
/** Of those for one name, as many count as a real page has. */
const mostForKey = 40;

interface Rule {
  tag: string;
  id: string;
  classes: readonly string[];
  style: string;
  weight: number;
}

/** The style that an element has by the page's own simple rules and by itself, in plain form. */
export type StyleOf = (element: PageElement) => string;

/** Reads the page's own `<style>`: rules of an element, an id or classes, without what stands round it and for every screen. */
export function readStyles(document: PageDocument): StyleOf {
  const rules = rulesIn(ownStyles(document)).filter(({ style }) => telling.test(style));
  const byKey = new Map(Array.from(Map.groupBy(rules, keyOf), ([key, all]) => [key, all.slice(-mostForKey)]));
  return (element) => {
    const inline = normalizeStyle(element.getAttribute("style") ?? "");
    const found = byKey.size === 0 ? [] : keysOf(element).flatMap((key) => byKey.get(key) ?? []);
    const matching = found.filter((rule) => matches(rule, element)).sort((one, other) => one.weight - other.weight);
    return matching.length === 0 ? inline : inForce([...matching.map(({ style }) => style), inline]);
  };
}

/** Properties that hide, or that show again. */
const telling =
  /;(?:display|visibility|content-visibility|opacity|position|left|right|top|bottom|margin|clip|text-indent|font-size|color|filter|transform|translate|height|width|max-|overflow|-webkit-text-fill)/;

function ownStyles(document: PageDocument): string {
  const styles = [...document.getElementsByTagName("style")].filter(
    (style) => !/print|width|height/.test(style.getAttribute("media") ?? "") && style.closest("noscript, svg") === null,
  );
  return styles
    .map(({ textContent }) => textContent)
    .join("\n")
    .slice(0, longest)
    .replace(/\/\*[\s\S]*?(?:\*\/|$)/g, " ");
}

/** Rules within others, as those for small screens or for paper, are left out. */
function rulesIn(css: string): Rule[] {
  const rules: Rule[] = [];
  const brace = /[{}]/g;
  let depth = 0;
  let start = 0;
  let selector = "";
  for (let found = brace.exec(css); found !== null && rules.length < mostRules; found = brace.exec(css)) {
    if (found[0] === "{" && depth++ === 0) selector = css.slice(start, found.index);
    if (found[0] === "}" && depth > 0 && --depth === 0 && !selector.includes("@"))
      rules.push(...rulesOf(selector, css.slice(start + selector.length + 1, found.index)));
    if (depth === 0) start = found.index + 1;
  }
  return rules;
}

const simple = /^([a-z][a-z\d]*|\*)?((?:[.#](?:[\w-]|[^\x00-\x7f]|\\.)+)*)$/i;

function rulesOf(selectors: string, declarations: string): Rule[] {
  const style = normalizeStyle(declarations);
  return selectors.split(",").flatMap((selector) => {
    const [found, tag = "", names = ""] = simple.exec(selector.trim()) ?? [];
    if (found === undefined || found === "" || found === "*") return [];
    const parts = names.match(/[.#][^.#]+/g) ?? [];
    const ids = parts.filter((part) => part.startsWith("#"));
    const classes = parts.filter((part) => part.startsWith(".")).map((part) => part.slice(1).replaceAll("\\", ""));
    const weight = ids.length * 10_000 + classes.length * 100 + (tag === "" || tag === "*" ? 0 : 1);
    return [{ tag: tag.replace("*", "").toLowerCase(), id: ids[0]?.slice(1) ?? "", classes, style, weight }];
  });
}

function keyOf({ tag, id, classes: [first] }: Rule): string {
  if (id !== "") return `#${id}`;
  return first === undefined ? tag : `.${first}`;
}

function keysOf(element: PageElement): string[] {
  return [element.localName, `#${element.id}`, ...classesOf(element).map((name) => `.${name}`)];
}

function classesOf(element: PageElement): string[] {
  return (element.getAttribute("class") ?? "").split(/\s+/).slice(0, 100);
}

function matches({ tag, id, classes }: Rule, element: PageElement): boolean {
  if ((tag !== "" && tag !== element.localName) || (id !== "" && id !== element.id)) return false;
  if (classes.length === 0) return true;
  const own = new Set(classesOf(element));
  return classes.every((name) => own.has(name));
}

/** Of each property the last declaration holds, and before it one that calls itself important. */
function inForce(styles: readonly string[]): string {
  const declared = new Map<string, string>();
  for (const declaration of styles.flatMap((style) => style.split(";"))) {
    const [property = "", ...value] = declaration.split(":");
    const held = declared.get(property);
    if (value.length > 0 && (!held?.includes("!important") || declaration.includes("!important")))
      declared.set(property, value.join(":"));
  }
  return `;${Array.from(declared, ([property, value]) => `${property}:${value};`).join("")}`;
}
