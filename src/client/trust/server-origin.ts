import { createHash } from "node:crypto";
import type { ServerSettings } from "../../config/config.ts";
import { secretWord } from "../redact.ts";

/**
 * Returns a digest of the program or address of a server. Values that may be secret are removed before hashing, because a short
 * one could be guessed from the digest, so a new key does not make a new server. Environment and headers are not included.
 */
export function toServerOrigin({ transport }: Pick<ServerSettings, "transport">): string {
  const parts =
    transport.type === "stdio"
      ? ["stdio", transport.command, listArguments(transport.args), transport.cwd ?? null]
      : ["http", toAddress(transport.url)];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function listArguments(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const before = /^--?([\w-]+)$/.exec(args[index - 1] ?? "")?.[1];
    if (before !== undefined && secretWord.test(before)) return "…";
    if (isAddress(arg)) return toAddress(arg);
    const [, option = "", value] = /^(--?[\w-]+=|[A-Za-z_]\w*=|[\w-]+: *)(.+)$/s.exec(arg) ?? [];
    if (value !== undefined && secretWord.test(option.replace(/[=: ]+$/, ""))) return `${option}…`;
    return value === undefined ? toAddress(arg) : option + toAddress(value);
  });
}

/** Returns the address without the user, the fragment and values that may be credentials. Any other text is returned as it is. */
function toAddress(text: string): string {
  if (!isAddress(text)) return isToken(text) ? "…" : text;
  const { protocol, host, pathname, searchParams } = new URL(text);
  const path = pathname.split("/").map((segment) => (isToken(segment) ? "…" : segment));
  const query = [...searchParams].map(([name, value]) => [name, secretWord.test(name) || isToken(value) ? "…" : value]);
  return JSON.stringify([protocol, host, path, query]);
}

function isAddress(text: string): boolean {
  return text.includes("://") && URL.canParse(text);
}

/** Returns true when a text looks random. */
function isToken(text: string): boolean {
  return (
    /^[\w.~%=+-]{20,}$/.test(text) && /\d/.test(text) && /[a-z]/i.test(text) && !/\.(?:js|mjs|cjs|ts|py)$/.test(text)
  );
}
