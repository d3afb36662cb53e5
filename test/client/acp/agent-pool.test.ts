import { existsSync } from "node:fs";
import { link, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createTerminals } from "../../../src/client/acp/terminals.ts";
import { Tail } from "../../../src/kit/process/child.ts";
import { createLifeline } from "../../../src/kit/process/lifeline.ts";
import { type AgentPlace, openAgent, openPlace, useAgent } from "../../fakes/other-agents.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { allDead, http, isAlive, processesIn, readJournal, stdio } from "../servers.ts";

/** One process serves the tests that need none of their own. */
let place: AgentPlace;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  place = await openPlace({ atEnd: (close) => void ends.push(close) });
});
afterAll(async () => {
  for (const end of ends) await end();
});

test("the example's turn is told in steps, its change is shown to a person, and its last words are the answer", async () => {
  const { ask, heard } = useAgent(place, { approve: async () => "once" });
  const answer = await ask("example");
  expect(answer).toMatchObject({ text: "I updated the configuration.", stop: "end_turn" });
  expect(answer.usage).toMatchObject({ runs: 1, tokens: 1000, cost: 0.25, isCostKnown: true, isOver: true });
  expect(heard.steps).toEqual([
    "🔧 read: Reading project files",
    "✓ read: Reading project files",
    "🔧 edit: Modifying the configuration",
    "✓ edit: Modifying the configuration",
  ]);
  expect(heard.progress).toContain("plan 1/2: Change it");
  expect(heard.asked).toEqual([
    {
      tool: "agent_fake__edit",
      arguments: {
        title: "Modifying the configuration",
        path: "/project/config.json",
        oldText: "host: old\n",
        newText: "host: new\n",
      },
      rule: "agents.fake",
      onlyOnce: true,
    },
  ]);
});

test("a no, an answer for the whole conversation, and nobody to ask become the agent's own choices by their kinds", async () => {
  const { ask, heard } = useAgent(place, {
    approve: async ({ arguments: { command } }) => (command === "rm 1" ? "conversation" : "no"),
  });
  expect((await ask("example")).text).toBe("I left it as it is (reject).");
  // A yes for the conversation is none for what the agent may ask later.
  expect((await ask("pester 2")).text).toBe("1 allowed, 2 asked");
  expect((await ask("grab")).text).toBe("never");
  expect(heard.asked.at(-1)?.reason).toContain("no yes for once alone");

  const alone = useAgent(place);
  expect((await alone.ask("example")).text).toBe("I left it as it is (reject).");
  expect(alone.heard.notices).toEqual([expect.stringContaining("agents.fake.acp.permissions can be set")]);
});

test("what a person wants instead is the agent's next question in the same session", async () => {
  const answers = [{ instead: "remember to ask first" }, "no"] as const;
  let next = 0;
  const { ask } = useAgent(place, { approve: async () => answers[next++] });
  const { sessionId } = await ask("example");
  expect((await ask("recall", { sessionId })).text).toContain("I remember: to ask first.");
  // The agent has left its mode meanwhile.
  const held = useAgent(place, { settings: { mode: "read-only" }, approve: async () => ({ instead: "recall" }) });
  expect((await held.ask("stray write")).text).toContain("My mode is read-only.");
});

test("the configuration may answer every question of an agent, without a person", async () => {
  const allowing = useAgent(place, { settings: { permissions: "allow" } });
  expect((await allowing.ask("example")).text).toBe("I updated the configuration.");
  const refusing = useAgent(place, { settings: { permissions: "refuse" }, approve: async () => "once" });
  expect((await refusing.ask("example")).text).toBe("I left it as it is (reject).");
  expect(refusing.heard.asked).toEqual([]);
});

