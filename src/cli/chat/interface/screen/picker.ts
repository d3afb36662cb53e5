import { type Locale, say } from "../../../../kit/locale.ts";
import type { Choice, PickOptions } from "../../../questions/reader.ts";
import type { Key } from "../../../terminal/keys/key.ts";
import type { Live, Size } from "../../../terminal/screen/screen-types.ts";
import { createLine, type Line, toPlainText } from "../../../terminal/text/line.ts";
import { countCells, splitGraphemes } from "../../../terminal/text/width.ts";
import { cutLine } from "../../../terminal/text/wrap.ts";

/** Limits how many choices are shown at a time, on a screen that has the rows. */
const mostShown = 12;

export interface PickerOptions<T> {
  picking: PickOptions<T>;
  locale: Locale;
  /** Takes the choice; undefined when it was left. */
  onDone(choice: Choice<T> | undefined): void;
}

/**
 * Creates a list of choices: the arrow keys move, typed words find one, Enter takes it, Escape leaves. When none is in force, no
 * choice is marked at first, so that an Enter meant for something else takes nothing.
 */
export function createPicker<T>({ picking, locale, onDone: done }: PickerOptions<T>): Panel {
  let { choices } = picking;
  let at = picking.chosen === undefined ? -1 : choices.findIndex(({ value }) => value === picking.chosen);
  let typed = "";
  /** Is true when Enter was pressed and there was nothing to choose. */
  let wasEmpty = false;

  function move(by: number): void {
    const last = choices.length - 1;
    if (at < 0) at = by > 0 ? 0 : last;
    else at = Math.min(last, Math.max(0, at + by));
    // A filter stays while the choices that it leaves are gone through.
    if (!picking.filters) typed = "";
  }

  /** Finds a choice by one of its own words, or else by the beginning of its label. */
  function find(word: string): number {
    const wanted = word.trim().toLowerCase();
    if (wanted === "") return -1;
    const own = choices.findIndex(({ words }) => words?.includes(wanted));
    if (own >= 0) return own;
    const byNumber = /^\d+$/.test(wanted) ? Number(wanted) - 1 : -1;
    if (byNumber >= 0 && byNumber < choices.length) return byNumber;
    return choices.findIndex(({ label }) => label.toLowerCase().includes(wanted));
  }

  function isInForce({ value }: Choice<T>): boolean {
    return picking.chosen !== undefined && value === picking.chosen;
  }

  /** Takes the typed text as a filter, or moves to the choice that it names. */
  function updateTyped(text: string): void {
    typed = text;
    if (picking.filters) {
      choices = filterChoices(picking.choices, typed);
      at = choices.length > 0 && typed.trim() !== "" ? 0 : Math.min(at, choices.length - 1);
    } else at = find(typed);
  }

  function press(key: Key): boolean {
    const isControl = key.ctrl || key.alt;
    // What was not in the list is no beginning of what is typed next.
    if (wasEmpty && key.name === "text" && !isControl) typed = "";
    wasEmpty = key.name === "enter" && choices[at] === undefined;
    switch (key.name) {
      case "up":
        move(-1);
        return true;
      case "down":
      case "tab":
        move(1);
        return true;
      case "page-up":
        move(-mostShown);
        return true;
      case "page-down":
        move(mostShown);
        return true;
      case "home":
        move(-choices.length);
        return true;
      case "end":
        move(choices.length);
        return true;
      case "backspace":
        updateTyped(splitGraphemes(typed).slice(0, -1).join(""));
        return true;
      case "enter":
        if (choices[at]) done(choices[at]);
        return true;
      case "escape":
        done(undefined);
        return true;
      case "text":
        if (isControl && !(key.ctrl && key.text === "u")) return false;
        updateTyped(isControl ? "" : typed + key.text);
        return true;
      case "paste":
        updateTyped(typed + (key.text.split("\n", 1)[0] ?? ""));
        return true;
      default:
        return false;
    }
  }

  return {
    press,
    view({ columns, rows }) {
      const hasHint = rows > 2;
      const most = Math.min(mostShown, Math.max(1, rows - (hasHint ? 2 : 1)));
      const from = Math.max(0, Math.min(at - Math.floor(most / 2), choices.length - most));
      const shown = fitLabels(choices.slice(from, from + most), columns);
      const width = Math.max(0, ...shown.map(({ label }) => countCells(label)));
      const lines: Line[] = [
        [{ text: picking.title, styles: ["strong"] }],
        ...shown.map((choice, index) =>
          renderChoice(choice, { isMarked: from + index === at, isInForce: isInForce(choice), width }),
        ),
        ...(hasHint
          ? [[{ text: renderHint(locale, { typed, wasEmpty, from, most, all: choices.length }), styles: dim }]]
          : []),
      ];
      return { lines: lines.map((line) => cutLine(line, columns)) };
    },
  };
}

