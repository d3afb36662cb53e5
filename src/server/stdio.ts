import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
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
  const transport = new StdioServerTransport();
  const ended = closing(transport);
  const handle = serveStdio(() => createMcpServer(duet, options), {
    transport,
    onerror: (error) => log(error.message),
  });
  await new Promise<void>((resolve) => {
    // It also closes by itself, for instance on a message that is too long.
    void ended.then(resolve);
    for (const event of ["end", "close", "error"]) stdin.once(event, () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await handle.close();
}

/** Settles when the transport is closed, by whomever. */
function closing(transport: StdioServerTransport): Promise<void> {
  return new Promise((resolve) => {
    const close = transport.close.bind(transport);
    transport.close = async () => {
      await close();
      resolve();
    };
  });
}
