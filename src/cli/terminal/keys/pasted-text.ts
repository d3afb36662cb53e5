/** UTF-16 units of one paste that are kept. One more is given of a longer one, so that whoever takes it sees that it is too long. */
export const mostPasted = 1_000_000;

/** A text between the marks of a bracketed paste, piece by piece. */
export interface PastedText {
  /** Takes text up to the closing mark; gives what follows it, and undefined while the mark has not come. */
  push(text: string): string | undefined;
  /** What was pasted so far; its line ends are LF. */
  text(): string;
}

export function readPastedText(): PastedText {
  const pieces: string[] = [];
  let kept = 0;
  let held = "";

  function keep(piece: string): void {
    const rest = piece.slice(0, mostPasted + 1 - kept);
    if (rest === "") return;
    pieces.push(rest);
    kept += rest.length;
  }

  return {
    push(text) {
      const whole = held + text;
      const end = whole.indexOf(closing);
      if (end >= 0) {
        held = "";
        keep(whole.slice(0, end));
        return whole.slice(end + closing.length);
      }
      const split = whole.length - beginningAtEnd(whole);
      held = whole.slice(split);
      keep(whole.slice(0, split));
      return undefined;
    },
    text: () => (pieces.join("") + held).slice(0, mostPasted + 1).replace(/\r\n?/g, "\n"),
  };
}

const closing = "\u001b[201~";

/** How much of the closing mark stands at the end of a text. */
function beginningAtEnd(text: string): number {
  for (let length = closing.length - 1; length > 0; length--) {
    if (text.endsWith(closing.slice(0, length))) return length;
  }
  return 0;
}
