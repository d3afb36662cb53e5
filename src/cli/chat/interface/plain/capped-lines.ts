/** Receives the lines that are piped in. */
export interface LineHandler {
  onLine(text: string): void;
  /** Reports a line that exceeds the limit and is left out whole. It is called once for the line, with its bytes so far. */
  onTooLong(bytes: number): void;
  /** Is called once when no more lines will come: the input has ended, has failed or is no longer read. */
  onEnd(): void;
}

/** Limits one line, in bytes. */
export const longestLine = 1_000_000;

/** Passes on each line of `input` from now on, also a last one without its end. Returns a function that stops the reading. */
export function readCappedLines(input: NodeJS.ReadableStream, taker: LineHandler): () => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  let isOpen = true;

  function add(part: Buffer): void {
    if (bytes > longestLine) return;
    bytes += part.length;
    parts.push(part);
    if (bytes <= longestLine) return;
    parts = [];
    taker.onTooLong(bytes);
  }

  function endLine(): void {
    const text = Buffer.concat(parts).toString("utf8").replace(/\r$/, "");
    const isWhole = bytes <= longestLine;
    parts = [];
    bytes = 0;
    if (isWhole) taker.onLine(text);
  }

  function read(chunk: Uint8Array | string): void {
    const piece = Buffer.from(chunk);
    let from = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
      add(piece.subarray(from, end));
      from = end + 1;
      endLine();
    }
    if (from < piece.length) add(piece.subarray(from));
  }

  function endChat(): void {
    if (bytes > 0) endLine();
    stop();
  }

  function stop(): void {
    if (!isOpen) return;
    isOpen = false;
    input.off("data", read).off("end", endChat).off("close", endChat);
    input.pause();
    taker.onEnd();
  }

  input.on("data", read).on("end", endChat).on("close", endChat).on("error", endChat);
  return stop;
}
