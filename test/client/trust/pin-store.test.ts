import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { createPinStore } from "../../../src/client/trust/pin-store.ts";
import type { ServerPins } from "../../../src/client/trust/pins.ts";
import { toServerOrigin } from "../../../src/client/trust/server-origin.ts";
import { ordinaryUser, requires, unix } from "../../runner/requirements.ts";
import { temporaryFolder } from "../servers.ts";
import { serverNamed, versioned } from "./stored.ts";
import { tool } from "./tools.ts";

const run = promisify(execFile);
const mail = serverNamed("mail");
const pins: ServerPins = {
  origin: toServerOrigin(mail),
  era: "modern",
  tools: [
    tool({ annotations: { title: "Send", readOnly: false, openWorld: true }, outputSchema: { type: "object" } }),
    tool({ name: "__proto__", inputSchema: JSON.parse('{"type":"object","properties":{"__proto__":{}}}') }),
  ],
};
const nothing = { pins: undefined, problem: undefined };

function fileIn(home: string): string {
  const [name = ""] = readdirSync(join(home, "pins"));
  return join(home, "pins", name);
}

function writeFromAnotherProcess(home: string, prefix: string, count: number): Promise<unknown> {
  const script = join(import.meta.dirname, "pin-process.ts");
  return run(process.execPath, [script, home, "mail", prefix, String(count)]);
}

describe.each(["on disk", "in memory"])("pins %s", (where) => {
  const open = () => createPinStore(where === "on disk" ? temporaryFolder() : undefined);

  test("are given back as they were written, and the last ones count", async () => {
    const store = open();
    expect(await store.read(mail)).toEqual(nothing);
    await store.write(mail, versioned("mail", "old"));
    await store.write(mail, pins);
    expect(await store.read(mail)).toEqual({ pins, problem: undefined });
    expect(await store.hasChanged(mail)).toBe(false);
  });

  test("of another program under the same name are not given, and no problem either", async () => {
    const store = open();
    await store.write(mail, pins);
    expect(await store.read(serverNamed("mail", ["other"]))).toEqual(nothing);
  });

  test("of two servers stay apart, also where only a capital is different", async () => {
    const store = open();
    const others = ["Mail", "m/ail", "../mail", "mail ", "邮件", "con", "", "x".repeat(300)].map((name) =>
      serverNamed(name),
    );
    await store.write(mail, pins);
    for (const other of others) expect(await store.read(other)).toEqual(nothing);
    for (const other of others) await store.write(other, { origin: toServerOrigin(other), tools: [] });
    expect((await store.read(mail)).pins).toEqual(pins);
  });

  test("written all at once are written one after the other", async () => {
    const store = open();
    await Promise.all(["1", "2", "3"].map((version) => store.write(mail, versioned("mail", version))));
    expect(await store.read(mail)).toEqual({ pins: versioned("mail", "3"), problem: undefined });
  });
});

test("the files are the user's alone, with plain names, and nothing else is left", async () => {
  const home = join(temporaryFolder(), "not/there/yet");
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  const store = createPinStore(home);
  for (const name of ["mail", "../a b/邮件"]) {
    await store.write(serverNamed(name), versioned(name, "1"));
    await store.write(serverNamed(name), versioned(name, "2"));
  }
  const names = readdirSync(join(home, "pins"));
  expect(names).toHaveLength(2);
  for (const name of names) expect(name).toMatch(/^[a-z0-9_-]{1,60}\.json$/);
  expect(statSync(join(home, "pins")).mode & 0o777).toBe(0o700);
  expect(statSync(fileIn(home)).mode & 0o777).toBe(0o600);
});

test("neither secrets nor what could be guessed from a digest are written", async () => {
  const home = temporaryFolder();
  const transport = {
    type: "stdio" as const,
    command: "npx",
    args: ["mail", "--pin", "sk-CANARY-1", "https://u:sk-CANARY-2@mail.example/?key=sk-CANARY-3"],
    env: { KEY: "sk-CANARY-4" },
    inheritEnv: [],
  };
  const settings = { ...mail, transport };
  await createPinStore(home).write(settings, { origin: toServerOrigin(settings), tools: [] });
  expect(readFileSync(fileIn(home), "utf8")).not.toContain("CANARY");
});

