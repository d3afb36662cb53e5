import { createLine, type Line } from "../text/line.ts";
import { countCells } from "../text/width.ts";
import { cutLine, fitCells } from "../text/wrap.ts";
import type { Complete, Completion } from "./editor.ts";

/** Shows the menu of completions once they are found. */
export interface CompletionMenu {
  /** Holds the menu on the screen; while a new one is being prepared, this is still the previous one. */
  readonly menu: Menu | undefined;
  /** Holds the menu that keys act on. */
  readonly current: Menu | undefined;
  /** Looks for completions; asked `byHand`, a single one is inserted at once. */
  ask(textBefore: string, byHand: boolean): void;
  move(step: 1 | -1): void;
  close(): void;
}

export interface CompletionMenuOptions {
  complete: Complete;
  /** Puts the only completion in. */
  insert(from: number, completion: Completion): void;
  /** Runs when the menu has opened, closed or changed. */
  onChange(): void;
}

export function createCompletionMenu({ complete, insert: take, onChange }: CompletionMenuOptions): CompletionMenu {
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

/** Offers completions of what is typed, one of which may be chosen. */
interface Menu {
  readonly from: number;
  readonly completions: readonly Completion[];
  /** Is undefined while no completion is chosen. */
  readonly chosen: number | undefined;
  /** Is true when the user has chosen it with an arrow key. */
  readonly isChosenByHand: boolean;
}

/**
 * Opens the menu, or returns undefined when there is nothing to choose. The first completion is chosen when the beginning of a
 * command's name or of a file has been typed, or with `byHand`: what a command is given may be meant as it is typed.
 */
export function openMenu(
  found: { from: number; completions: readonly Completion[] } | undefined,
  textBefore: string,
  byHand: boolean,
): Menu | undefined {
  if (found === undefined || found.completions.length === 0) return undefined;
  const isBegun = textBefore.length > found.from && (found.from === 0 || textBefore[found.from] === "@");
  const chosen = byHand || isBegun ? 0 : undefined;
  return { ...found, chosen, isChosenByHand: byHand };
}

export function moveInMenu(menu: Menu, step: 1 | -1): Menu {
  const { length } = menu.completions;
  const start = menu.chosen ?? (step === 1 ? -1 : 0);
  return { ...menu, chosen: (start + step + length) % length, isChosenByHand: true };
}

/**
 * Returns the completion that Enter takes. Returns undefined when Enter submits: nothing is chosen, or the typed text already
 * equals a completion.
 */
export function chooseByEnter(menu: Menu, textBefore: string): Completion | undefined {
  const completion = menu.chosen === undefined ? undefined : menu.completions[menu.chosen];
  const typed = textBefore.slice(menu.from);
  const isTyped = ({ text }: Completion): boolean => text.trimEnd() === typed.trimEnd();
  if (completion === undefined || isTyped(completion)) return undefined;
  return !menu.isChosenByHand && menu.completions.some(isTyped) ? undefined : completion;
}

/** Renders one line per completion around the chosen one, at most `rows` lines. */
export function renderMenu(menu: Menu, columns: number, rows: number): Line[] {
  const { completions, chosen } = menu;
  const shown = Math.min(completions.length, rows);
  const start = Math.max(0, Math.min((chosen ?? 0) - Math.floor(shown / 2), completions.length - shown));
  const visible = completions.slice(start, start + shown);
  const cells = Math.min(Math.max(...visible.map(({ text }) => countCells(text.trim()))), Math.floor(columns / 2));
  const lines = visible.map((completion, index): Line => renderMenuRow(completion, start + index === chosen, cells));
  const hidden = completions.length - shown;
  const last = lines.at(-1);
  if (hidden > 0 && last !== undefined) lines.push([...(lines.pop() ?? []), { text: `  +${hidden}`, styles: ["dim"] }]);
  return lines.map((line) => cutLine(line, columns));
}

function renderMenuRow({ text, help }: Completion, isChosen: boolean, cells: number): Line {
  const name = fitCells(createLine(text.trim(), ...(isChosen ? (["accent", "strong"] as const) : [])), cells);
  const mark = { text: isChosen ? "❯ " : "  ", styles: ["accent"] as const };
  return help === undefined ? [mark, ...name] : [mark, ...name, { text: `  ${help}`, styles: ["dim"] }];
}
