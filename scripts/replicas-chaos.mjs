// Three replicas of the built program on one PostgreSQL, to which all that can go wrong is done while clients ask: they are killed, stand
// still, lose the database, have wrong clocks. What has happened is judged from the log of the tools, from what the clients have received
// and from what the database has committed (test/server/replicas/chaos). Prints a table for each fault, and ends with 1 where a rule is
// violated, with all that is known of the run. After `npm run build`:
//   node scripts/replicas-chaos.mjs [--fault NAME]... [--runs 5000] [--kills 300] [--seed N] [--small]
// PostgreSQL comes from node_modules, or is the server that DUET_TEST_POSTGRES names, which is not killed.
import { parseArgs } from "node:util";
import { postgres, startPostgres } from "../test/fakes/postgres.ts";
import { createChance } from "../test/server/replicas/chaos/chance.ts";
import { faults, fullScale, smallScale } from "../test/server/replicas/chaos/faults.ts";
import { judge } from "../test/server/replicas/chaos/judge.ts";
import { renderReport } from "../test/server/replicas/chaos/report.ts";

const { values } = parseArgs({
  options: {
    fault: { type: "string", multiple: true, default: Object.keys(faults) },
    runs: { type: "string" },
    kills: { type: "string" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 32)) },
    small: { type: "boolean", default: false },
  },
});
const wrong = values.fault.filter((name) => faults[name] === undefined);
if (wrong.length > 0) fail(`--fault: "${wrong[0]}" is none (allowed: ${Object.keys(faults).join(", ")})`);
const scale = { ...(values.small ? smallScale : fullScale) };
for (const key of ["runs", "kills"]) if (values[key] !== undefined) scale[key] = readCount(key);
const seed = readCount("seed");
if (!postgres.isMet) fail(`${postgres.reason}: ${postgres.remedy}`);

console.log(`Seed ${seed}: node scripts/replicas-chaos.mjs --seed ${seed} --runs ${scale.runs} --kills ${scale.kills}`);
let isBad = false;
const server = await startPostgres({ settings: ["track_commit_timestamp=on"] });
try {
  for (const name of values.fault) await strike(name);
} finally {
  await server.stop();
}
process.exit(isBad ? 1 : 0);

async function strike(name) {
  const { says, run, endsDatabase } = faults[name];
  if (endsDatabase && process.env.DUET_TEST_POSTGRES !== undefined)
    return console.log(`\n## ${name}: left out, because the server of DUET_TEST_POSTGRES is not killed`);
  const chance = createChance(seed).of(name);
  let beganAt = performance.now();
  for await (const { part, evidence } of run({ server, chance, scale })) {
    const verdicts = judge(evidence);
    const seconds = Math.round((performance.now() - beganAt) / 1000);
    const title = `${name}: ${says}${part === "" ? "" : `, ${part}`} (${seconds} s)`;
    console.log(renderReport(title, evidence, verdicts));
    if (verdicts.some(({ violations }) => violations.length > 0)) isBad = true;
    beganAt = performance.now();
  }
}

function readCount(key) {
  const count = Number(values[key]);
  if (!Number.isSafeInteger(count) || count < 0) fail(`--${key}: ${values[key]} is no whole number of at least 0`);
  return count;
}

function fail(text) {
  console.error(text);
  process.exit(2);
}