/** Returns the choices that have every typed word, in any case. */
function filterChoices<T>(choices: readonly Choice<T>[], typed: string): readonly Choice<T>[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return choices.filter(({ label, detail = "", search = "", isAlwaysShown = false }) => {
    const text = `${label}\n${detail}\n${search}`.toLowerCase();
    return isAlwaysShown || wanted.every((word) => text.includes(word));
  });
}

interface Place {
  isMarked: boolean;
  isInForce: boolean;
  /** Is the width of the labels, in cells. */
  width: number;
}

/** Is the room that a label keeps, in cells; where there is less, only labels are shown. */
const narrowestLabel = 20;

/** Cuts labels so that what stands beside all of them is in view: one long label must not push it off the screen. */
function fitLabels<T>(choices: readonly Choice<T>[], columns: number): Choice<T>[] {
  const beside = Math.max(0, ...choices.map(({ detail = "" }) => countCells(detail)));
  // Two cells for the mark, two for the gap, two for the sign of what is in force.
  const room = columns - beside - 6;
  if (beside === 0 || room < narrowestLabel) return [...choices];
  return choices.map((choice) => ({ ...choice, label: toPlainText(cutLine(createLine(choice.label), room)) }));
}

function renderChoice<T>({ label, detail, words = [] }: Choice<T>, { isMarked, isInForce, width }: Place): Line {
  const name = `${isMarked ? "❯" : " "} ${label}`;
  const letter = words.find((word) => word.length === 1);
  const beside = [isInForce ? "●" : "", detail ?? "", letter ?? ""].filter((part) => part !== "").join(" ");
  return [
    { text: name, styles: isMarked ? ["accent", "strong"] : [] },
    { text: beside === "" ? "" : `${" ".repeat(Math.max(0, width - countCells(label)))}  ${beside}`, styles: ["dim"] },
  ];
}

interface PickerMatches {
  typed: string;
  wasEmpty: boolean;
  from: number;
  most: number;
  all: number;
}

const dim = ["dim"] as const;

function renderHint(locale: Locale, { typed, wasEmpty, from, most, all }: PickerMatches): string {
  if (all === 0)
    return say(locale, {
      zh: `没有含有 "${typed}" 的选项 · 退格修改 · Ctrl-U 显示全部 · Esc 取消`,
      en: `Nothing has "${typed}" · Backspace changes it · Ctrl-U shows all · Esc cancels`,
    });
  if (wasEmpty && typed !== "")
    return say(locale, {
      zh: `列表中没有 "${typed}"，请用 ↑↓ 选择`,
      en: `"${typed}" is not in the list: choose with ↑↓`,
    });
  if (wasEmpty) return say(locale, { zh: "请先用 ↑↓ 选择一项", en: "Choose one first, with ↑↓" });
  const keys = say(locale, { zh: "↑↓ 选择 · 回车确认 · Esc 取消", en: "↑↓ choose · Enter confirms · Esc cancels" });
  const more = all > most ? ` · ${from + 1}-${Math.min(all, from + most)}/${all}` : "";
  return `${keys}${more}${typed === "" ? "" : ` · ${typed}`}`;
}

/** Counts as a pause in typing, in milliseconds. */
const pauseMs = 700;

/** Nobody can have read and answered a question sooner than this, in milliseconds. */
const reactionMs = 300;

/** Separates keys that answer a question from those that were on their way when it came. */
export interface TypingAhead {
  /** Reports that the question is on the screen. `typed` is the half-typed text below it. */
  shown(panel: Panel, typed: string): void;
  /**
   * Is true when a key belongs to the input although a question is shown: the key came before the question could be read, or it
   * continues what was half typed when the question came, until there is a pause. It must be called once for each key.
   */
  isAhead(panel: Panel | undefined, typed: string): boolean;
}

export function createTypingAhead(now: () => number = () => performance.now()): TypingAhead {
  let known: Panel | undefined;
  let shownAt: number | undefined;
  let isTyping = false;
  let lastKeyAt = Number.NEGATIVE_INFINITY;

  function updateTypingAhead(panel: Panel | undefined, typed: string): void {
    if (panel === known) return;
    known = panel;
    shownAt = undefined;
    isTyping = typed !== "";
  }

  return {
    shown(panel, typed) {
      updateTypingAhead(panel, typed);
      shownAt ??= now();
    },
    isAhead(panel, typed) {
      const sinceKey = now() - lastKeyAt;
      lastKeyAt = now();
      updateTypingAhead(panel, typed);
      if (panel === undefined) return false;
      isTyping &&= sinceKey < pauseMs;
      return isTyping || shownAt === undefined || now() - shownAt < reactionMs;
    },
  };
}

/** Handles the keys, and shows their effect at the bottom of the screen. */
export interface Panel {
  /** Handles a key and returns whether the panel knows it. */
  press(key: Key): boolean;
  view(size: Size): Live;
}
