import { fstatSync } from "node:fs";
import { DuetError } from "../kit/errors.ts";
import type { Console } from "./console.ts";

const mostBytes = 1_000_000;

/**
 * Reads the question of `duet ask`: the argument, the text on stdin (`-` or no argument), or both, stdin last. Returns an empty
 * string when there was none. Throws a `config` error for more than 1 MB.
 */
export async function readQuestion(argument: string | undefined, { stdin }: Pick<Console, "stdin">): Promise<string> {
  const given = argument === "-" ? undefined : argument;
  if (stdin.isTTY) return given?.trim() ?? "";
  const piped = await readAll(stdin, given === undefined ? undefined : getWaitMs());
  return [given, piped]
    .filter((part) => part?.trim())
    .join("\n\n")
    .trim();
}

/**
 * Returns how long to wait for the first byte of stdin when a question was given, in milliseconds. A shell's pipe writes or
 * ends, so there is no limit for it; the socket that one program gets from another (Node's `spawn`) is often just left open.
 */
function getWaitMs(): number | undefined {
  try {
    return fstatSync(0).isSocket() ? 300 : undefined;
  } catch {
    return 300;
  }
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
  if (bytes > mostBytes) throw tooLongError();
  return Buffer.concat(chunks).toString("utf8");
}

function tooLongError(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `标准输入超过 ${mostBytes} 字节（允许：最多 ${mostBytes} 字节）`,
      en: `stdin holds more than ${mostBytes} bytes (allowed: at most ${mostBytes})`,
    },
  });
}
