import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { compileCache, temporaryFolder } from "../program.ts";
import { authority } from "./certificates.ts";

export interface ProxyEntry {
  method?: string;
  /** `host:port` */
  host?: string;
  status?: number;
  /** The host of a request inside a tunnel, and what it asked for. */
  inside?: string;
  path?: string;
}

export interface FakeProxy {
  /** Its address with credentials. */
  url: string;
  /** Its address alone. */
  origin: string;
  password: string;
  /** All that it was asked for until now. */
  log(): Promise<ProxyEntry[]>;
  /** The hosts that it was asked for, each once. */
  hosts(): Promise<string[]>;
  /** The requests inside tunnels, as `host METHOD path`. */
  requests(): Promise<string[]>;
}

const user = "ada";
/** Needs percent-encoding, and is long enough to be looked for in all output. */
const password = "geheim@proxy:4711";

/**
 * Starts the proxy of `proxy-server.ts` in a process of its own. `hosts` maps `host:port` to a port on this machine; no host of it can
 * be found without the proxy.
 */
export async function startProxy(hosts: Record<string, number>, secure = false): Promise<FakeProxy> {
  const options = JSON.stringify({ hosts, secure, credentials: `${user}:${password}` });
  const child = spawn(process.execPath, [join(import.meta.dirname, "proxy-server.ts"), options], {
    env: { PATH: process.env.PATH, ...compileCache() },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const entries: ProxyEntry[] = [];
  const waiting: (() => void)[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once("exit", (code) => reject(new Error(`The proxy ended with ${code}`)));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { port, synced, ...entry }: ProxyEntry & { port?: number; synced?: true } = JSON.parse(line);
    if (port !== undefined) resolve(port);
    else if (synced) waiting.shift()?.();
    else entries.push(entry);
  });
  const log = async (): Promise<ProxyEntry[]> => {
    const { promise: synced, resolve: wake } = Promise.withResolvers<void>();
    waiting.push(wake);
    child.stdin.write("\n");
    await synced;
    return entries;
  };
  const scheme = secure ? "https" : "http";
  const origin = `${scheme}://127.0.0.1:${await promise}`;
  const unique = (texts: string[]): string[] => [...new Set(texts)].sort();
  return {
    url: origin.replace("//", `//${user}:${encodeURIComponent(password)}@`),
    origin,
    password,
    log,
    hosts: async () => unique((await log()).flatMap(({ host }) => host ?? [])),
    requests: async () =>
      unique((await log()).flatMap(({ inside, path }) => (inside === undefined ? [] : [`${inside} ${path}`]))),
  };
}

/** Writes the certificate of the proxy's authority into a file; gives its path. */
export async function writeAuthority(): Promise<string> {
  const file = join(await temporaryFolder(), "company-ca.pem");
  await writeFile(file, authority);
  return file;
}

/** The port of an address on this machine. */
export function portOf(url: string): number {
  return Number(new URL(url).port);
}
