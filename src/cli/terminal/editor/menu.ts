import { createLine, type Line } from "../text/line.ts";
import { countCells } from "../text/width.ts";
import { cutLine, fitCells } from "../text/wrap.ts";
import type { Completion } from "./editor.ts";

/** Ways to go on with what is typed, one of which may be chosen. */
export interface Menu {
  readonly from: number;
  readonly completions: readonly Completion[];
  /** Is undefined while no completion is chosen. */
  readonly chosen: number | undefined;
  /** Is true when the user has chosen it with an arrow key. */
  readonly isChosenByHand: boolean;
}

/**
 * Opens the menu, or returns undefined when there is nothing to choose. The first completion is chosen when its beginning has
 * been typed, or with `byHand`.
 */
export function openMenu(
  found: { from: number; completions: readonly Completion[] } | undefined,
  textBefore: string,
  byHand: boolean,
): Menu | undefined {
  if (found === undefined || found.completions.length === 0) return undefined;
  const chosen = byHand || textBefore.length > found.from ? 0 : undefined;
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
