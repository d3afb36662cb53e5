import type { Complete, Completion } from "./editor.ts";
import { type Menu, moveInMenu, openMenu } from "./menu.ts";

/** Shows the menu of completions once they are found. */
export interface CompletionMenu {
  /** Holds the menu on the screen; while a new one is being prepared, this is still the previous one. */
  readonly menu: Menu | undefined;
  /** Holds the menu that keys act on. */
  readonly current: Menu | undefined;
  /** Looks for ways to go on; asked `byHand`, the only one is taken at once. */
  ask(textBefore: string, byHand: boolean): void;
  move(step: 1 | -1): void;
  close(): void;
}

export interface CompletionMenuOptions {
  complete: Complete;
  /** Puts the only completion in. */
  take(from: number, completion: Completion): void;
  /** Runs when the menu has opened, closed or changed. */
  onChange(): void;
}

export function createCompletionMenu({ complete, take, onChange }: CompletionMenuOptions): CompletionMenu {
  let menu: Menu | undefined;
  let asked = 0;
  let isPending = false;

  function show(found: Awaited<ReturnType<Complete>>, textBefore: string, byHand: boolean): void {
    const only = byHand && found?.completions.length === 1 ? found.completions[0] : undefined;
    menu = only === undefined ? openMenu(found, textBefore, byHand) : undefined;
    if (only !== undefined && found !== undefined) take(found.from, only);
    onChange();
  }

  return {
    get menu() {
      return menu;
    },
    get current() {
      return isPending ? undefined : menu;
    },
    ask(textBefore, byHand) {
      asked += 1;
      const mine = asked;
      isPending = true;
      const showFound = (found: Awaited<ReturnType<Complete>>): void => {
        if (mine !== asked) return;
        isPending = false;
        show(found, textBefore, byHand);
      };
      complete(textBefore).then(showFound, () => showFound(undefined));
    },
    move(step) {
      if (menu) menu = moveInMenu(menu, step);
    },
    close() {
      asked += 1;
      isPending = false;
      menu = undefined;
    },
  };
}