test("one process serves questions side by side, a session takes one at a time, and a mode is set for each", async () => {
  const { ask, journal, heard } = await openAgent({ settings: { mode: "read-only" } });
  const first = await ask("remember x");
  const { sessionId } = first;
  const stop = new AbortController();
  const busy = ask("wait", { sessionId, signal: stop.signal });
  await expect.poll(() => heard.steps).toEqual(["🔧 Waiting"]);
  const aside = await ask("recall", { sessionId });
  expect(aside).toMatchObject({ text: "I remember: nothing. My mode is read-only.", sessionId: undefined });
  // Nobody comes back to the session beside the wanted one.
  await expect.poll(() => readJournal(journal).filter((entry) => "closed" in entry)).toHaveLength(1);
  stop.abort(new Error("enough"));
  await expect(busy).rejects.toThrow("enough");
  await expect.poll(() => readJournal(journal)).toContainEqual({ cancelled: true });
  expect((await ask("recall", { sessionId })).text).toBe("I remember: x. My mode is read-only.");
  expect(readJournal(journal).filter(({ pid }) => pid !== undefined)).toHaveLength(1);
  await expect(useAgent(place, { settings: { mode: "yolo" } }).ask("recall")).rejects.toThrow(
    'there is no mode "yolo" (allowed: write, read-only)',
  );
});

test.each([[], ["--options"]])(
  "the mode in which a person is asked is held, whatever the agent does, also with %j",
  async (...args) => {
    const { pool, folder, journal, args: others } = args.length > 0 ? await openPlace({ args }) : place;
    const agent = { pool, folder, journal, args: others };
    const asked = (insteadOf: string) =>
      useAgent(agent, { settings: { asking: { mode: "read-only", insteadOf: [insteadOf] } } });
    const { ask } = asked("write");
    const { sessionId } = await ask("turn write");
    expect((await ask("recall", { sessionId })).text).toContain("My mode is read-only.");
    // It begins in a mode that is none of those, and tells of one later.
    const later = asked("yolo");
    const begun = await later.ask("turn yolo");
    expect((await later.ask("recall", { sessionId: begun.sessionId })).text).toContain("My mode is yolo.");
    await later.ask("turn yolo aloud", { sessionId: begun.sessionId });
    expect((await later.ask("recall", { sessionId: begun.sessionId })).text).toContain("My mode is read-only.");
    // Another version has other modes: in which of them a person is asked is not known.
    const renamed = useAgent(agent, {
      settings: { asking: { mode: "default", insteadOf: ["auto"], isRequired: true } },
    });
    await expect(renamed.ask("recall")).rejects.toThrow('there is no mode "default" (allowed: write, read-only)');
  },
);

test.each(["--resume", "--load"])("a process that died is started again, and %s takes up its session", async (flag) => {
  const sessions = join(await temporaryFolder(), "sessions");
  // Where its sessions begin, nobody is asked.
  const asking = { mode: "read-only", insteadOf: ["write"] };
  const args = [flag, "--sessions", sessions, ...(flag === "--load" ? ["--options"] : [])];
  const { ask, journal } = await openAgent({ args, settings: { asking } });
  const { sessionId } = await ask("remember x");
  const dying = ask("die", { sessionId });
  await expect(dying).rejects.toThrow(
    /its process ended meanwhile \(exit code 7\); what it did may have taken effect and is not repeated; it wrote:\nout of luck/,
  );
  const again = await ask("recall", { sessionId });
  // What an agent tells of an old session is no part of its answer.
  expect(again).toMatchObject({ text: "I remember: x. My mode is read-only.", sessionId });
  expect(again.lost).toBeUndefined();
  const entries = readJournal(journal);
  expect(entries.filter(({ pid }) => pid !== undefined)).toHaveLength(2);
  expect(entries).toContainEqual({ taken: sessionId });
  expect(entries.filter((entry) => "prompt" in entry && entry.prompt === "die")).toHaveLength(1);
  expect((await ask("recall", { sessionId: "gone" })).lost).toBe("unknown");
});

