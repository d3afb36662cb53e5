// Starts Duet's HTTP server for the clients with the transport `http`, behind a relay that writes the messages down.
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { endGroup, startProcess } from "./processes.mjs";
import { startRelay } from "./wire-record.mjs";

/** Returns once the server listens. It gets `limitMs` for that, and again to end when it is closed. */
export async function serveHttp({ node, program, config, home, serverLog }, limitMs) {
  const port = await findFreePort();
  const args = [program, "serve", "--http", String(port), "--config", config];
  const log = openSync(serverLog, "w");
  const env = { ...process.env, DUET_HOME: home };
  const { child, exited } = startProcess(node, args, { env, stdio: ["ignore", "ignore", log] });
  closeSync(log);
  try {
    await waitUntilServing(child, port, limitMs);
  } catch (error) {
    endGroup(child);
    const reason = readFileSync(serverLog, "utf8").trim().split("\n").at(-1);
    throw reason ? new Error(`${error.message}: ${reason}`) : error;
  }
  const relay = await startRelay(port);
  const close = async () => {
    relay.close();
    child.kill();
    const hasExited = await Promise.race([exited.then(() => true), pause(limitMs, false, { ref: false })]);
    if (!hasExited) console.error(`duet serve did not end within ${limitMs / 1000} s of SIGTERM and is killed`);
    endGroup(child);
  };
  return { relay, close };
}

async function waitUntilServing(child, port, limitMs) {
  const limit = AbortSignal.timeout(limitMs);
  while (!(await isServing(port, limit))) {
    const { exitCode, signalCode } = child;
    const end = signalCode ? `was ended by ${signalCode}` : exitCode === null ? "" : `ended with exit code ${exitCode}`;
    if (end) throw new Error(`duet serve ${end} before it listened on port ${port}`);
    if (limit.aborted) throw new Error(`duet serve did not listen on port ${port} within ${limitMs / 1000} s`);
    await pause(100);
  }
}

function isServing(port, signal) {
  return fetch(`http://127.0.0.1:${port}/healthz`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function findFreePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}
