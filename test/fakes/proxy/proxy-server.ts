// A company's proxy, as a process: `node proxy-server.ts JSON`. It asks for basic authentication, alone knows where hosts are, and
// shows each https host with a certificate of its own authority. Writes what it is asked for to stdout, a JSON object a line.
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Duplex } from "node:stream";
import { certificate, certificateKey } from "./certificates.ts";

interface Options {
  /** Maps `host:port` to the port on this machine that serves it. */
  hosts: Record<string, number>;
  credentials?: string;
  /** Speaks TLS itself. */
  secure?: boolean;
}

const { hosts, credentials, secure = false }: Options = JSON.parse(process.argv[2] ?? "{}");
const tls = { cert: certificate, key: certificateKey };

function write(entry: object): void {
  process.stdout.write(`${JSON.stringify(entry)}\n`);
}

/** Logs what was asked for, and gives the refusal, if it is one. */
function judge(incoming: IncomingMessage, host: string): number | undefined {
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const isKnown = wanted === undefined || incoming.headers["proxy-authorization"] === wanted;
  const status = isKnown ? (hosts[host] === undefined ? 502 : undefined) : 407;
  write({ method: incoming.method, host, status: status ?? 200 });
  return status;
}

/** Passes a request on to the port that serves the host. */
function forward(incoming: IncomingMessage, outgoing: ServerResponse, host: string, path: string): void {
  const { "proxy-authorization": _, ...headers } = incoming.headers;
  const further = request(
    { host: "127.0.0.1", port: hosts[host], path, method: incoming.method, headers },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    },
  );
  further.on("error", () => outgoing.destroy());
  outgoing.on("close", () => further.destroy());
  incoming.pipe(further);
}

function refuse(socket: Duplex, status: number): void {
  const ask = status === 407 ? 'Proxy-Authenticate: Basic realm="proxy"\r\n' : "";
  socket.end(`HTTP/1.1 ${status} No\r\n${ask}Content-Length: 2\r\n\r\nno`);
}

const inner = createSecureServer(tls, (incoming, outgoing) => {
  const host = incoming.headers.host ?? "";
  const path = incoming.url ?? "/";
  write({ inside: host, path: `${incoming.method} ${path}` });
  forward(incoming, outgoing, host.includes(":") ? host : `${host}:443`, path);
});

const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const url = new URL(incoming.url ?? "", "http://nowhere");
  const host = `${url.hostname}:${url.port || 80}`;
  const status = judge(incoming, host);
  const ask = status === 407 ? { "proxy-authenticate": 'Basic realm="proxy"' } : {};
  if (status === undefined) forward(incoming, outgoing, host, url.pathname + url.search);
  else outgoing.writeHead(status, ask).end("no");
};

const server = secure ? createSecureServer(tls, onRequest) : createServer(onRequest);
server.on("connect", (incoming: IncomingMessage, socket: Duplex) => {
  socket.on("error", () => {});
  const host = incoming.url ?? "";
  const status = judge(incoming, host);
  if (status !== undefined) return refuse(socket, status);
  socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
  inner.emit("connection", socket);
});
inner.on("tlsClientError", (error: Error) => write({ tls: error.message }));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  write({ port: typeof address === "object" ? address?.port : undefined });
});
// What was written before an answer to a line has been read once that answer is.
process.stdin.on("data", () => write({ synced: true })).on("end", () => process.exit());
