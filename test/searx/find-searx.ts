import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Requirement } from "../runner/requirements.ts";

const run = promisify(execFile);

export type Found = { python: string } | { missing: string };

const command = "apt-get install -y --no-install-recommends searx";

/**
 * The Python that has searx. Where none has, Debian's package is installed, but only by root and where CI=true or
 * DUET_INSTALL_SEARX=1 asks for it; else says why there is none and what to do. Never throws; every step has a limit.
 */
export async function findSearx(environment: NodeJS.ProcessEnv = process.env): Promise<Found> {
  const found = await findPython();
  if (found !== undefined) return { python: found };
  const wanted = environment.CI === "true" || environment.DUET_INSTALL_SEARX === "1";
  if (!wanted) return { missing: "searx is not installed" };
  if (process.getuid?.() !== 0) return { missing: "searx is not installed, and only root can" };
  try {
    const [program = "", ...args] = command.split(" ");
    await run(program, args, {
      env: { ...environment, DEBIAN_FRONTEND: "noninteractive" },
      timeout: 120_000,
      killSignal: "SIGKILL",
    });
  } catch (thrown) {
    return { missing: `searx cannot be installed: ${lastLine(thrown)}` };
  }
  const installed = await findPython();
  return installed === undefined ? { missing: "no Python has the searx that was installed" } : { python: installed };
}

export function searx(found: Found): Requirement {
  return {
    what: "searx",
    isMet: "python" in found,
    reason: "missing" in found ? found.missing : "",
    remedy: `install it on Debian or Ubuntu as root (${command}), or let the tests do so with DUET_INSTALL_SEARX=1`,
  };
}

async function findPython(): Promise<string | undefined> {
  const check = "import importlib.util, sys; sys.exit(importlib.util.find_spec('searx') is None)";
  for (const python of ["/usr/bin/python3", "python3"]) {
    try {
      await run(python, ["-c", check], { timeout: 20_000, killSignal: "SIGKILL" });
      return python;
    } catch {
      // Not there, or without searx.
    }
  }
  return undefined;
}

function lastLine(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
}
