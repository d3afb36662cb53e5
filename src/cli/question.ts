import type { Console } from "./console.ts";

/** How long a given question waits for the first byte of a pipe that may never write, in milliseconds. */
const patienceMs = 3_000;
const mostBytes = 1_000_000;

/**
 * The question of `duet ask`: the argument, the text on stdin (`-` or no argument), or both, stdin last. An empty
 * string means that there was none.
 */
export async function readQuestion(argument: string | undefined, { stdin }: Pick<Console, "stdin">): Promise<string> {
  const given = argument === "-" ? undefined : argument;
  if (stdin.isTTY) return given?.trim() ?? "";
  const piped = await readAll(stdin, given === undefined ? undefined : patienceMs);
  return [given, piped]
    .filter((part) => part?.trim())
    .join("\n\n")
    .trim();
}

async function readAll(stdin: NodeJS.ReadStream, firstByteMs: number | undefined): Promise<string> {
  const timer = firstByteMs === undefined ? undefined : setTimeout(() => stdin.destroy(), firstByteMs);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stdin) {
      clearTimeout(timer);
      chunks.push(Buffer.from(chunk));
      bytes += chunk.length;
      if (bytes > mostBytes) break;
    }
  } catch {
    // A stdin that cannot be read (closed, or given up on) has nothing to say.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString("utf8").slice(0, mostBytes);
}