describe("a file that cannot be used", () => {
  test.each([
    ["empty", ""],
    ["cut off", '{"version":1,"origin":"x","too'],
    ["something else", '{"tools":[]}'],
    ["of a later Duet", JSON.stringify({ version: 2, origin: pins.origin, tools: [] })],
    ["with a tool that is none", JSON.stringify({ version: 1, origin: pins.origin, tools: [{ name: "send" }] })],
    [
      "with a flag that is none",
      JSON.stringify({ version: 1, ...pins, tools: [{ ...tool(), annotations: { readOnly: 1 } }] }),
    ],
    ["nested too deeply", `{"version":1,"origin":"x","tools":${"[".repeat(200_000)}${"]".repeat(200_000)}}`],
  ])("because it is %s is said to be damaged, and the next write mends it", async (_, text) => {
    const home = temporaryFolder();
    const store = createPinStore(home);
    await store.write(mail, pins);
    writeFileSync(fileIn(home), text);
    expect(await store.read(mail)).toEqual({
      pins: undefined,
      problem: {
        zh: "已批准的 mail 工具的记录已损坏，它的工具需要重新批准",
        en: "The record of approved tools of mail is damaged; its tools have to be approved again",
      },
    });
    await store.write(mail, pins);
    expect((await store.read(mail)).pins).toEqual(pins);
  });

  test("because it is a directory, or stands where the folder belongs, is a problem and no crash", async () => {
    const home = temporaryFolder();
    await createPinStore(home).write(mail, pins);
    const blocked = temporaryFolder();
    mkdirSync(join(blocked, "pins", fileIn(home).split("/").at(-1) ?? ""), { recursive: true });
    const store = createPinStore(blocked);
    expect((await store.read(mail)).problem?.en).toContain("The record of approved tools of mail");
    await expect(store.write(mail, pins)).rejects.toThrow("The approved tools of mail cannot be saved");
    expect(readdirSync(join(blocked, "pins"))).toHaveLength(1);
    const file = join(temporaryFolder(), "file");
    writeFileSync(file, "");
    await expect(createPinStore(file).write(mail, pins)).rejects.toThrow("cannot be saved");
    expect(await createPinStore(file).read(mail)).toEqual(nothing);
  });

  test(
    "because it is a link that leads round in a circle is a problem, and no server that was never seen",
    requires(unix),
    async () => {
      const home = temporaryFolder();
      const store = createPinStore(home);
      await store.write(mail, pins);
      const file = fileIn(home);
      rmSync(file);
      symlinkSync(file, file);
      expect((await store.read(mail)).problem?.en).toContain("The record of approved tools of mail cannot be read");
    },
  );

  test("because it is a pipe is damaged, and is not waited for", requires(unix), async () => {
    const home = temporaryFolder();
    const store = createPinStore(home);
    await store.write(mail, pins);
    const file = fileIn(home);
    rmSync(file);
    execFileSync("mkfifo", [file]);
    expect((await store.read(mail)).problem?.en).toContain("The record of approved tools of mail is damaged");
    expect(await store.hasChanged(mail)).toBe(false);
    await store.write(mail, pins);
    expect((await store.read(mail)).pins).toEqual(pins);
  });

  test("because its folder is closed is a problem that says so", requires(ordinaryUser), async () => {
    const home = temporaryFolder();
    const store = createPinStore(home);
    await store.write(mail, pins);
    chmodSync(fileIn(home), 0o000);
    expect((await store.read(mail)).problem?.en).toContain("EACCES");
  });
});

describe("two processes", () => {
  test("see what the other has written, once", async () => {
    const home = temporaryFolder();
    const store = createPinStore(home);
    expect(await store.hasChanged(mail)).toBe(false);
    await store.read(mail);
    await writeFromAnotherProcess(home, "a", 1);
    expect(await store.hasChanged(mail)).toBe(true);
    expect((await store.read(mail)).pins).toEqual(versioned("mail", "a0"));
    expect(await store.hasChanged(mail)).toBe(false);
    await store.write(mail, pins);
    expect(await store.hasChanged(mail)).toBe(false);
    await writeFromAnotherProcess(home, "b", 1);
    expect(await store.hasChanged(mail)).toBe(true);
  });

  test("that write at the same time never leave or show a part of a file", async () => {
    const home = temporaryFolder();
    const store = createPinStore(home);
    await store.write(mail, versioned("mail", "first"));
    let writers = 2;
    const writing = ["a", "b"].map((prefix) => writeFromAnotherProcess(home, prefix, 40).finally(() => writers--));
    const seen = new Set<string>();
    while (writers > 0) {
      const { pins: read, problem } = await store.read(mail);
      expect(problem).toBeUndefined();
      const words = new Set(read?.tools[0]?.description.trim().split(" "));
      expect(words.size).toBe(1);
      seen.add([...words].join());
    }
    await Promise.all(writing);
    expect(seen.size).toBeGreaterThan(1);
    expect(readdirSync(join(home, "pins"))).toHaveLength(1);
  });
});
