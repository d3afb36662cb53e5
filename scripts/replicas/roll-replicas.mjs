// Replaces three replicas in turn under load, forwards and back, and judges what their clients, their tools and their database saw.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { query } from "../../test/fakes/postgres.ts";
import { askAndReattach } from "./reattaching-client.mjs";
import { startReplica } from "./replica.mjs";
import { readCalls, startWorkModel, toWorkQuestion, writeWorkTools } from "./work-model.mjs";

const replicas = 3;
/** Is how many calls the runs of the clients make, in turn. The long ones outlast the replacement of two replicas. */
const shortCalls = [2, 4, 6];
const longCalls = 150;
const longClients = 2;
/** Limits the wait for the ends of all runs after the last replacement, in milliseconds. */
const longestEndMs = 150_000;
/** Limits the wait for as many ends of runs as there are clients, after each replacement. */
const longestStepMs = 120_000;
/** Limits how long no event may come to a reader, in milliseconds: a start of a program on a busy machine, and the search for its run. */
const longestSilenceMs = 15_000;

/** Rolls from one version to another and back. Prints what happened, and returns what must not have. */
export async function rollReplicas({ title, url, folder, from, to, clients, dwellMs }) {
  const log = join(folder, "calls.log");
  await mkdir(folder, { recursive: true });
  await writeWorkTools(join(folder, "tools"), log);
  const model = await startWorkModel();
  const config = join(folder, "duet.config.json");
  await writeFile(config, JSON.stringify(toSettings(url, model.url)));
  const slots = Array.from({ length: replicas }, () => undefined);
  /** Knows which version a process is, by its ID. */
  const versions = new Map();
  const said = [];
  const problems = [];
  const asked = createClients({ slots, clients });
  const steps = [];

  async function fill(index, version) {
    const replica = await startReplica({
      program: version.program,
      config,
      home: join(folder, `home-${index}-${versions.size}`),
      env: { OPENAI_API_KEY: "sk-rolling-000000000" },
    });
    versions.set(replica.pid, version);
    while (!(await replica.isReady())) await sleep(50);
    slots[index] = replica;
  }

  async function empty(index) {
    const replica = slots[index];
    const ended = await replica.end();
    slots[index] = undefined;
    said.push(...replica.lines);
    if (ended.code !== 0) problems.push(`replica ${index + 1} ended with ${ended.code}: ${replica.lines.at(-1)}`);
    return ended;
  }

  async function step(label, work) {
    const began = performance.now();
    await work();
    const changed = performance.now();
    const before = asked.ended;
    const isEnough = () => performance.now() - changed >= dwellMs && asked.ended >= before + clients;
    while (!isEnough() && performance.now() - changed < longestStepMs) await sleep(100);
    if (!isEnough()) problems.push(`${label}: ${asked.ended - before} runs ended in ${longestStepMs / 1000} s`);
    steps.push({
      label,
      began,
      changed,
      until: performance.now(),
      ended: asked.ended - (steps.at(-1)?.all ?? 0),
      all: asked.ended,
    });
  }

  try {
    await Promise.all(slots.map((_, index) => fill(index, from)));
    await installWitness(url);
    const tables = await readTablesVersion(url);
    asked.begin();
    await step(`3 × ${from.name}`, async () => {});
    for (const version of [to, from])
      for (const index of slots.keys())
        await step(`replica ${index + 1} → ${version.name}`, async () => {
          await empty(index);
          await fill(index, version);
          // They begin in the newest format, and outlast all replicas that read it but the last.
          if (version === to && index === replicas - 1) asked.addLong(longClients);
        });
    await asked.end();
    for (const index of slots.keys()) await empty(index);
    const takes = await readTakes(url, versions);
    problems.push(
      ...judgeClients(asked, steps),
      ...judgeCalls(await readCalls(log), asked),
      ...judgeTakes(takes, to),
      ...judgeLastReader({ asked, takes, to, last: steps.at(-1) }),
      ...(await judgeDatabase(url)),
    );
    report({ title, asked, steps, takes, said });
    console.log(`tables of version ${tables} before, ${await readTablesVersion(url)} after`);
    return problems;
  } finally {
    asked.abort();
    for (const replica of slots) await replica?.end("SIGKILL");
    model.close();
  }
}

