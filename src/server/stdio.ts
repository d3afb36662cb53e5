import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Duet } from "../app.ts";
import { createMcpServer, type FaceOptions } from "./mcp.ts";

export interface StdioFace extends FaceOptions {
  duet: Duet;
  stdin: NodeJS.ReadableStream;
  /** One line for the operator; never stdout, which belongs to the protocol. */
  log(line: string): void;
  signal: AbortSignal;
}

/** Serves MCP over stdio until the client leaves or the signal aborts. */
export async function serveOverStdio({ duet, stdin, log, signal, ...options }: StdioFace): Promise<void> {
  const handle = serveStdio(() => createMcpServer(duet, options), { onerror: (error) => log(error.message) });
  await new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) stdin.once(event, () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await handle.close();
}
