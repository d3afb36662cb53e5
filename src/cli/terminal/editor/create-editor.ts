import { type Locale, say } from "../../../kit/locale.ts";
import type { Key } from "../keys/key.ts";
import type { Live, Size } from "../screen/screen-types.ts";
import type { Line } from "../text/line.ts";
import { countCells } from "../text/width.ts";
import { cutLine } from "../text/wrap.ts";
import { chooseByEnter, createCompletionMenu, renderMenu } from "./completion.ts";
import type { Complete, Editor, InputHistory, KeyResult } from "./editor.ts";
import { findMentionAtEnd } from "./files/complete-files.ts";
import { isImageMention, toPastedMentions } from "./files/pasted-files.ts";
import { type Folds, noFolds } from "./folds.ts";
import { type Action, findAction } from "./keymap.ts";
import { createBreakRows, createFrame, type Frame, findRow, getMaxRows, renderText, scroll } from "./text-rows.ts";
import { createTyping, renderTooLong } from "./typing.ts";

export interface EditorOptions {
  complete: Complete;
  history: InputHistory;
  /** Runs when the view changes without a key press, because completions were found. */
  onChange(): void;
  /** Returns the language of the editor's own messages. */
  locale(): Locale;
  /** Is true where a pasted path of an image or a document attaches it. */
  attachesFiles?: boolean;
  /** Shows long pastes and images as labels. */
  folds?: Folds | undefined;
}

/** Creates an empty editor. It rejects text that would exceed the limit: the existing text stays, and a line reports it. */
export function createEditor(options: EditorOptions): Editor {
  const { complete, history, onChange, locale, attachesFiles, folds = noFolds } = options;
  const typing = createTyping(history, folds);
  const completing = createCompletionMenu({
    complete,
    insert: (from, { text }) => insertCompletion(text, from),
    onChange,
  });
  let search: HistorySearch | undefined;
  /** Counts the UTF-16 units of text rejected as too long; undefined when none was. */
  let refused: number | undefined;
  let top = 0;

  /** Looks for completions where they come by themselves. */
  function suggest(): void {
    if (canOpenMenu(typing.textBefore)) completing.ask(typing.textBefore, false);
    else completing.close();
  }

  function insertText(text: string, from?: number): void {
    if (!typing.insert(text, from)) refused = folds.countUnits(text);
    suggest();
  }

  function insertCompletion(text: string, from?: number): void {
    insertText(isImageMention(text) ? `${folds.foldImage(text.trim())} ` : text, from);
  }

  function enter(): KeyResult {
    const menu = completing.current;
    const taken = menu && chooseByEnter(menu, typing.textBefore);
    if (taken !== undefined) {
      insertCompletion(taken.text, menu?.from);
      // A file stands in a sentence that goes on; a command, or what it is given, is whole.
      if (taken.text.startsWith("@")) return changed;
    }
    if (typing.textBefore.endsWith("\\")) {
      insertText("\n", typing.buffer.cursor - 1);
      return changed;
    }
    completing.close();
    top = 0;
    return { result: "submit", text: typing.submit() };
  }

  function completeInput(): void {
    const menu = completing.current;
    const completion = menu?.completions[menu.chosen ?? 0];
    if (menu !== undefined && completion !== undefined) insertCompletion(completion.text, menu.from);
    else completing.ask(typing.textBefore, true);
  }

  function moveOrRecall(step: 1 | -1): void {
    if (completing.current) {
      completing.move(step);
      return;
    }
    completing.close();
    typing.moveVertically(step);
  }

  function act(action: Action): KeyResult {
    switch (action) {
      case "submit":
        return enter();
      case "newline":
        insertText("\n");
        return changed;
      case "complete":
        completeInput();
        return changed;
      case "close":
        if (!completing.menu) return unused;
        completing.close();
        return changed;
      case "search":
        completing.close();
        search = createHistorySearch(history);
        return changed;
      case "up":
      case "down":
        moveOrRecall(action === "up" ? -1 : 1);
        return changed;
      default:
        return applyAction(action);
    }
  }

  function applyAction(action: Action): KeyResult {
    const { length } = typing.buffer.text;
    const hasChanged = typing.edit(action);
    if (hasChanged === undefined) return unused;
    if (hasChanged && typing.buffer.text.length < length) suggest();
    else completing.close();
    return changed;
  }

  function press(key: Key): KeyResult {
    refused = undefined;
    if (search) {
      const pressed = pressInSearch(search, key);
      if (pressed === "go-on") return changed;
      if (pressed === "take" && search.found !== undefined) typing.set(search.found);
      search = undefined;
      return changed;
    }
    if (key.name === "paste") {
      const mentions = attachesFiles ? toPastedMentions(key.text, typing.textBefore, folds.foldImage) : key.text;
      const pasted = mentions === key.text ? folds.foldPaste(key.text) : mentions;
      if (!typing.insert(pasted)) refused = folds.countUnits(pasted);
      completing.close();
      return changed;
    }
    if (key.name === "text" && !key.ctrl && !key.alt) {
      insertText(key.text);
      return changed;
    }
    // The key of the end of the input, unless there is something to delete.
    if (key.name === "text" && key.text === "d" && typing.buffer.text === "") return unused;
    const action = findAction(key);
    return action === undefined ? unused : act(action);
  }

  function renderView(prompt: string, size: Size): Live {
    const frame = createFrame(prompt, size.columns);
    if (search) return renderSearch(search, typing.buffer.text, { prompt, size, frame, locale: locale() });
    const rows = typing.rows(frame.width);
    const { text, cursor } = typing.buffer;
    top = scroll(top, findRow(rows, cursor), getMaxRows(size, frame), rows.length);
    const { lines, cursor: place } = renderText({ prompt, text, cursor, rows, frame, top, size });
    return { lines: [...lines, ...renderBelow(size)], cursor: place };
  }

  function renderBelow(size: Size): Line[] {
    if (refused !== undefined) return [renderTooLong(refused, locale(), size.columns)];
    if (!completing.menu) return [];
    return renderMenu(completing.menu, size.columns, Math.max(1, Math.min(8, Math.floor(size.rows / 3))));
  }

  return {
    get text() {
      return typing.buffer.text;
    },
    press,
    set(text) {
      search = undefined;
      refused = undefined;
      completing.close();
      typing.set(text);
    },
    view: renderView,
  };
}

