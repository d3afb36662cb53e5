import { element } from "./dom.ts";

export interface Fold {
  readonly element: HTMLDetailsElement;
  /** Opens or folds it, as long as the reader has done neither. */
  open(isOpen: boolean): void;
}

export function foldOf(summary: readonly (Node | string)[], body: readonly Node[]): Fold {
  const head = element("summary", {}, ...summary);
  const details = element("details", {}, head, element("div", { class: "body" }, ...body));
  let isTheirs = false;
  // A key that folds comes as a click too.
  head.addEventListener("click", () => {
    isTheirs = true;
  });
  return {
    element: details,
    open(isOpen) {
      if (!isTheirs && details.hasAttribute("open") !== isOpen) details.toggleAttribute("open", isOpen);
    },
  };
}
