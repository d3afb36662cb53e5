import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { DuetError } from "../../kit/errors.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";

/**
 * Checks that an address may be opened in a browser: `https`, or `http` on this machine. Servers choose the address, and some
 * systems run programs for other schemes (CVE-2025-6514). Throws the error for a rejected address.
 */
export function checkBrowserAddress({ protocol, hostname, username, password, origin }: URL): void {
  const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(hostname) || hostname.endsWith(".localhost");
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopback);
  if (isSafe && username === "" && password === "") return;
  const shown = toShortLine(origin === "null" ? protocol : origin, 100);
  throw new DuetError({
    code: "auth",
    text: {
      zh: `授权服务器给出的登录网址不安全，没有打开（${shown}；允许：https）`,
      en: `the sign-in address of the authorization server is not safe and was not opened (${shown}; allowed: https)`,
    },
  });
}

/** Opens the address in the user's browser, without a shell. Never throws: it is printed too. */
export function openBrowser(url: URL, platform: NodeJS.Platform = process.platform): void {
  const { command, args } = toBrowserCommand(url, platform);
  try {
    // Windows looks for a program in the working directory first, which may be anybody's.
    const cwd = dirname(process.execPath);
    const child = spawn(command, args, { stdio: "ignore", detached: true, shell: false, cwd });
    child.on("error", () => {}).unref();
  } catch {
    // There is no browser here.
  }
}

/** Returns the command that opens an address on a platform; the address is one argument. */
export function toBrowserCommand(url: URL, platform: NodeJS.Platform): { command: string; args: string[] } {
  if (platform === "darwin") return { command: "open", args: [url.href] };
  if (platform === "win32") return { command: "rundll32", args: ["url.dll,FileProtocolHandler", url.href] };
  return { command: "xdg-open", args: [url.href] };
}
