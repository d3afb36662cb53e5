import type { Part } from "../../dom.ts";

/** Shows a list, one part for each key. A part stays as long as there is an entry of its key, in the order of the entries. */
export function createKeyedList<T extends { readonly key: string }>(parent: Element, create: (value: T) => Part<T>) {
  const parts = new Map<string, Part<T>>();
  return (values: readonly T[]): void => {
    const keys = new Set(values.map(({ key }) => key));
    for (const [key, part] of parts)
      if (!keys.has(key)) {
        part.element.remove();
        parts.delete(key);
      }
    let before: Element | null = null;
    for (const value of values) {
      const part = parts.get(value.key) ?? create(value);
      parts.set(value.key, part);
      part.show(value);
      const wanted: ChildNode | null = before === null ? parent.firstChild : before.nextSibling;
      if (wanted !== part.element) parent.insertBefore(part.element, wanted);
      before = part.element;
    }
  };
}