function toSettings(url, baseUrl) {
  return {
    store: { url },
    models: { functionCall: { provider: "openai", model: "one", baseUrl, wire: "openai-chat" } },
    tools: { directory: "./tools" },
    search: { enabled: false },
    locale: "en",
    agent: { maxIterations: 1000, maxToolCalls: 1000, maxExecutionTime: 3600, tokenBudget: 1_000_000_000 },
    serve: { http: { grace: 60 }, onDisconnect: "finish" },
  };
}

/** Asks again and again, each client one question at a time, until it is told to end. */
function createClients({ slots, clients }) {
  const over = new AbortController();
  const aborted = new AbortController();
  const runs = [];
  const notes = [];
  let working = [];
  const pick = () => {
    const living = slots.filter(Boolean);
    return living[Math.floor(Math.random() * living.length)]?.origin;
  };

  /** With `firstSlot` the first request goes to that replica. */
  async function ask(client, { isLong = client < longClients, most = Number.POSITIVE_INFINITY, firstSlot } = {}) {
    let slot = firstSlot;
    const pickNext = () => {
      const origin = slots[slot]?.origin ?? pick();
      slot = undefined;
      return origin;
    };
    for (let n = 0; n < most && !over.signal.aborted; n++) {
      const calls = isLong ? longCalls : shortCalls[n % shortCalls.length];
      const name = `roll-${client}-${n}`;
      const began = performance.now();
      let last = began;
      const run = await askAndReattach({
        name,
        question: toWorkQuestion(name, calls),
        pick: pickNext,
        signal: aborted.signal,
        note(what) {
          const at = performance.now();
          if (what.kind === "event") {
            notes.push({ kind: "silence", at, ms: at - last });
            last = at;
          } else notes.push({ ...what, at, name });
        },
      });
      runs.push({ name, calls, began, ended: performance.now(), ...run });
    }
  }

  return {
    runs,
    notes,
    get ended() {
      return runs.length;
    },
    begin() {
      working = Array.from({ length: clients + longClients }, (_, client) => ask(client));
    },
    /** Begins one long run more for each of so many clients, on the replicas that are replaced first. */
    addLong(count) {
      const next = working.length;
      for (let slot = 0; slot < count; slot++)
        working.push(ask(next + slot, { isLong: true, most: 1, firstSlot: slot }));
    },
    async end() {
      over.abort();
      const limit = setTimeout(() => aborted.abort(), longestEndMs);
      await Promise.all(working);
      clearTimeout(limit);
    },
    abort() {
      over.abort();
      aborted.abort();
    },
  };
}

/** Lets the database itself write down who holds a run, and what that one says that it reads. */
async function installWitness(url) {
  for (const text of [
    `CREATE TABLE witnessed (n bigint GENERATED ALWAYS AS IDENTITY, at timestamptz NOT NULL DEFAULT clock_timestamp(),
       run text, format integer, epoch integer, holder text, reads integer[])`,
    `CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       IF TG_OP = 'INSERT' OR NEW.holder IS DISTINCT FROM OLD.holder THEN
         INSERT INTO witnessed (run, format, epoch, holder, reads)
         VALUES (NEW.run, NEW.format, NEW.epoch, NEW.holder, (SELECT formats FROM replicas WHERE id = NEW.holder));
       END IF;
       RETURN NULL;
     END $$`,
    "CREATE TRIGGER witness AFTER INSERT OR UPDATE ON journal_runs FOR EACH ROW EXECUTE FUNCTION witness()",
  ])
    await query(url, text);
}