test.each([["--options"], ["--models"]])(
  "each session is set to the model that is configured, with %s",
  async (form) => {
    const sessions = join(await temporaryFolder(), "sessions");
    const opened = await openPlace({ args: [form, "--resume", "--sessions", sessions] });
    const large = useAgent(opened, { settings: { model: "large", mode: "read-only" } });
    const { sessionId, text } = await large.ask("recall");
    expect(text).toContain("My mode is read-only.");
    await large.ask("recall", { sessionId });
    await expect(large.ask("die", { sessionId })).rejects.toThrow("its process ended meanwhile");
    await large.ask("recall", { sessionId });
    const small = useAgent(opened, { settings: { model: "small" } });
    await small.ask("recall");
    const models = readJournal(opened.journal).flatMap((entry) => ("model" in entry ? [entry.model] : []));
    expect(models).toEqual(["large", "large"]);
    const unknown = useAgent(opened, { settings: { model: "huge" } });
    await expect(unknown.ask("recall")).rejects.toThrow('there is no model "huge" (allowed: small, large)');
    const silent = useAgent(place, { settings: { model: "huge" } });
    await expect(silent.ask("recall")).rejects.toThrow('there is no model "huge" (it offers no choice)');
  },
);

test("an agent is given the servers that it may have, with what their entries hold and no more", async () => {
  const sessions = join(await temporaryFolder(), "sessions");
  const { ask, agent, journal, folder, heard } = await openAgent({
    args: ["--resume", "--sessions", sessions],
    environment: { NOTES_KEY: "key-of-notes", OTHER_KEY: "key-of-others" },
  });
  const notes = { name: "notes", env: { A: "b" }, inheritEnv: ["NOTES_KEY"] };
  const web = { authorization: "Bearer word-for-web" };
  agent.servers = [
    stdio(notes.name, "node", ["notes.js"], notes),
    http("https://example.com/mcp", { headers: web }),
    http("https://example.com/sse", {
      name: "old",
      transport: { type: "sse", url: "https://example.com/", headers: {} },
    }),
    http("https://example.com/mine", { name: "mine", auth: { type: "oauth" } }),
    stdio("some", "node", [], { includeTools: ["read"] }),
    stdio("all-but", "node", [], { excludeTools: ["write"] }),
    {
      ...stdio("elsewhere", "node", []),
      transport: { type: "stdio", command: "node", args: [], env: {}, inheritEnv: [], cwd: "/" },
    },
    // The folder of an editor is not one that the server names.
    {
      ...stdio("placed", "node", []),
      transport: {
        ...{ type: "stdio", command: "node", args: [], env: {}, inheritEnv: [], cwd: "/" },
        hasDefaultCwd: true,
      },
    },
    // What is relative means another file where the agent works.
    stdio("dotted", "node", ["./nowhere.js"]),
    stdio("bare", "node", ["package.json"]),
    stdio("option", "node", ["--root=docs"]),
    stdio("program", "bin/duet.js", []),
  ];
  const { sessionId } = await ask("recall");
  await expect(ask("die", { sessionId })).rejects.toThrow("its process ended meanwhile");
  await ask("recall", { sessionId });
  const given = readJournal(journal).flatMap((entry) => ("mcpServers" in entry ? [entry.mcpServers] : []));
  const servers = [
    {
      name: "notes",
      command: expect.stringMatching(/^\/.*node$/),
      args: ["notes.js"],
      env: expect.arrayContaining([
        { name: "NOTES_KEY", value: "key-of-notes" },
        { name: "A", value: "b" },
      ]),
    },
    {
      type: "http",
      name: "web",
      url: "https://example.com/mcp",
      headers: [{ name: "authorization", value: web.authorization }],
    },
    { name: "placed", command: expect.stringMatching(/^\/.*node$/), args: [], env: [] },
  ];
  expect(given).toEqual([servers, servers]);
  expect(JSON.stringify(given)).not.toContain("key-of-others");
  const told =
    "The agent fake was not told of: the MCP servers old, mine, some, all-but, elsewhere, dotted, bare, option, program";
  expect(heard.notices).toEqual([told]);
  expect((await ask("remember", { sessionId })).text).toBe("I will.");
  await writeFile(join(folder, "a"), "The key is key-of-notes, and word-for-web.");
  expect((await ask(`read ${folder}/a`)).text).not.toMatch(/key-of-notes|word-for-web/);
});

