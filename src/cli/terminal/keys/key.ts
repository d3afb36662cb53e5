/** Represents a pressed key or a pasted text. */
export interface Key {
  /**
   * `text` was typed, `paste` was pasted in one piece, and `other` is an unknown key. `focus-in` and `focus-out` are no keys: they
   * say that the terminal has the focus now, or has it no more.
   */
  readonly name:
    | "text"
    | "paste"
    | "enter"
    | "tab"
    | "escape"
    | "backspace"
    | "delete"
    | "up"
    | "down"
    | "left"
    | "right"
    | "home"
    | "end"
    | "page-up"
    | "page-down"
    | "focus-in"
    | "focus-out"
    | "other";
  /** Holds the text of `text` and `paste`; with `ctrl` or `alt`, the letter in lower case. It is empty for other keys. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}