async function readTablesVersion(url) {
  const [row] = await query(url, "SELECT max(version) AS version FROM duet_schema");
  return Number(row?.version);
}

/** Lists each beginning and taking of a run, with the version that did it and how long nobody had held the run. */
async function readTakes(url, versions) {
  const rows = await query(
    url,
    `SELECT w.run, w.format, w.epoch, w.holder, w.reads::text AS reads, extract(epoch FROM w.at - p.at) * 1000 AS free_ms,
       p.holder AS before
     FROM witnessed w LEFT JOIN LATERAL (
       SELECT at, holder FROM witnessed o WHERE o.run = w.run AND o.n < w.n ORDER BY o.n DESC LIMIT 1) p ON true
     WHERE w.holder IS NOT NULL ORDER BY w.n`,
  );
  const versionOf = (holder) => versions.get(Number(/-(\d+)-[0-9a-f]+$/.exec(holder ?? "")?.[1]));
  const makers = new Map();
  return rows.map((row) => {
    const version = versionOf(row.holder);
    const from = makers.get(row.run);
    makers.set(row.run, version);
    const reads = String(row.reads ?? "")
      .replace(/[{}]/g, "")
      .split(",")
      .map(Number);
    const freeMs = row.before === null && Number(row.epoch) > 1 ? Number(row.free_ms) : undefined;
    return { run: row.run, format: Number(row.format), epoch: Number(row.epoch), version, from, reads, freeMs };
  });
}

function judgeClients({ runs, notes }, steps) {
  const problems = [];
  for (const { name, calls, outcome, problems: own } of runs) {
    problems.push(...own.map((problem) => `${name}: ${problem}`));
    if (outcome === undefined) continue;
    if (outcome.status !== "complete")
      problems.push(`${name}: ${outcome.status}: ${JSON.stringify(outcome.error ?? outcome.stop_reason)}`);
    const done = outcome.tool_calls.filter(({ ok }) => ok).length;
    if (done !== calls) problems.push(`${name}: ${done} of ${calls} calls succeeded`);
    if (outcome.notices?.some(({ code }) => code === "not-resumable")) problems.push(`${name}: was not recorded`);
  }
  const isReplacing = (at) => steps.some(({ began, changed }) => began <= at && at <= changed + 250);
  for (const { kind, at, name, status, text } of notes)
    if (kind !== "silence" && !isReplacing(at))
      problems.push(`${name}: ${kind} ${status ?? ""} while no replica was replaced: ${text ?? ""}`);
  const silences = notes.filter(({ kind, ms }) => kind === "silence" && ms > longestSilenceMs);
  problems.push(...silences.map(({ ms }) => `a reader waited ${(ms / 1000).toFixed(1)} s for an event`));
  return problems;
}

/** Nothing ends in mid-call here, so each call is begun and ended once. */
function judgeCalls(calls, { runs }) {
  const wanted = runs.reduce((sum, run) => sum + run.calls, 0);
  const problems = calls.size === wanted ? [] : [`the tools did ${calls.size} calls (wanted: ${wanted})`];
  for (const [id, { tool, begun, ended }] of calls)
    if (begun !== 1 || ended !== 1) problems.push(`${tool} ${id}: begun ${begun} times, ended ${ended} times`);
  return problems;
}

function judgeTakes(takes, to) {
  const problems = [];
  for (const { run, format, epoch, version, reads } of takes) {
    if (version === undefined) problems.push(`${run}: epoch ${epoch} belongs to nobody that is known`);
    else if (!version.formats.includes(format) || !reads.includes(format))
      problems.push(`${run}: format ${format} was taken by ${version.name}, which reads ${reads.join(", ")}`);
  }
  // What is not there has not been tried.
  const newest = Math.max(...to.formats);
  const moved = takes.filter(({ epoch }) => epoch > 1);
  const cases = {
    "no run of the newest format began": takes.some(({ format, epoch }) => format === newest && epoch === 1),
    "no run of the newest format was handed over": moved.some(({ format }) => format === newest),
    "no run went to the next version": moved.some(({ version, from }) => version === to && from !== to),
    // Of two formats most are in the newer one, which the previous version does not take.
    "no run went back to the previous version":
      newest > 1 || moved.some(({ version, from }) => version !== to && from === to),
  };
  return [...problems, ...Object.keys(cases).filter((name) => !cases[name])];
}

