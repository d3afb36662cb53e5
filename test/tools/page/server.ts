import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";

export interface PageServer {
  url: string;
  /** The paths that were asked for, in order. */
  asked: string[];
  requests: IncomingMessage[];
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A web server on a free port of 127.0.0.1, until the test ends: pages by path, as HTML text or written by hand. */
export async function servePages(pages: Record<string, string | Answer>): Promise<PageServer> {
  const asked: string[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    requests.push(request);
    const page = pages[request.url ?? ""];
    if (typeof page === "function") page(response, request);
    else if (page === undefined) response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not found</h1>");
    else response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { url: `http://127.0.0.1:${address.port}`, asked, requests };
}

/** An answer of that type. */
export function body(type: string, content: string | Uint8Array, status = 200): Answer {
  return (response) => void response.writeHead(status, { "content-type": type }).end(content);
}
