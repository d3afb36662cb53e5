import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { isRecord } from "../../src/kit/json.ts";

/** A message on its way to the server, as far as a relay changes it. */
export interface RelayedCall {
  method: string;
  params: Record<string, unknown>;
  headers: IncomingHttpHeaders;
}

export interface Relay {
  /** Changes a call in place. What it gives is the answer, with status 400, in place of the server's. */
  onCall?(call: RelayedCall): Record<string, unknown> | undefined;
  /** Changes a line of an answer; an event and a plain answer are one line each. */
  onLine?(line: string): string;
}

export interface OpenRelay {
  url: string;
  close(): Promise<void>;
}

/** Stands between a client and a server of MCP over HTTP, and leaves as it is what a relay does not change. */
export async function openRelay(target: string, relay: Relay): Promise<OpenRelay> {
  const { host, hostname, port, pathname } = new URL(target);
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing));

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const headers = { ...incoming.headers };
    // What is told of another machine has to arrive as such.
    if (isHere(headers.host)) headers.host = host;
    if (isHere(headers.origin?.replace("http://", ""))) headers.origin = `http://${host}`;
    const { body, refusal } = change(await text(incoming), headers);
    if (refusal !== undefined) return void outgoing.writeHead(400, json).end(JSON.stringify(refusal));
    if (body !== "") headers["content-length"] = String(Buffer.byteLength(body));
    const passed = request({ hostname, port, path: pathname, method: incoming.method, headers }, (answer) => {
      const { "content-length": _, ...rest } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, rest).flushHeaders();
      void passLines(answer, outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    passed.end(body);
  }

  function change(body: string, headers: IncomingHttpHeaders): { body: string; refusal?: unknown } {
    const message = body === "" ? undefined : parse(body);
    if (!isRecord(message) || typeof message.method !== "string" || relay.onCall === undefined) return { body };
    const params = isRecord(message.params) ? message.params : {};
    const refusal = relay.onCall({ method: message.method, params, headers });
    return {
      body: JSON.stringify(message),
      refusal: refusal && { jsonrpc: "2.0", id: message.id ?? null, ...refusal },
    };
  }

  async function passLines(answer: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { onLine = (line) => line } = relay;
    let rest = "";
    try {
      for await (const piece of answer.setEncoding("utf8")) {
        const lines = `${rest}${piece}`.split("\n");
        rest = lines.pop() ?? "";
        if (lines.length > 0) outgoing.write(lines.map((line) => `${onLine(line)}\n`).join(""));
      }
      outgoing.end(onLine(rest));
    } catch {
      outgoing.destroy();
    }
  }

  // A connection that is kept has no end of its own, which a request on its way could meet.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${portOf(server.address())}${pathname}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const json = { "content-type": "application/json" };

function isHere(host: string | undefined): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host ?? "");
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** The server's names without what the gateway puts before them, in both directions. */
export function stripPrefix(prefix: string): Relay {
  return {
    onCall({ method, params, headers }) {
      const isNamed = method === "tools/call" || method === "prompts/get";
      const ref = isRecord(params.ref) && params.ref.type === "ref/prompt" ? params.ref : undefined;
      for (const named of [isNamed ? params : undefined, ref])
        if (typeof named?.name === "string") named.name = prefix + named.name;
      const name = headers["mcp-name"];
      // What is encoded there cannot be the name that the body has.
      if (headers["mcp-method"] === method && isNamed && typeof name === "string" && !name.startsWith("=?"))
        headers["mcp-name"] = prefix + name;
      return undefined;
    },
    onLine: (line) => line.replaceAll(`"name":"${prefix}`, '"name":"'),
  };
}

/** Lets a server look as one that knows no revision after 2025-11-25. */
export const asOfOlderEra: Relay = {
  onCall({ method, headers }) {
    if (method !== "server/discover" && headers["mcp-protocol-version"] !== "2026-07-28") return undefined;
    return { error: { code: -32_000, message: "Bad Request: Unsupported protocol version" } };
  },
};
