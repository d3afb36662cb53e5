import type { Key } from "../keys/key-sequences.ts";
import type { Live, Size } from "../screen/drawn.ts";
import { countCells, createLine, type Line } from "../text/width.ts";
import { cutLine, fitCells } from "../text/wrap.ts";

/** Ways to go on with what is typed, one of which may be chosen. */
export interface Menu {
  readonly from: number;
  readonly completions: readonly Completion[];
  /** Undefined while none is. */
  readonly chosen: number | undefined;
  /** Whether somebody has chosen it by an arrow key. */
  readonly isChosenByHand: boolean;
}

/** Undefined where there is nothing to choose. The first is chosen where its beginning is typed, or `byHand`. */
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

/** What Enter takes; undefined where it submits: nothing is chosen, or what is typed is one of them already. */
export function chooseByEnter(menu: Menu, textBefore: string): Completion | undefined {
  const completion = menu.chosen === undefined ? undefined : menu.completions[menu.chosen];
  const typed = textBefore.slice(menu.from);
  const isTyped = ({ text }: Completion): boolean => text.trimEnd() === typed.trimEnd();
  if (completion === undefined || isTyped(completion)) return undefined;
  return !menu.isChosenByHand && menu.completions.some(isTyped) ? undefined : completion;
}

/** A line for each, in at most so many rows; those round the chosen one. */
export function renderMenu(menu: Menu, columns: number, rows: number): Line[] {
  const { completions, chosen } = menu;
  const shown = Math.min(completions.length, rows);
  const start = Math.max(0, Math.min((chosen ?? 0) - Math.floor(shown / 2), completions.length - shown));
  const visible = completions.slice(start, start + shown);
  const cells = Math.min(Math.max(...visible.map(({ text }) => countCells(text.trim()))), Math.floor(columns / 2));
  const lines = visible.map((completion, index): Line => menuLine(completion, start + index === chosen, cells));
  const hidden = completions.length - shown;
  const last = lines.at(-1);
  if (hidden > 0 && last !== undefined) lines.push([...(lines.pop() ?? []), { text: `  +${hidden}`, styles: ["dim"] }]);
  return lines.map((line) => cutLine(line, columns));
}

function menuLine({ text, help }: Completion, isChosen: boolean, cells: number): Line {
  const name = fitCells(createLine(text.trim(), ...(isChosen ? (["accent", "strong"] as const) : [])), cells);
  const mark = { text: isChosen ? "❯ " : "  ", styles: ["accent"] as const };
  return help === undefined ? [mark, ...name] : [mark, ...name, { text: `  ${help}`, styles: ["dim"] }];
}

/** What came of a key: a text to take, something that looks different, or nothing that the editor knows. */
export type KeyResult = { result: "submit"; text: string } | { result: "changed" } | { result: "unused" };

/** The text that somebody types: several lines, history, completion. */
export interface Editor {
  readonly text: string;
  press(key: Key): KeyResult;
  /** Puts this text in place of what stands there, the cursor behind it. */
  set(text: string): void;
  /** How it looks behind a prompt, its menu of completions below it. */
  view(prompt: string, size: Size): Live;
}

/** One way to go on with what is typed. */
export interface Completion {
  /** Takes the place of the text from `from` to the cursor. */
  readonly text: string;
  /** What it means, in a few words. */
  readonly help?: string | undefined;
}

/** Ways to go on with a text up to its cursor, from the index `from` on; undefined where there are none. Never rejects. */
export type Complete = (
  textBefore: string,
) => Promise<{ from: number; completions: readonly Completion[] } | undefined>;

/** What was typed before, the oldest first. */
export interface InputHistory {
  readonly entries: readonly string[];
  /** Keeps an entry; one that is the same as the last is not kept twice. */
  add(text: string): void;
}
