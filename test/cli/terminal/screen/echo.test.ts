import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../fakes/program.ts";
import { openPseudoTerminal } from "../../../fakes/pseudo-terminal.ts";

/** Does what is typed, a line at a time, and says so. */
const code = `
  import { openSync, readlinkSync } from "node:fs";
  import { createInterface } from "node:readline";
  const { createEcho, findEchoTerminal } = await import(${JSON.stringify(resolve("src/cli/terminal/screen/echo.ts"))});
  const stop = new AbortController();
  const echo = createEcho({ fd: findEchoTerminal(process.stdout), signal: stop.signal });
  const works = {
    off: echo.turnOff,
    on: echo.turnOn,
    abort: () => stop.abort(),
    wait() {},
    fill() {
      try {
        for (;;) openSync("/dev/null");
      } catch {}
    },
  };
  process.stderr.write("did start at " + readlinkSync("/proc/self/fd/0") + ".\\n");
  createInterface({ input: process.stdin }).on("line", (line) => {
    works[line]();
    process.stderr.write("did " + line + ".\\n");
  });
`;

/** The program in a terminal. `toLine` makes the shell's command line of it. */
async function openEcho(toLine = (program: string) => `exec ${program}`) {
  let written = "";
  let look = (): void => {};
  const program = `${process.execPath} --input-type=module -e "$CODE"`;
  const terminal = openPseudoTerminal({
    command: ["sh", "-c", toLine(program)],
    env: { ...process.env, CODE: code },
    columns: 80,
    lines: 24,
    echoes: true,
    onBytes(bytes) {
      written += bytes;
      look();
    },
  });
  onTestFinished(terminal.kill);
  let ended = false;
  void terminal.ended.then(() => {
    ended = true;
    look();
  });

  function hasDone(work: string, from: number): Promise<void> {
    return new Promise((resolve, reject) => {
      look = () => {
        if (written.includes(`did ${work}`, from)) resolve();
        else if (ended) reject(new Error(`The program ended: ${written.slice(from)}`));
      };
      look();
    });
  }

  await hasDone("start", 0);
  const [, device = ""] = /did start at (\S+)\.\s/.exec(written) ?? [];
  return {
    ...terminal,
    async does(...works: string[]) {
      for (const work of works) {
        const from = written.length;
        terminal.write(`${work}\n`);
        await hasDone(`${work}.`, from);
      }
    },
    setModes: (...modes: string[]) => execFileSync("stty", ["-F", device, ...modes]),
    echo: async () => ((await terminal.modes()).includes("echo") ? "on" : "off"),
  };
}

test("the echo is turned off and on, and an abort turns it on for good, before another program can take the place of this one", async () => {
  const { does, echo } = await openEcho();
  await does("off");
  expect(await echo()).toBe("off");
  await does("on");
  expect(await echo()).toBe("on");
  await does("off");
  expect(await echo()).toBe("off");
  await does("abort");
  expect(await echo()).toBe("on");
  await does("off");
  expect(await echo()).toBe("on");
});

test("who is continued by a shell turns the echo off again, unless it is to be on", async () => {
  const { does, echo, freeze, thaw, setModes } = await openEcho();
  await does("off");
  for (let stops = 0; stops < 2; stops++) {
    await freeze();
    setModes("echo");
    await thaw();
    await expect.poll(echo).toBe("off");
  }
  await does("on");
  await freeze();
  await thaw();
  await does("wait");
  expect(await echo()).toBe("on");
});

test("who is stopped and continued in the middle of the change turns the echo off all the same", async () => {
  const folder = await temporaryFolder();
  const changed = join(folder, "changed");
  // The first change stops the program that waits for it.
  const first = `kill -STOP $PPID; /bin/stty "$@"; touch ${changed}; exit`;
  await writeFile(join(folder, "stty"), `#!/bin/sh\n[ -e ${changed} ] || { ${first}; }\nexec /bin/stty "$@"\n`, {
    mode: 0o755,
  });
  const { echo, write, freeze, thaw, setModes } = await openEcho((program) => `PATH="${folder}:$PATH" exec ${program}`);
  write("off\n");
  await expect.poll(() => existsSync(changed)).toBe(true);
  await freeze();
  expect(await echo()).toBe("off");
  setModes("echo");
  await thaw();
  await expect.poll(echo).toBe("off");
});

test.each([
  ["stays on where another program reads the output, which may have modes of its own", " | cat", "on"],
  ["is turned off where a file takes the output", " > /dev/null", "off"],
])("the echo %s", async (_, target, expected) => {
  const { does, echo } = await openEcho((program) => program + target);
  await does("off");
  expect(await echo()).toBe(expected);
});

test("a change that fails is not tried again for every line", async () => {
  const folder = await temporaryFolder();
  const tried = join(folder, "tried");
  await writeFile(join(folder, "stty"), `#!/bin/sh\necho "$@" >> ${tried}\nexit 1\n`, { mode: 0o755 });
  const { does, echo } = await openEcho((program) => `PATH="${folder}:$PATH" exec ${program}`);
  await does("off", "off", "on", "off");
  expect(readFileSync(tried, "utf8")).toBe("-echo\n");
  expect(await echo()).toBe("on");
});

test("who cannot find out whose the terminal is leaves it alone", async () => {
  const { does, echo } = await openEcho((program) => `ulimit -n 64; exec ${program}`);
  await does("fill", "off", "on");
  expect(await echo()).toBe("on");
});