const changed: KeyResult = { result: "changed" };
const unused: KeyResult = { result: "unused" };

/** Returns true when a menu opens by itself: while a command, or a file after `@`, is being typed. */
export function canOpenMenu(textBefore: string): boolean {
  // A text that long is looked at no more at each key.
  if (textBefore.length > 200_000) return false;
  return /^\/[^\n]{0,500}$/.test(textBefore) || findMentionAtEnd(textBefore) !== undefined;
}

/** Handles a key during a history search: `take` inserts the match in the text, and `leave` leaves everything as it was. */
export function pressInSearch(search: HistorySearch, key: Key): "go-on" | "take" | "leave" {
  const { name, text, ctrl, alt } = key;
  if (name === "escape" || (ctrl && (text === "c" || text === "g"))) return "leave";
  if (ctrl && text === "r") search.older();
  else if (ctrl && text === "s") search.newer();
  else if (name === "up") search.older();
  else if (name === "down") search.newer();
  else if (name === "backspace") search.shorten();
  else if (name === "paste") search.type(text.split("\n")[0]?.slice(0, mostQueried) ?? "");
  else if (name === "text" && !ctrl && !alt) search.type(text);
  else return "take";
  return "go-on";
}

/** Renders the match and, below it, the query with the cursor behind it. */
export function renderSearch(
  { query, found }: HistorySearch,
  typed: string,
  { prompt, size, frame, locale }: { prompt: string; size: Size; frame: Frame; locale: Locale },
): Live {
  const text = found ?? typed;
  const rows = createBreakRows()(text, frame.width);
  const cursor = Math.max(0, text.toLowerCase().indexOf(query.toLowerCase()));
  const top = scroll(0, findRow(rows, cursor), getMaxRows(size, frame), rows.length);
  const { lines } = renderText({ prompt, text, cursor, rows, frame, top, size });
  const isMissing = query !== "" && found === undefined;
  const label = isMissing ? { zh: "历史中没有：", en: "not in the history: " } : { zh: "搜索历史：", en: "history: " };
  const line: Line = [{ text: say(locale, label), styles: [isMissing ? "warn" : "dim"] }, { text: query }];
  const column = countCells(say(locale, label)) + countCells(query);
  return {
    lines: [...lines, cutLine(line, size.columns)],
    cursor: { row: lines.length, column: Math.min(column, size.columns - 1) },
  };
}

const mostQueried = 1_000;

/** Searches the input history from the newest entry back. */
interface HistorySearch {
  readonly query: string;
  /** Holds the matching entry; undefined while the query is empty or nothing contains it. */
  readonly found: string | undefined;
  type(text: string): void;
  /** Takes the last character of the query away. */
  shorten(): void;
  /** Moves to the next older entry that contains the query, if there is one. */
  older(): void;
  /** Moves to the next newer entry that contains the query, if there is one. */
  newer(): void;
}

/** Small letters find capitals too. */
export function createHistorySearch(history: InputHistory): HistorySearch {
  // One of each, the newest first.
  const entries = [...new Set(history.entries.toReversed())];
  let query = "";
  let place = 0;

  const isMatch = (index: number): boolean => {
    const entry = entries[index] ?? "";
    return entry.includes(query) || entry.toLowerCase().includes(query);
  };

  function continueSearch(from: number, direction: 1 | -1): boolean {
    for (let index = from; index >= 0 && index < entries.length; index += direction) {
      if (!isMatch(index)) continue;
      place = index;
      return true;
    }
    return false;
  }

  return {
    get query() {
      return query;
    },
    get found() {
      return query !== "" && isMatch(place) ? entries[place] : undefined;
    },
    type(text) {
      query += text;
      continueSearch(place, 1);
    },
    shorten() {
      query = query.slice(0, -(Array.from(query).at(-1)?.length ?? 0) || undefined);
      if (!continueSearch(0, 1)) place = 0;
    },
    older() {
      continueSearch(place + 1, 1);
    },
    newer() {
      continueSearch(place - 1, -1);
    },
  };
}
