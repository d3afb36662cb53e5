/**
 * Keeps the PostgreSQL servers of a test run, in a process of its own: `node keeper.ts`. It writes its address as a line, and ends with all
 * servers when its stdin ends, which it does whatever becomes of the run.
 *
 *   POST /shared            the server that all test files share
 *   POST /servers           one more, of the caller's own, with `settings`
 *   POST /servers/N/VERB    `kill`, `start` or `stop` it
 */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { createServers, type Server } from "./servers.ts";

const servers = createServers();
const own: Server[] = [];
let shared: Promise<Server> | undefined;

const verbs: Record<string, (server: Server) => Promise<void>> = {
  kill: (server) => server.kill(),
  start: (server) => server.startAgain(),
  stop: (server) => server.stop(),
};

async function answer(request: IncomingMessage) {
  const [, what, n, verb = ""] = (request.url ?? "").split("/");
  if (what === "shared") {
    // Commits are as safe as the server, which nobody ends. Chaos tests ask when they were made.
    shared ??= servers.start(["max_connections=300", "synchronous_commit=off", "track_commit_timestamp=on"]);
    return describe(0, await shared);
  }
  if (n === undefined) {
    const server = await servers.start(toSettings(await json(request)));
    return describe(own.push(server) - 1, server);
  }
  const server = own[Number(n)];
  if (server === undefined) throw new Error(`no server ${n}`);
  await verbs[verb]?.(server);
  return describe(Number(n), server);
}

function describe(n: number, { url, pid }: Server) {
  return { n, url, pid };
}

function toSettings(given: unknown): string[] {
  return Array.isArray(given) ? given.map(String) : [];
}

const face = createServer((request, response) => {
  answer(request).then(
    (told) => response.setHeader("connection", "close").end(JSON.stringify(told)),
    (thrown: unknown) => response.writeHead(500, { connection: "close" }).end(String(thrown)),
  );
}).listen(0, "127.0.0.1");
await once(face, "listening");
const address = face.address();
if (typeof address === "object") process.stdout.write(`http://127.0.0.1:${address?.port}\n`);

// A terminal sends its signals to all processes of a run. This one ends after them.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
process.stdin.resume();
await once(process.stdin, "close");
face.close();
await servers.end();
process.exit();
