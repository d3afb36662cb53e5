// Starts the program behind a tap: each line that a client sends over stdio, and each that it is sent, is handed on and written down.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

/** `args` are those that the client gave; without `--config` in them, the configuration of the scenario is added. */
export function startTapped({ node, program, config, home, log }, args) {
  const named = args.includes("--config") ? args : [...args, "--config", config];
  const env = { ...process.env, DUET_HOME: home, LANG: "C.UTF-8", LC_ALL: "C.UTF-8" };
  const child = spawn(node, [program, ...named], { stdio: ["pipe", "pipe", "inherit"], env });
  copyLines(process.stdin, child.stdin, (line) => record(log, "in", line));
  copyLines(child.stdout, process.stdout, (line) => record(log, "out", line));
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // A client that is gone closes its pipe; the program notices that by itself.
  process.stdout.on("error", () => {});
  child.stdin.on("error", () => {});
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
    process.stdin.destroy();
  });
}

function copyLines(from, to, onLine) {
  let rest = "";
  from.setEncoding("utf8");
  from.on("data", (text) => {
    to.write(text);
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
  from.on("end", () => to.end());
}

function record(log, direction, line) {
  try {
    appendFileSync(log, `${JSON.stringify({ at: Date.now(), direction, message: JSON.parse(line) })}\n`);
  } catch {
    // A line that is no message is the program's matter; the client gets it as it is.
  }
}
