import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { claimStdout } from "../mcp/serve-stdio.ts";
import { createEditorAgent, type EditorAgentOptions } from "./editor-agent.ts";

export interface AcpServerOptions extends EditorAgentOptions {
  stdin: NodeJS.ReadableStream;
  /** Belongs to the protocol from now on; what others write to it goes to `stderr`. */
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  signal: AbortSignal;
}

/** Limits a message from an editor, in bytes: a prompt may bring images. */
const messageLimit = 32_000_000;

/** Serves editors over ACP on stdio until the editor leaves or the signal aborts. What is running then is cancelled. */
export async function serveOverAcp(options: AcpServerOptions): Promise<void> {
  const { stdin, stdout, stderr, signal } = options;
  const out = claimStdout(stdout, stderr);
  const served = createEditorAgent(options);
  const stream = ndJsonStream(
    Writable.toWeb(out.stream),
    Readable.toWeb(new Readable().wrap(stdin)) as ReadableStream<Uint8Array>,
    { maxMessageBytes: messageLimit },
  );
  const connection = served.connect(stream);
  const stop = (): void => connection.close();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  await connection.closed;
  signal.removeEventListener("abort", stop);
  await served.close();
  await out.release();
}
