import { createServer } from "node:http";

/** One answer, byte for byte. */
export interface Replayed {
  status?: number;
  headers?: Record<string, string>;
  body: Uint8Array | string;
}

export interface Replay {
  url: string;
  /** What every request from now on is answered with, in pieces of this many bytes; 0 sends it whole. */
  serve(answer: Replayed, pieceSize?: number): void;
  /** Connections that were opened so far. */
  connections(): number;
  close(): Promise<void>;
}

/** A server on 127.0.0.1 that answers any request with given bytes: recordings, nonsense, halves. */
export async function startReplay(): Promise<Replay> {
  let current: Replayed = { status: 500, body: "nothing to serve" };
  let size = 0;
  let connections = 0;
  const server = createServer(async (request, response) => {
    request.resume();
    const { status = 200, headers = { "content-type": "text/event-stream" }, body } = current;
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const step = size || Math.max(1, bytes.length);
    response.writeHead(status, headers);
    for (let start = 0; start < bytes.length && !response.destroyed; start += step) {
      // The reader is in this process: it finds one piece at a time only where the loop turns between two writes.
      await new Promise((resolve) => response.write(bytes.subarray(start, start + step), () => setImmediate(resolve)));
    }
    response.end();
  });
  server.on("connection", (socket) => {
    connections++;
    socket.setNoDelay(true);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    serve(answer, pieceSize = 0) {
      current = answer;
      size = pieceSize;
    },
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
