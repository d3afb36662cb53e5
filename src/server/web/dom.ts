import type { PlanStep } from "../../core/run/events.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitize, sanitizeLine, showBlanks } from "../../kit/text/sanitize.ts";
import { describeState } from "../../render/plan-states.ts";
import { toSafeUrl } from "./safe-url.ts";

/** A part renders values of one type on the page. */
export interface Part<T> {
  readonly element: HTMLElement;
  show(value: T): void;
}

/** Creates an element with attributes and children. A string becomes text and never markup. */
export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Creates a button that calls `press`. */
export function createButton(text: string, press: () => void, look?: string | undefined): HTMLButtonElement {
  const made = createElement("button", { type: "button", ...(look === undefined ? {} : { class: look }) }, text);
  made.addEventListener("click", press);
  return made;
}

/** Touches the page only where the text is another: what is selected or being read out stays. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function setShown(node: Element, isShown: boolean): void {
  if (node.hasAttribute("hidden") === isShown) node.toggleAttribute("hidden", !isShown);
}

/** Shows a list, one part for each entry. A part stays as long as there is an entry in its place, and so does what a reader did to it. */
export function createList<T>(parent: Element, create: () => Part<T>): (values: readonly T[]) => void {
  const parts: Part<T>[] = [];
  let shown: readonly T[] = [];
  return (values) => {
    for (const part of parts.splice(values.length)) part.element.remove();
    for (const [index, value] of values.entries()) {
      const part = parts[index];
      // What is shown is made anew at each change, so the same value has nothing new.
      if (part !== undefined && shown[index] === value) continue;
      const changed = part ?? create();
      changed.show(value);
      if (part === undefined) parent.append(changed.element);
      parts[index] = changed;
    }
    shown = values;
  };
}

/** Creates a section with a heading. It is hidden while it has no content. A page may have several of one name. */
export function createSection(name: string, title: string, ...children: readonly Node[]): HTMLElement {
  return createElement("section", { class: name, hidden: "" }, createElement("h2", {}, title), ...children);
}

/** Opens a page elsewhere. */
export type OpenLink = (url: string) => Promise<unknown>;

/** Creates a link, or only its text when a page may not link to the address. */
export function createLink(url: string, text: string, openLink: OpenLink | undefined, label?: string): HTMLElement {
  const href = toSafeUrl(url);
  if (href === undefined) return createElement("span", {}, text);
  const more = label === undefined ? undefined : { "aria-label": label, title: label };
  const link = createElement("a", { href, target: "_blank", rel: "noopener noreferrer nofollow", ...more }, text);
  if (openLink === undefined) return link;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    void openLink(href);
  });
  return link;
}

export interface Fold {
  readonly element: HTMLDetailsElement;
  /** Opens or closes the fold. Has no effect after it has closed the fold once, or after the reader has used it. */
  open(isOpen: boolean): void;
}

export function createFold(summary: readonly (Node | string)[], body: readonly Node[]): Fold {
  const head = createElement("summary", {}, ...summary);
  const details = createElement("details", {}, head, createElement("div", { class: "body" }, ...body));
  let isDone = false;
  // A key that folds comes as a click too.
  head.addEventListener("click", () => {
    isDone = true;
  });
  return {
    element: details,
    open(isOpen) {
      if (isDone || details.hasAttribute("open") === isOpen) return;
      details.toggleAttribute("open", isOpen);
      isDone = !isOpen;
    },
  };
}

/** Shows a step of the plan with its purpose, its tool and its state. */
export function createPlanStep(locale: Locale): Part<PlanStep> {
  const description = createElement("span", { dir: "auto" });
  const tool = createElement("code");
  const state = createElement("span", { class: "state" });
  const given = createElement("code", { class: "given", dir: "auto" });
  const item = createElement("li", {}, description, " ", tool, " ", state, given);
  return {
    element: item,
    show(step) {
      setText(description, sanitize(step.description));
      setText(tool, sanitizeLine(step.tool));
      setShown(tool, step.tool !== "");
      // What is confirmed is seen whole.
      const json = JSON.stringify(step.parameters) ?? "{}";
      setText(given, showBlanks(sanitizeLine(json), locale));
      setShown(given, step.tool !== "" && json !== "{}");
      setText(state, say(locale, describeState(step)));
      item.dataset.state = step.state;
      if (step.state === "running") item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    },
  };
}

/** Calls the function with the newest value at most once for each frame that is drawn, and soon in a tab that draws none. */
export function limitToFrames<T>(window: Window, draw: (value: T) => void): (value: T) => void {
  let newest: { value: T } | undefined;
  let frame = 0;
  let timer = 0;
  const runNow = (): void => {
    window.cancelAnimationFrame(frame);
    window.clearTimeout(timer);
    const taken = newest;
    newest = undefined;
    if (taken !== undefined) draw(taken.value);
  };
  return (value) => {
    const waits = newest !== undefined;
    newest = { value };
    if (waits) return;
    frame = window.requestAnimationFrame(runNow);
    timer = window.setTimeout(runNow, hiddenMs);
  };
}

/** Tabs in the background draw no frames. */
const hiddenMs = 400;
