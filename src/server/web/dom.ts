/** A part of the page that shows values of one kind. */
export interface Part<T> {
  readonly element: HTMLElement;
  show(value: T): void;
}

/** An element with attributes and children. A string becomes text and never markup. */
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

/** A section under a heading, out of sight while it has nothing to show. A page may have many of one name. */
export function createSection(name: string, title: string, ...children: readonly Node[]): HTMLElement {
  return createElement("section", { class: name, hidden: "" }, createElement("h2", {}, title), ...children);
}
