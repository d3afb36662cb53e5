/** A key that was pressed, or a text that was pasted. */
export interface Key {
  /** `text` is what was typed, `paste` what was pasted, in one piece; `other` is a key that nobody here knows. */
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
    | "other";
  /** Of `text` and `paste`; with `ctrl` or `alt` the letter, in lower case. Empty for other keys. */
  readonly text: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}
