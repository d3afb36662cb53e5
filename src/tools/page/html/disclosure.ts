import { countProse } from "./boilerplate.ts";
import type { PageElement } from "./dom.ts";

/** Finds out what opens at a click: its text is part of the page though it is hidden at first. */
export function findDisclosures(body: PageElement): { isPanel(element: PageElement): boolean } {
  const controlled = new Set<string>();
  for (const opener of body.querySelectorAll("[aria-controls]"))
    for (const id of (opener.getAttribute("aria-controls") ?? "").split(/\s+/)) controlled.add(id);
  return {
    isPanel(element) {
      const isNamed = element.getAttribute("role") === "tabpanel" || panelNames.test(element.className);
      if (!isNamed && !(element.id !== "" && controlled.has(element.id)) && !followsButton(element)) return false;
      return isText(element);
    },
  };
}

const panelNames =
  /(?:^|[\s_-])(?:accordion|collapse|collapsible|expandable|faq|tab[-_]?(?:panel|pane|content))(?:$|[\s_-])/i;

function followsButton({ previousElementSibling: before }: PageElement): boolean {
  if (before === null) return false;
  if (isButton(before)) return true;
  const button = before.querySelector("button, [role=button]");
  return button !== null && button.textContent.trim() === before.textContent.trim();
}

/** A list of links is a menu, and what asks something of the reader a form. */
function isText(panel: PageElement): boolean {
  const length = panel.textContent.trim().length;
  return countProse(panel) * 2 > length && panel.querySelector("input, select, textarea") === null;
}

function isButton(element: PageElement): boolean {
  return element.localName === "button" || element.getAttribute("role") === "button";
}

/** Whether the words on a button are the page's own: they head what it opens, or say much about what stands below it. */
export function isTextHeading(button: PageElement, isHidden: (element: PageElement) => boolean): boolean {
  if (/^(?:h[1-6]|dt|summary)$/.test(button.parentElement?.localName ?? "")) return true;
  if (button.getAttribute("role") === "tab") return true;
  const text = button.textContent.trim();
  const next = below(button);
  if (next === null || !/^(?:div|p|section|dd|ul|ol|article)$/.test(next.localName) || !isText(next)) return false;
  if (button.hasAttribute("aria-expanded") || button.hasAttribute("aria-controls")) return true;
  return isHidden(next) || /[?？]$/.test(text) || text.length >= 20 || /\p{Script=Han}{8}/u.test(text);
}

/** The element behind a button, or behind what holds the button alone. */
function below(button: PageElement): PageElement | null {
  const { parentElement: parent, nextElementSibling: next } = button;
  const isAlone = next === null && parent?.textContent.trim() === button.textContent.trim();
  return isAlone ? (parent?.nextElementSibling ?? null) : next;
}
