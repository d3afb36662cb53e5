// Replaces three replicas of one PostgreSQL database in turn by another version of the program and then back, while clients ask, and fails
// where a run is lost, a call is made twice, a client gets no answer, a request is refused while no replica is being replaced, or a run is
// taken by a replica that cannot read it.
//
//     node scripts/rolling-upgrade.mjs [--previous FILE.tgz | --ref REF] [--variant same|format] [--packages FOLDER] [--clients 6] [--dwell 8]
//
// Both versions are packages as a release has them: the previous one is FILE, or is packed from REF (the newest release that has replicas, or
// else the commit with which they came). The variant `same` goes to this tree. `format` goes to a copy of this tree that writes one more
// format of the journal and has one more, additive migration, and so shows that a run is taken by those alone that can read it.
// FOLDER keeps the packages: those that it has are not made again. Needs what `npm install` has installed, and takes some minutes.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { postgres, startPostgres } from "../test/fakes/postgres.ts";
import { copyTree, findPackage, packTree, unpackPackage } from "./replicas/pack-tree.mjs";
import { rollReplicas } from "./replicas/roll-replicas.mjs";

/** Is the commit with which replicas came. */
const firstWithReplicas = "441c09e6377d07af5935becbed9d37aa5b3ea96c";
/** Is a file that each version with replicas has. */
const replicasFile = "src/store/postgres/migrations.ts";
/** Makes this tree one that writes the next format of a journal, in tables of the next version. */
const nextFormat = [
  {
    file: "src/store/postgres/journal/journal-formats.ts",
    text: "knownFormats: readonly number[] = [1];",
    by: "knownFormats: readonly number[] = [1, 2];",
  },
  {
    file: replicasFile,
    text: "  },\n];\n",
    by: `  },
  {
    statements: [
      "ALTER TABLE journal_runs ADD COLUMN rolled integer NOT NULL DEFAULT 0",
      "CREATE TABLE rolled_runs (run text PRIMARY KEY REFERENCES journal_runs ON DELETE CASCADE, why text)",
      "CREATE INDEX journal_steps_by_name ON journal_steps (name)",
    ],
  },
];
`,
  },
];

const { values } = parseArgs({
  options: {
    previous: { type: "string" },
    ref: { type: "string" },
    variant: { type: "string", multiple: true, default: ["same", "format"] },
    packages: { type: "string" },
    clients: { type: "string", default: "6" },
    dwell: { type: "string", default: "8" },
  },
});
const variants = {
  same: { to: "this", toFormats: [1] },
  format: { to: "raised", toFormats: [1, 2] },
};
for (const variant of values.variant)
  if (!(variant in variants)) throw new Error(`--variant: ${variant} (allowed: ${Object.keys(variants).join(", ")})`);

if (!postgres.isMet) {
  console.log(`skipped: ${postgres.reason}; ${postgres.remedy}`);
  process.exit();
}
const folder = await mkdtemp(join(tmpdir(), "duet-rolling-"));
let server;
const problems = [];
try {
  const previous = { name: "previous", program: await unpackPackage(await findPrevious(), join(folder, "previous")) };
  server = await startPostgres();
  for (const variant of values.variant) {
    const { to, toFormats } = variants[variant];
    const file = await makePackage(to, to === "raised" ? { replacements: nextFormat } : {});
    const found = await rollReplicas({
      title: variant,
      url: await server.createDatabase(),
      folder: join(folder, variant),
      from: { ...previous, formats: [1] },
      to: { name: to, program: await unpackPackage(file, join(folder, to)), formats: toFormats },
      clients: Number(values.clients),
      dwellMs: Number(values.dwell) * 1000,
    });
    problems.push(...found.map((problem) => `${variant}: ${problem}`));
  }
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
for (const problem of problems.slice(0, 40)) console.log(`✗ ${problem}`);
console.log(problems.length === 0 ? "no fault found" : `${problems.length} faults`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function findPrevious() {
  if (values.previous !== undefined) return values.previous;
  const ref = values.ref ?? findReleaseWithReplicas() ?? firstWithReplicas;
  console.log(`the previous version is ${ref}`);
  return makePackage("previous", { ref });
}

/** Returns the newest release that has replicas; undefined where none has. */
function findReleaseWithReplicas() {
  const git = (...args) => execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const tags = git("tag", "--list", "v*", "--sort=-v:refname").split("\n").filter(Boolean);
  return tags.find((tag) => {
    try {
      return git("cat-file", "-t", `${tag}:${replicasFile}`) !== "";
    } catch {
      return false;
    }
  });
}

/** Packs a tree, or takes the package that was made before. */
async function makePackage(name, options) {
  const target = join(values.packages ?? join(folder, "packages"), name);
  const known = await findPackage(target);
  if (known !== undefined) return known;
  const tree = join(folder, `tree-${name}`);
  await copyTree(tree, options);
  await mkdir(target, { recursive: true });
  return packTree(tree, target);
}
