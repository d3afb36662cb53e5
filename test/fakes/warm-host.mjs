// Runs the built program's `main` again and again in one process, each time with streams, an environment, a folder and
// listeners of its own. Its one argument is the file that exports the modules of the start.
import { AsyncLocalStorage } from "node:async_hooks";
import { PassThrough, Writable } from "node:stream";

const { main } = (await import(process.argv[2]))._bin_main_ts;
const start = process.cwd();
// Where the program would put another one in its place, this process is to go on.
process.execve = undefined;
const exit = process.exit;
const watched = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  "SIGQUIT",
  "SIGBREAK",
  "unhandledRejection",
  "uncaughtException",
  "exit",
];

/**
 * Tells which run a callback belongs to, and holds its streams: what one run still writes after its end, as a sender does that
 * tries again, is not written to the next.
 */
const runs = new AsyncLocalStorage();

async function run({ args, env, cwd, stdin }) {
  const stdout = capture();
  const stderr = capture();
  const input = new PassThrough();
  if (stdin !== null) input.end(stdin);
  const own = { stdin: input, stdout: stdout.stream, stderr: stderr.stream };
  for (const name of Object.keys(own))
    Object.defineProperty(process, name, { get: () => (runs.getStore() ?? own)[name], configurable: true });
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, process.argv[1], ...args];
  const code = await new Promise((resolve, reject) => {
    // The timer that ends a process which takes too long may come when a run is over: it must not end the next one.
    process.exit = (code) => {
      if (runs.getStore() === own) resolve(code);
    };
    runs.run(own, () => main(args)).catch(reject);
  });
  for (const name of watched) process.removeAllListeners(name);
  process.exitCode = undefined;
  process.chdir(start);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function capture() {
  const chunks = [];
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString("utf8") };
}

process.on("message", (job) => {
  run(job).then(
    (finished) => process.send(finished),
    () => exit(70),
  );
});
process.on("disconnect", () => exit(0));
process.send("ready");
