import { sanitizeLine } from "../kit/text/sanitize.ts";
import type { Output } from "./console.ts";
import type { Echo } from "./terminal/screen/echo.ts";
import { createLine, toPlainText } from "./terminal/text/line.ts";
import { wrapLine } from "./terminal/text/wrap.ts";

/** Is one line at the bottom of a terminal that is rewritten, and goes before anything else is written. */
export interface LiveLine {
  /** Shows the last words of a text, as many as fit. */
  show(text: string): void;
  erase(): void;
}

const eraseLine = "\r\x1b[K";

/** Is assumed where the terminal does not say how wide it is. */
const usualColumns = 80;

/** `output` is a terminal that can move its cursor. Its echo is turned off before the first line; whoever passes it turns it on again. */
export function createLiveLine(output: Output & { readonly columns?: number }, echo?: Pick<Echo, "turnOff">): LiveLine {
  let isShown = false;
  return {
    show(text) {
      echo?.turnOff();
      const columns = (output.columns || usualColumns) - sign.length - 1;
      const row = wrapLine(createLine(sanitizeLine(text)), Math.max(2, columns)).at(-1) ?? [];
      output.write(`${eraseLine}${sign}${toPlainText(row)}`);
      isShown = true;
    },
    erase() {
      if (isShown) output.write(eraseLine);
      isShown = false;
    },
  };
}

const sign = "… ";
