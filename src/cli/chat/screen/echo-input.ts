import type { Line } from "../../terminal/text/line.ts";

/** What was submitted, as it stays on the screen: behind its prompt, further lines below the first. */
export function renderEcho(prompt: string, text: string): Line[] {
  const lines = text.split("\n").map((line, index): Line => {
    if (index > 0) return [{ text: `  ${line}`, styles: ["strong"] }];
    return [
      { text: prompt, styles: ["accent"] },
      { text: line, styles: ["strong"] },
    ];
  });
  return [[], ...lines];
}