test("a session that comes after its asker has left, or cannot be set as configured, is closed", async () => {
  const gate = join(await temporaryFolder(), "gate");
  const opened = await openPlace({ args: ["--gate", gate] });
  const { ask, journal } = useAgent(opened);
  const read = (key: string): unknown[] => readJournal(journal).flatMap((entry) => Object(entry)[key] ?? []);
  const stop = new AbortController();
  const asking = ask("recall", { signal: stop.signal });
  await expect.poll(() => read("opening"), { timeout: 30_000 }).toEqual([true]);
  stop.abort(new Error("enough"));
  await expect(asking).rejects.toThrow("enough");
  await writeFile(gate, "");
  await expect.poll(() => read("closed"), { timeout: 30_000 }).toEqual([expect.any(String)]);
  await expect(useAgent(opened, { settings: { mode: "none" } }).ask("recall")).rejects.toThrow("there is no mode");
  await expect.poll(() => read("closed"), { timeout: 30_000 }).toHaveLength(2);
  expect(read("closed")).toEqual(read("session"));
});

test("the session that was used least recently is closed when there are too many, and taken up again when it is wanted", async () => {
  const { ask, journal } = await openAgent({ args: ["--resume"] });
  const { sessionId: first } = await ask("remember x");
  const { sessionId: second } = await ask("remember y");
  await ask("recall", { sessionId: first });
  for (let n = 0; n < 49; n++) await ask("recall");
  await expect.poll(() => readJournal(journal).filter((entry) => "closed" in entry)).toEqual([{ closed: second }]);
  expect((await ask("recall", { sessionId: second })).text).toContain("I remember: y.");
});

test("an agent that cannot resume begins anew, and says so", async () => {
  const { ask } = useAgent(place);
  expect(await ask("recall", { sessionId: "session-of-yesterday" })).toMatchObject({
    text: "I remember: nothing. My mode is write.",
    lost: "unable",
  });
});

