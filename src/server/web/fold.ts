import { createElement } from "./dom.ts";

export interface Fold {
  readonly element: HTMLDetailsElement;
  /** Opens it, and folds it once; nothing any more as soon as the reader has done either. */
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
