// Loaded before the conformance suite: where that starts a client, its task goes to the process of the tests instead, and no
// process starts. The command is the socket on which that process listens.
import child_process from "node:child_process";
import { EventEmitter } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import { connect } from "node:net";
import { PassThrough } from "node:stream";

child_process.spawn = (socket, [url], { env }) => {
  const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = "{}" } = env;
  const connection = connect(socket);
  const child = new EventEmitter();
  connection.on("error", (error) => child.emit("error", error));
  connection.on("close", () => child.emit("close", 0));
  connection.end(JSON.stringify({ scenario, context: JSON.parse(context), url }));
  const stderr = connection.pipe(new PassThrough());
  return Object.assign(child, { stderr, stdout: null, kill: () => connection.destroy() });
};
syncBuiltinESMExports();
