import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { programEnvironment } from "../fakes/program.ts";

/** What is left of a run in a program that embeds Duet, once it is over and garbage was collected. */
export interface Left {
  /** How the run ended; `left`: its reader left the stream. */
  status: string;
  /** Of the objects that the run made, how many there were, and how many are held still. */
  seen: Record<"context" | "signal" | "event", number>;
  held: Record<"context" | "signal" | "event", number>;
  /** That listen to the signal which the program gave along. */
  listeners: number;
  /** That run after `close`. */
  timers: number;
}

export interface RunToLeave {
  provider: string;
  mode: "agent" | "chat";
  how: "finished" | "left" | "stopped" | "cut";
  /** Holds what the run has made, which shows that the check can fail. */
  keep?: boolean;
}

/** Runs one question in a process of its own. */
export async function leftOfRun({ provider, mode, how, keep = false }: RunToLeave): Promise<Left> {
  const env = await programEnvironment({
    PROVIDER: provider,
    MODE: mode,
    HOW: how,
    OPENAI_API_KEY: "sk-test-openai-0001",
    ...(keep && { KEEP: "1" }),
  });
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", resolve("test/spec/released.mjs")], {
    env,
  });
  return JSON.parse(stdout);
}
