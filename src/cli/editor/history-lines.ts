/** An entry as a line of the file, its end included. */
export function lineOf(text: string): string {
  return `${JSON.stringify({ text })}\n`;
}

/** The entries of such lines; a damaged line is left out. */
export function entriesOf(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const text = textOf(line);
    return text === undefined || text.trim() === "" ? [] : [text];
  });
}

function textOf(line: string): string | undefined {
  if (line.trim() === "") return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    const isEntry = typeof entry === "object" && entry !== null && "text" in entry && typeof entry.text === "string";
    return isEntry ? String(entry.text) : undefined;
  } catch {
    return undefined;
  }
}
