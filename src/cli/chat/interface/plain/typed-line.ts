import { sanitize, sanitizeLine } from "../../../../kit/text/sanitize.ts";
import { createBuffer, findPrevious, mostTyped } from "../../../terminal/editor/buffer.ts";
import type { InputHistory } from "../../../terminal/editor/editor.ts";
import { toPastedMentions } from "../../../terminal/editor/files/pasted-files.ts";
import { type Folds, noFolds } from "../../../terminal/editor/folds.ts";
import type { Key } from "../../../terminal/keys/key.ts";
import { countCells } from "../../../terminal/text/width.ts";

/** Edits a line at its end only, by adding and deleting text. */
export interface TypedLine {
  readonly text: string;
  press(key: Key): void;
  /** Puts a text in place of the line, which stays as it is where the text is too long. */
  set(text: string): void;
  /** Returns the line and begins the next one. */
  takeText(): string;
  /** Puts the line away for a while, and returns a function that puts it back. */
  setAside(): () => void;
  drop(): void;
}

export interface TypedLineOptions {
  /** Holds earlier input for the arrow keys. */
  history?: Pick<InputHistory, "entries"> | undefined;
  /** Shows long pastes and images as labels. */
  folds?: Folds | undefined;
  /** Writes to where the cursor stands: printable text, and backspaces that take it away again. */
  echo(text: string): void;
  /**
   * Reports the first time that more is typed than a line may hold, and every text that is too long to be set. The excess is left
   * out from then on.
   */
  refuse(units: number): void;
}

export function createTypedLine({ history, folds = noFolds, echo, refuse }: TypedLineOptions): TypedLine {
  let typed = "";
  /** Counts how far back in the history the line is; 0 is the line that is being typed. */
  let back = 0;
  let draft = "";
  let hasRefused = false;

  function add(text: string): void {
    const units = folds.countUnits(typed + text);
    if (units > mostTyped) {
      if (!hasRefused) refuse(units);
      hasRefused = true;
      return;
    }
    typed += text;
    echo(sanitize(text));
  }

  function drop(): void {
    typed = "";
    back = 0;
    hasRefused = false;
  }

  function cut(length: number): void {
    const kept = typed.length - length;
    const cells = countCells(typed.slice(kept));
    typed = typed.slice(0, kept);
    echo("\b \b".repeat(cells));
  }

  function set(text: string): void {
    const units = folds.countUnits(text);
    if (units > mostTyped) {
      refuse(units);
      return;
    }
    cut(typed.length);
    typed = text;
    echo(sanitize(text));
  }

  function recall(by: number): void {
    const entries = history?.entries ?? [];
    const wanted = back + by;
    if (wanted < 0 || wanted > entries.length) return;
    if (back === 0) draft = typed;
    back = wanted;
    set(back === 0 ? draft : sanitizeLine(entries[entries.length - back] ?? ""));
  }

  /** Returns where the last character begins, or the label that it closes. */
  function findLastPiece(): number {
    return folds.findAround(typed, typed.length - 1)?.from ?? findPrevious(createBuffer(typed));
  }

  /** A line end would end the line, so what is not folded goes on behind a blank. */
  function insertPaste(text: string): void {
    const mentions = toPastedMentions(text, typed, folds.foldImage);
    const pasted = mentions === text ? folds.foldPaste(text) : mentions;
    add(pasted.replace(/[\r\n\t]+/g, " "));
  }

  function handleControlKey(letter: string): void {
    if (letter === "h") cut(typed.length - findLastPiece());
    if (letter === "u") cut(typed.length);
    if (letter === "w") {
      const from = typed.length - (/\S*\s*$/.exec(typed)?.[0].length ?? 0);
      // A label goes as a whole.
      cut(typed.length - (folds.findAround(typed, from)?.from ?? from));
    }
  }

  return {
    get text() {
      return typed;
    },
    set,
    press({ name, text, ctrl, alt }) {
      if (name === "backspace") handleControlKey(ctrl || alt ? "w" : "h");
      else if (name === "up") recall(1);
      else if (name === "down") recall(-1);
      else if (name === "text" && ctrl) handleControlKey(text);
      else if (name === "paste") insertPaste(text);
      else if (name === "text" && !alt) add(text.replace(/[\r\n\t]+/g, " "));
    },
    takeText() {
      const text = typed;
      drop();
      return text;
    },
    setAside() {
      const before = { typed, back, draft };
      drop();
      return () => {
        ({ typed, back, draft } = before);
      };
    },
    drop,
  };
}
