import { posix, win32 } from "node:path";
import type { ServerSettings } from "../config.ts";

/** Names a server whose package may change before its next start. */
export interface UnpinnedPackage {
  server: string;
  /** Holds the package without a version: `@scope/name`. */
  name: string;
}

/**
 * Finds the servers whose launcher fetches a package by name, such as `npx -y name@latest`, in the newest version at that time.
 */
export function findUnpinnedPackages(
  servers: readonly Pick<ServerSettings, "name" | "transport">[],
): UnpinnedPackage[] {
  return servers.flatMap(({ name: server, transport }) => {
    if (transport.type !== "stdio") return [];
    const wanted = findPackage(transport.command, transport.args);
    const [, name, version = ""] = /^((?:@[^@/]+\/)?[^@/:=]+)(?:(?:@|==)(.*))?$/.exec(wanted ?? "") ?? [];
    return name === undefined || isExact(version) ? [] : [{ server, name }];
  });
}

function isExact(version: string): boolean {
  return /^=?\d+\.\d+\.\d+[\w.+-]*$/.test(version);
}

/** Returns the argument that names the package for a launcher, and undefined when the command is no launcher. */
function findPackage(command: string, args: readonly string[]): string | undefined {
  const launcher = win32.basename(posix.basename(command)).replace(/\.(?:cmd|exe|ps1)$/i, "");
  const [first = "", ...rest] = args;
  if (["npx", "pnpx", "bunx", "uvx"].includes(launcher)) return findPackageArgument(args);
  const isLauncher = `${launcher} ${first}`;
  if (["npm exec", "npm x", "pnpm dlx", "yarn dlx", "bun x", "pipx run"].includes(isLauncher)) {
    return findPackageArgument(rest);
  }
  return undefined;
}

function findPackageArgument(args: readonly string[]): string | undefined {
  for (const [index, argument] of args.entries()) {
    if (withValue.includes(args[index - 1] ?? "")) continue;
    const [, named] = /^--(?:package|from)=(.+)$/.exec(argument) ?? [];
    if (named !== undefined) return named;
    if (/^(?:-p|--package|--from)$/.test(argument)) return args[index + 1];
    if (!argument.startsWith("-")) return argument;
  }
  return undefined;
}

/** Lists the options of launchers that take the next word as their value. */
const withValue = ["--cache", "--prefix", "--registry", "--python", "--with", "--index-url", "-w", "--workspace"];