/** Runs of a format that the previous version does not read end where the last replica of the next one does, before it. */
function judgeLastReader({ asked, takes, to, last }) {
  const newest = Math.max(...to.formats);
  if (newest === 1) return [];
  const ofFormat = new Set(takes.filter(({ format }) => format === newest).map(({ run }) => run));
  const kept = asked.runs.filter(
    ({ runId, began, ended }) => ofFormat.has(runId) && began < last.began && ended > last.began,
  );
  console.log(`${kept.length} runs of format ${newest} went on when the last replica that reads it was asked to end`);
  return kept.length > 0
    ? []
    : [`no run of format ${newest} went on when the last replica that reads it was asked to end`];
}

async function judgeDatabase(url) {
  const rows = await query(url, "SELECT run, format, epoch, holder FROM journal_runs WHERE state <> 'ended'");
  return rows.map(({ run, format, epoch }) => `${run}: is left unended, format ${format}, epoch ${epoch}`);
}

function report({ title, asked, steps, takes, said }) {
  console.log(`\n${title}: ${asked.ended} runs ended, ${asked.runs.reduce((sum, { calls }) => sum + calls, 0)} calls`);
  console.log("step                      replaced in   runs ended   503   cut off   not reached   longest silence");
  for (const { label, began, changed, until, ended } of steps) {
    const within = asked.notes.filter(({ at }) => began <= at && at < until);
    const count = (kind, status) =>
      within.filter((note) => note.kind === kind && (status === undefined || note.status === status)).length;
    const silence = Math.max(0, ...within.filter(({ kind }) => kind === "silence").map(({ ms }) => ms));
    const columns = [
      label.padEnd(24),
      `${((changed - began) / 1000).toFixed(1).padStart(9)} s`,
      String(ended).padStart(12),
      String(count("refused", 503)).padStart(5),
      String(count("cut")).padStart(9),
      String(count("unreachable")).padStart(13),
      `${(silence / 1000).toFixed(1).padStart(15)} s`,
    ];
    console.log(columns.join(" "));
  }
  const refused = Map.groupBy(
    asked.notes.filter(({ kind }) => kind === "refused"),
    ({ status }) => status,
  );
  for (const [status, those] of refused)
    console.log(`status ${status}: ${those.length}, such as ${those[0].text.slice(0, 160)}`);
  const moved = takes.filter(({ epoch }) => epoch > 1);
  for (const [format, those] of Map.groupBy(takes, (take) => take.format)) {
    const begun = those.filter(({ epoch }) => epoch === 1);
    const ways = Map.groupBy(
      those.filter(({ epoch }) => epoch > 1),
      ({ from, version }) => `${from?.name} to ${version?.name}`,
    );
    const told = [...ways].map(([way, each]) => `${each.length} from ${way}`).join(", ");
    console.log(`format ${format}: ${begun.length} runs began, handed over: ${told || "none"}`);
  }
  const free = moved.flatMap(({ freeMs }) => freeMs ?? []).toSorted((a, b) => a - b);
  const at = (share) => free[Math.min(free.length - 1, Math.floor(share * free.length))] ?? 0;
  console.log(
    `taken ${at(0.5).toFixed(0)} ms after it was let go (p50), at most ${at(1).toFixed(0)} ms, of ${free.length}`,
  );
  const lines = Map.groupBy(said, (line) => line.replace(/run-[0-9a-z-]+|\d+/gi, "…"));
  for (const [line, those] of lines)
    if (those.length > 0) console.log(`${String(those.length).padStart(4)} × ${line.slice(0, 200)}`);
}
