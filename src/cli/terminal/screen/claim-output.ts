import { StringDecoder } from "node:string_decoder";
import type { ScreenOutput } from "./screen.ts";

/** Represents a stream, to the terminal or elsewhere, that other code in the process may also write to. */
export interface SharedOutput extends ScreenOutput {
  readonly isTTY?: boolean | undefined;
  write(
    chunk: string | Uint8Array,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void,
  ): boolean;
}

export interface ClaimedOutput {
  /** Is reserved for the screen. */
  readonly stdout: ScreenOutput;
  /** Gives the streams back; what came without a line end comes as a line. */
  release(): void;
}

/** Limits an unterminated line, in characters. */
const longestLine = 10_000;

/**
 * Keeps the terminal for the screen. What else in the process writes to stdout, or to an stderr that is the terminal too, such as
 * a module of the user's, would drive the terminal and tear what stands there: it comes to `heard` instead, line by line, not
 * cleaned yet.
 */
export function claimOutput(
  { stdout, stderr }: { readonly stdout: SharedOutput; readonly stderr: SharedOutput },
  heard: (line: string) => void,
): ClaimedOutput {
  const write = stdout.write.bind(stdout);
  const claimed = [stdout, stderr].filter(({ isTTY }) => isTTY).map((stream) => listenTo(stream, heard));
  return {
    stdout: {
      get columns() {
        return stdout.columns;
      },
      get rows() {
        return stdout.rows;
      },
      get writable() {
        return stdout.writable;
      },
      write: (text) => write(text),
      on: (event, listener) => stdout.on(event, listener),
      off: (event, listener) => stdout.off(event, listener),
    },
    release() {
      for (const giveBack of claimed) giveBack();
    },
  };
}

function listenTo(stream: SharedOutput, heard: (line: string) => void): () => void {
  const { write } = stream;
  const decoder = new StringDecoder("utf8");
  let rest = "";
  stream.write = (chunk, encoding, done) => {
    rest += typeof chunk === "string" ? chunk : decoder.write(chunk);
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > longestLine) lines.push(rest);
    if (rest.length > longestLine) rest = "";
    for (const line of lines) heard(line.replace(/\r$/, ""));
    const callback = typeof encoding === "function" ? encoding : done;
    if (callback) queueMicrotask(callback);
    return true;
  };
  return () => {
    stream.write = write;
    if (rest !== "") heard(rest);
    rest = "";
  };
}
