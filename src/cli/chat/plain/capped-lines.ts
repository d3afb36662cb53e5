/** What comes of the lines that are piped in. */
export interface LineHandler {
  line(text: string): void;
  /** A line outgrew the limit and is left out, its end too; called once for it, with its bytes so far. */
  tooLong(bytes: number): void;
  /** No more lines will come: the input has ended, has failed or is no longer read. Called once. */
  end(): void;
}

/** Bytes of a line. */
export const longestLine = 1_000_000;

/** Gives each line of `input` from now on, also a last one without its end. What it gives stops the reading. */
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
    taker.tooLong(bytes);
  }

  function endLine(): void {
    const text = Buffer.concat(parts).toString("utf8").replace(/\r$/, "");
    const isWhole = bytes <= longestLine;
    parts = [];
    bytes = 0;
    if (isWhole) taker.line(text);
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

  function end(): void {
    if (bytes > 0) endLine();
    stop();
  }

  function stop(): void {
    if (!isOpen) return;
    isOpen = false;
    input.off("data", read).off("end", end).off("close", end);
    input.pause();
    taker.end();
  }

  input.on("data", read).on("end", end).on("close", end).on("error", end);
  return stop;
}
