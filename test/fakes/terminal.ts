import { spawn } from "node:child_process";
import { expect, onTestFinished } from "vitest";
import { type ProgramOptions, program, programEnvironment } from "./program.ts";

/** The built program in a pseudo terminal of util-linux's `script`, 100 columns wide. */
export interface Terminal {
  type(keys: string): void;
  /** Waits until the screen has shown the text, colours left out. */
  shows(text: string): Promise<void>;
  /** All that it has shown, colours left out. */
  screen(): string;
  /** The terminal is gone, as when its window is closed. */
  vanish(): void;
  /** The exit code. */
  ended(): Promise<number | null>;
}

export async function startTerminal(args: string[], options: ProgramOptions = {}): Promise<Terminal> {
  const words = [process.execPath, program, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols 100 rows 40; exec ${words}`, "/dev/null"], {
    cwd: options.cwd,
    env: await programEnvironment(options.env),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    screen += text;
  });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    type: (keys) => void child.stdin.write(keys),
    async shows(text) {
      await expect.poll(() => plain(screen), { timeout: 10_000 }).toContain(text);
    },
    screen: () => plain(screen),
    vanish: () => void child.kill("SIGKILL"),
    ended: () => code,
  };
}

function plain(screen: string): string {
  // biome-ignore lint/complexity/useRegexLiterals: an escape character in a literal is hard to see.
  return screen.replace(new RegExp("\\u001b\\[[0-9;?]*[A-Za-z]", "g"), "");
}
