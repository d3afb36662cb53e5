import type { Output } from "../../console.ts";
import type { KeyInput } from "../../terminal/keys/read-keys.ts";

/** The streams of a process, or what stands for them. */
export interface PlainConsole {
  readonly stdin: KeyInput;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Whether somebody types and sees what is asked. */
export function isTyped({ stdin, stdout }: PlainConsole): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}
