import { posix, win32 } from "node:path";

/** Lists programs that fetch a server before they start it. */
const launchers = new Set(["npx", "bunx", "pnpx", "uvx", "uv", "pipx", "docker", "podman"]);

/** Returns the name of the launcher that a command is, and undefined for any other program. */
export function findLauncher(command: string): string | undefined {
  const name = win32.basename(posix.basename(command)).replace(/\.(cmd|exe)$/i, "");
  return launchers.has(name) ? name : undefined;
}
