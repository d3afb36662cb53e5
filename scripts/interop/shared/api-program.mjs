// Plays a scenario with a coding agent: runs its command once with the question, in a folder with a file that only its tools can read,
// and interrupts it in the scenario `cancel`. What lies in the client's folder `home` is put into HOME first.
// `node api-program.mjs COMMAND [ARGUMENT...] [+SCENARIO [ARGUMENT...]]... SCENARIO`; arguments behind `+SCENARIO` are only given in it,
// and `{NAME}` stands for the variable NAME.
import { spawn } from "node:child_process";
import { cpSync, existsSync } from "node:fs";
import { resolve } from "node:path";

const [command, ...rest] = process.argv.slice(2);
const scenario = rest.pop();
const { env } = process;

const fill = (text) => text.replaceAll(/\{([A-Z_]+)\}/g, (whole, name) => env[name] ?? whole);

function chooseArguments() {
  let only;
  return rest.flatMap((argument) => {
    if (/^\+[a-z]*$/.test(argument)) {
      only = argument.slice(1) || undefined;
      return [];
    }
    return only === undefined || only === scenario ? [fill(argument)] : [];
  });
}

function runProgram() {
  const given = Object.entries({ ...env, PWD: env.DUET_WORK });
  const filled = Object.fromEntries(given.map(([name, value]) => [name, fill(value)]));
  const child = spawn(command, chooseArguments(), {
    cwd: env.DUET_WORK,
    env: filled,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let answer = "";
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
      if (stream === child.stdout) answer += text;
      process.stderr.write(text);
    });
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code, signal) =>
      done({ answer, output, failure: signal ?? (code ? `exit code ${code}` : undefined) }),
    );
  });
}

const line = { scenario };
try {
  if (existsSync("home")) cpSync(resolve("home"), env.HOME, { recursive: true });
  const ended = runProgram();
  if (scenario === "cancel") {
    await Promise.race([fetch(env.INTEROP_STARTED), ended]);
    // Does what Ctrl-C does in a terminal: every process of the group gets the signal.
    process.on("SIGINT", () => {});
    process.kill(0, "SIGINT");
    await fetch(env.INTEROP_ENDED);
  }
  const { answer, output, failure } = await ended;
  if (scenario === "errors") line.failed = output;
  else {
    line.text = answer;
    if (failure && scenario !== "cancel") line.error = `${failure}: ${output.slice(-300)}`;
  }
} catch (error) {
  line.error = `${error.name}: ${error.message}`.slice(0, 600);
}
console.log(`\n${JSON.stringify(line)}`);
