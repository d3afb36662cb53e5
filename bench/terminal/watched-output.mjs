/** A stand-in for stdout that sees whether a marked line is written once more after it was finished. */
export function watchedOutput(columns, rows) {
  const written = new Set();
  const due = new Set();
  const rewritten = [];
  const marks = (text) => text.match(/@\d+@(?:\.\d+)?/g) ?? [];
  const stdout = {
    columns,
    rows,
    writable: true,
    bytes: 0,
    rewritten,
    get finished() {
      return written.size + due.size;
    },
    finishes(lines) {
      for (const line of lines) for (const mark of marks(line.map(({ text }) => text).join(""))) due.add(mark);
    },
    write(text) {
      stdout.bytes += Buffer.byteLength(text);
      const shown = new Set(marks(text));
      for (const mark of shown) if (written.has(mark)) rewritten.push(mark);
      for (const mark of due)
        if (shown.has(mark)) {
          due.delete(mark);
          written.add(mark);
        }
      return true;
    },
    on() {},
    off() {},
  };
  return stdout;
}