test("files are read and written under the roots alone, whatever links say, and a write shows its change", async () => {
  const { ask, folder, heard, journal } = useAgent(place, { approve: async () => "once" });
  const outside = await temporaryFolder();
  await writeFile(join(outside, "secret.md"), "outside");
  await writeFile(join(folder, "a.md"), "one\ntwo\nthree\n");
  await writeFile(join(folder, ".env"), "KEY=1");
  await writeFile(join(folder, ".editorconfig"), "root = true");
  await mkdir(join(folder, ".git"));
  await writeFile(join(folder, ".git/config"), "[core]");
  for (const own of ["own.json", "own.json.bak"]) await writeFile(join(folder, own), "ours");
  await mkdir(join(folder, "own"));
  await writeFile(join(folder, "own/state.md"), "ours");
  await link(join(folder, "own/state.md"), join(folder, "hard-link.md"));
  await symlink(outside, join(folder, "link"));
  await symlink(join(outside, "secret.md"), join(folder, "file-link.md"));
  expect((await ask(`read ${folder}/a.md`)).text).toBe('{"content":"one\\ntwo\\nthree\\n"}');
  expect((await ask(`read ${folder}/a.md 2 1`)).text).toBe('{"content":"two"}');
  expect((await ask(`read ${folder}/.editorconfig`)).text).toBe('{"content":"root = true"}');
  const escapes = [
    "link/secret.md",
    "file-link.md",
    relative(folder, join(outside, "secret.md")),
    ".env",
    ".git/config",
    "own.json",
    "own.json.bak",
    "own/state.md",
    "hard-link.md",
  ];
  for (const path of escapes) {
    expect(existsSync(`${folder}/${path}`), path).toBe(true);
    expect((await ask(`read ${folder}/${path}`)).text).toMatch(/^\{"refused":.*was not found: a path must be absolute/);
    expect((await ask(`write ${folder}/${path} bad`)).text).toMatch(/^\{"refused":/);
  }
  expect((await ask("read /etc/hostname")).text).toMatch(/^\{"refused":/);
  expect((await ask("write /proc/self/comm x")).text).toMatch(/^\{"refused":/);
  expect(heard.asked).toEqual([]);
  expect(await readFile(join(outside, "secret.md"), "utf8")).toBe("outside");

  expect((await ask(`write ${folder}/a.md four`)).text).toBe("{}");
  expect((await ask(`write ${folder}/new.md five`)).text).toBe("{}");
  expect(await readFile(join(folder, "a.md"), "utf8")).toBe("four");
  expect(heard.asked.map((request) => request.arguments)).toEqual([
    { path: join(folder, "a.md"), oldText: "one\ntwo\nthree\n", newText: "four" },
    { path: join(folder, "new.md"), content: "five" },
  ]);
  expect(readJournal(journal)[1]).toMatchObject({
    capabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
  });
  expect((await ask(`terminal ${folder} pwd`)).text).toContain("terminal");
});

test("a write that a person has agreed to is not asked about again, and one of another content is", async () => {
  const { ask, folder, heard } = useAgent(place, { approve: async () => (heard.asked.length > 2 ? "no" : "once") });
  const file = join(folder, "promised.md");
  expect((await ask(`promise ${file} good good`)).text).toBe("allow {}");
  expect(heard.asked).toHaveLength(1);
  expect((await ask(`promise ${file} good evil`)).text).toMatch(/^allow \{"refused":"The user did not agree/);
  expect(heard.asked.map((request) => request.arguments.newText)).toEqual([undefined, undefined, "evil"]);
  expect(await readFile(file, "utf8")).toBe("good");
});

test("commands are run within the roots where the configuration says so, each after a yes, and their output is limited", async () => {
  const { ask, folder, heard, journal } = await openAgent({
    settings: { terminal: true },
    approve: async ({ arguments: { command } }) => (String(command).startsWith("rm") ? "no" : "once"),
    environment: { DUET_CANARY: "sk-CANARY-ours" },
  });
  const { text } = await ask(`terminal ${folder} echo "$DUET_CANARY" out; echo err >&2; exit 3`);
  expect(JSON.parse(text)).toEqual({
    ...{ exit: 3, output: " out\nerr\n", truncated: false },
    exitStatus: { exitCode: 3, signal: null },
  });
  expect(heard.asked[0]).toMatchObject({ tool: "agent_fake__execute", arguments: { cwd: folder } });
  expect(JSON.parse((await ask(`terminal ${folder} seq 1 100`)).text)).toMatchObject({
    ...{ output: "\n95\n96\n97\n98\n99\n100\n", truncated: true },
  });
  expect((await ask(`terminal ${folder} rm a`)).text).toContain("The user did not agree to this command");
  expect((await ask("terminal /etc pwd")).text).toContain("is not within the allowed folders");
  expect(heard.asked).toHaveLength(3);
  expect(readJournal(journal)[1]).toMatchObject({ capabilities: { terminal: true } });
  const { signal, abort } = createStop();
  const sleeping = ask(`terminal ${folder} echo $$ > pid; exec sleep 3600`, { signal });
  await expect.poll(() => existsSync(join(folder, "pid"))).toBe(true);
  abort();
  await expect(sleeping).rejects.toThrow("enough");
  await allDead([Number(await readFile(join(folder, "pid"), "utf8"))]);
});

function createStop(): { signal: AbortSignal; abort(): void } {
  const stop = new AbortController();
  return { signal: stop.signal, abort: () => stop.abort(new Error("enough")) };
}

test("an agent without roots is offered no files", async () => {
  const { ask, folder, journal } = await openAgent({ settings: { roots: [] } });
  await writeFile(join(folder, "a.md"), "one");
  expect((await ask(`read ${folder}/a.md`)).text).toMatch(/^\{"refused":/);
  expect(readJournal(journal)[1]).toMatchObject({
    capabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
});

test("an agent sees the variables that it is given, and its secrets are taken out of what it says", async () => {
  const environment = { DUET_CANARY: "sk-CANARY-ours", OPENAI_API_KEY: "sk-test-inherited-1" };
  const { ask, agent } = await openAgent({ environment });
  agent.settings.transport.inheritEnv.push("OPENAI_API_KEY");
  const { text } = await ask("environment");
  expect(text).not.toContain("CANARY");
  expect(text).toContain('"OPENAI_API_KEY":"[redacted OPENAI_API_KEY]"');
  expect(text).toContain('"DUET_DEPTH":"1"');
});

test("a flood of questions reaches a person fifty times, and no more", async () => {
  const { ask, heard } = useAgent(place, { approve: async () => "once" });
  expect((await ask("pester 300")).text).toBe("50 allowed, 300 asked");
  expect(heard.asked).toHaveLength(50);
  expect(heard.notices).toEqual([expect.stringContaining("more than 50 times")]);
});

test("an agent that writes without end is stopped, with its process, and the next question gets a new one", async () => {
  const { ask, journal } = await openAgent();
  const answer = await ask("flood");
  expect(answer.stop).toBe("too-much");
  expect(answer.text.length).toBeLessThan(1_200_000);
  await expect(ask("line")).rejects.toThrow("it wrote a message that is too long, and was ended");
  expect((await ask("recall")).text).toContain("nothing");
  const [first, second] = readJournal(journal).flatMap(({ pid }) => pid ?? []);
  await allDead([first, second].filter((pid) => pid !== undefined));
});

test("an agent that tells large contents without end, or asks twice under one id, is stopped", async () => {
  const bulky = await openAgent();
  expect((await bulky.ask("bulk")).stop).toBe("too-much");
  const { ask } = await openAgent({ approve: () => new Promise(() => {}) });
  await expect(ask("twice")).rejects.toThrow("it made too many requests at one time, and was ended");
});

test("an agent that uses more than it may is stopped, and is not asked on", async () => {
  const { ask } = useAgent(place);
  expect(await ask("spend", { budget: { tokens: 1000, cost: undefined } })).toMatchObject({ stop: "tokens" });
  // A prompt takes 1,000 tokens.
  const { ask: askOn, journal } = await openAgent({ approve: async () => ({ instead: "recall" }) });
  expect(await askOn("pester 1", { budget: { tokens: 1000, cost: undefined } })).toMatchObject({ stop: "tokens" });
  expect(readJournal(journal).flatMap((entry) => ("prompt" in entry ? [entry.prompt] : []))).toEqual(["pester 1"]);
});

test("what a session had used before it was taken up again is neither over the budget nor billed once more", async () => {
  const sessions = join(await temporaryFolder(), "sessions");
  const { ask } = await openAgent({ args: ["--resume", "--sessions", sessions, "--silent"] });
  const budget = { tokens: 6_000_000, cost: 0.25 };
  const { sessionId, usage } = await ask("spend once", { budget });
  // An agent that does not say at its end what it has used is billed what came into the window of its session.
  expect(usage).toMatchObject({ tokens: 5_000_000, cost: 0.25, isCostKnown: true });
  await expect(ask("die", { sessionId })).rejects.toThrow("its process ended meanwhile");
  const again = await ask("spend once", { sessionId, budget: { tokens: 1000, cost: 0.1 } });
  expect(again).toMatchObject({ sessionId, text: "Spent.", stop: "end_turn", usage: { tokens: 0, cost: 0 } });
});

test("terminals that are being started count, and an output that is not wanted is not kept", async () => {
  const lifeline = createLifeline(process.env.PATH);
  onTestFinished(() => lifeline.close());
  const terminals = createTerminals({
    ...{
      findFolder: async (path) => path,
      cwd: "/",
      environment: {},
      lifeline,
      tool: "agent_fake",
      rule: "agents.fake",
    },
    consent: { ask: async () => "no", takeInstead: () => [], close: () => {} },
  });
  const asked = Array.from({ length: 25 }, () => terminals.create({ sessionId: "s", command: "true" }));
  const reasons = (await Promise.allSettled(asked)).map((each) =>
    each.status === "rejected" ? String(each.reason) : "",
  );
  expect(reasons.filter((each) => each.includes("did not agree"))).toHaveLength(20);
  expect(reasons.filter((each) => each.includes("at most 20 terminals"))).toHaveLength(5);
  const [nothing, end] = [new Tail(0), new Tail(5)];
  for (const part of ["one ", "two ", "three", "", "!"])
    for (const tail of [nothing, end]) tail.push(Buffer.from(part));
  expect([nothing.toString(), end.toString()]).toEqual(["", "hree!"]);
});

test("a cancel returns at once, and the process that ignores it ends with all below it", async () => {
  const { ask, journal, heard } = await openAgent();
  const stop = new AbortController();
  const working = ask("ignore", { signal: stop.signal });
  await expect.poll(() => heard.steps).toEqual(["🔧 Working"]);
  const processes = await processesIn(journal, 2);
  stop.abort(new Error("enough"));
  await expect(working).rejects.toThrow("enough");
  // Whoever leaves does not wait for the agent, which gets a while to end its work.
  expect(processes.filter(isAlive)).toEqual(processes);
  await allDead(processes);
});

test("a process that ignores a cancel ends although it works on another question, which says why it was ended", async () => {
  const { ask, journal, heard } = await openAgent();
  const stop = new AbortController();
  const other = ask("wait");
  await expect.poll(() => heard.steps).toEqual(["🔧 Waiting"]);
  const working = ask("ignore", { signal: stop.signal });
  await expect.poll(() => heard.steps).toContain("🔧 Working");
  const processes = await processesIn(journal, 2);
  stop.abort(new Error("enough"));
  await expect(working).rejects.toThrow("enough");
  await expect(other).rejects.toThrow("it ignored the cancel of another question; what it did may have taken effect");
  await allDead(processes);
});

test("an agent whose connection is lost while its process lives is ended, and the next question gets a new one", async () => {
  const { ask, journal } = await openAgent({ approve: async () => "once" });
  await expect(ask("deafen")).rejects.toThrow(/the connection to it was lost \(.*EPIPE.*\), so its process was ended/);
  expect((await ask("recall")).text).toContain("nothing");
  const [first] = readJournal(journal).flatMap(({ pid }) => pid ?? []);
  await allDead(first === undefined ? [] : [first]);
});

test("what keeps an agent from being used is said in words", async () => {
  const missing = await openAgent();
  missing.agent.settings.transport.command = "/nowhere/codex-acp";
  missing.agent.install = { zh: "", en: "Run: npm install" };
  await expect(missing.ask("x")).rejects.toMatchObject({
    ...{ code: "config", hint: { en: "Run: npm install" } },
    message: expect.stringContaining('there is no command "/nowhere/codex-acp"'),
  });
  const unknown = await openAgent({ args: ["--sign-in"] });
  await expect(unknown.ask("x")).rejects.toMatchObject({ code: "auth" });
  const newer = await openAgent({ args: ["--version", "2"] });
  await expect(newer.ask("x")).rejects.toThrow("it speaks version 2 of the protocol (allowed: 1)");
  const mute = await openAgent({ args: ["--mute"], settings: { startTimeoutMs: 300 } });
  await expect(mute.ask("x")).rejects.toThrow("it did not start within");
});
