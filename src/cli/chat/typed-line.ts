import { printable, printableLine } from "../../core/printable.ts";
import type { InputHistory } from "../editor/editor.ts";
import type { Key } from "../terminal/key.ts";
import { cellsOf, graphemesOf } from "../terminal/width.ts";

/** A line that is typed, and taken away again, at its end. */
export interface TypedLine {
  readonly text: string;
  press(key: Key): void;
  set(text: string): void;
  /** Gives the line and begins the next one. */
  take(): string;
  /** Puts the line away for a while; what it gives puts it back. */
  setAside(): () => void;
  drop(): void;
}

export interface TypedLineOptions {
  /** What was typed before, for the arrow keys. */
  history?: Pick<InputHistory, "entries"> | undefined;
  /** Writes to where the cursor stands: printable text, and backspaces that take it away again. */
  echo(text: string): void;
}

export function createTypedLine({ history, echo }: TypedLineOptions): TypedLine {
  let typed = "";
  /** How far back in the history; 0 is the line that is typed now. */
  let back = 0;
  let draft = "";

  function add(text: string): void {
    typed += text;
    echo(printable(text));
  }

  function cut(length: number): void {
    const kept = typed.length - length;
    const cells = cellsOf(typed.slice(kept));
    typed = typed.slice(0, kept);
    echo("\b \b".repeat(cells));
  }

  function set(text: string): void {
    cut(typed.length);
    add(text);
  }

  function recall(by: number): void {
    const entries = history?.entries ?? [];
    const wanted = back + by;
    if (wanted < 0 || wanted > entries.length) return;
    if (back === 0) draft = typed;
    back = wanted;
    set(back === 0 ? draft : printableLine(entries[entries.length - back] ?? ""));
  }

  function control(letter: string): void {
    if (letter === "h") cut(graphemesOf(typed).at(-1)?.length ?? 0);
    if (letter === "u") cut(typed.length);
    if (letter === "w") cut(/\S*\s*$/.exec(typed)?.[0].length ?? 0);
  }

  return {
    get text() {
      return typed;
    },
    set,
    press({ name, text, ctrl, alt }) {
      if (name === "backspace") control(ctrl || alt ? "w" : "h");
      else if (name === "up") recall(1);
      else if (name === "down") recall(-1);
      else if (name === "text" && ctrl) control(text);
      else if (name === "paste" || (name === "text" && !alt)) add(text.replace(/[\r\n\t]+/g, " "));
    },
    take() {
      const text = typed;
      typed = "";
      back = 0;
      return text;
    },
    setAside() {
      const before = { typed, back, draft };
      typed = "";
      back = 0;
      return () => {
        ({ typed, back, draft } = before);
      };
    },
    drop() {
      typed = "";
      back = 0;
    },
  };
}
